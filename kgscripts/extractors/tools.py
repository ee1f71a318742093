"""The tools of an event, by pattern and parse: "use X to …", "using X", "with X", "in/on/through X", "take X and …".

The classes of nouns (`kgscripts.text.lexicon`) decide which phrases are tools. Ingredients and supplies, people,
body parts, clothing and rooms never are; furniture is only what people work on. The object of the event is one only
after "use", and after "take" in an instruction. What something is put into or onto is a place and no tool.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.predicates import Frame
from kgscripts.text.lexicon import classes_of, is_a, is_tool, is_tool_after, may_be_tool, role_of, verbs
from kgscripts.text.syntax import (
    OPEN_COMPLEMENT,
    PrepositionalPhrase,
    conjuncts,
    is_imperative,
    lemma,
    markers_of,
    prepositional_phrases,
)
from schemas.records import ToolRole

if TYPE_CHECKING:
    from spacy.tokens import Token

_BY_MEANS = frozenset({"help", "aid", "assistance", "mean", "means", "use"})
_CARRIED = frozenset({"implement", "device", "appliance", "filter"})
_TAKING = frozenset({"take", "grab"})
_NOT_CARRIED = frozenset({"pull", "find", "locate", "gather", "bring"})
"""Verbs of grasping after which the next event is seldom done with the thing."""
_WITHOUT_OBJECT = verbs("heating") | verbs("cutting") | verbs("combining") | verbs("washing") | verbs("without_object")
"""Verbs that need no object to be done in or on a tool: "it cooked in the oven"."""
_INTO = frozenset({"into", "onto"})
_INSIDE_OR_ON = frozenset({"in", "on", "inside", "inside of", "upon", "over", "on top of", "under"})


def tools_of(frame: Frame) -> list[Token]:
    """Heads of the nouns that are tools of the event, in text order, each lemma once."""
    acted_upon = {noun_lemma(noun) for noun in (*frame.objects, *frame.nouns())}
    found: dict[str, Token] = {}
    for noun in (*_used(frame), *_named(frame)):
        name = noun_lemma(noun)
        if is_noun(noun) and name not in acted_upon:
            found.setdefault(name, noun)
    return sorted(found.values(), key=lambda noun: noun.i)


def role_in(frame: Frame, tool: Token) -> ToolRole:
    """The role of one of the tools of an event."""
    phrases = (*_phrases(frame), *_attached(frame))
    prepositions = (phrase.preposition for phrase in phrases if tool in (phrase.head, content_head(phrase.head)))
    return role_of(noun_lemma(tool), next(prepositions, "with"))


def _is_carried(noun: Token) -> bool:
    return not classes_of(noun_lemma(noun)).isdisjoint(_CARRIED)


def _used(frame: Frame) -> Iterator[Token]:
    """What another clause says is used: "use a knife to cut", "take a knife and cut"."""
    return (noun for noun in map(content_head, frame.instruments) if is_noun(noun) and _may_be_used(noun, frame))


def _may_be_used(noun: Token, frame: Frame) -> bool:
    """Whether a noun is listed as a tool, or used as one: a single thing ("a spiralizer"), of which nothing is made."""
    if is_tool(noun_lemma(noun)) or is_a(noun_lemma(noun), "vehicle"):
        return True
    if not may_be_tool(noun_lemma(noun)) or lemma(frame.verb) in verbs("making"):
        return False
    words = {child.lower_ for child in noun.lefts if child.dep_ in {"det", "nmod:poss", "poss", "nummod"}}
    return bool(words - {"the", "some", "any", "no"}) or noun.lower_.endswith(("er", "or", "ers", "ors"))


def _named(frame: Frame) -> Iterator[Token]:
    """What the prepositional phrases of the event name."""
    for phrase in _phrases(frame):
        noun = phrase.head
        if phrase.preposition in {"with", "by", "through"} and lemma(noun) in _BY_MEANS:
            yield from (inner.head for inner in prepositional_phrases(noun) if _may_be_used(inner.head, frame))
            continue
        if _is_no_use(frame, phrase):
            continue
        measured = content_head(noun)
        if _fits(frame, phrase.preposition, measured):
            yield measured
        elif phrase.preposition != "with" and _fits(frame, phrase.preposition, noun):
            yield noun
    yield from (phrase.head for phrase in _attached(frame) if is_tool(noun_lemma(phrase.head)))


def _phrases(frame: Frame) -> Iterator[PrepositionalPhrase]:
    """The phrases of the event, and of its resulting state: "keep the milk warm in a thermos"."""
    yield from frame.phrases
    for state in frame.verb.rights:
        if state.dep_ in OPEN_COMPLEMENT and state.pos_ == "ADJ":
            yield from prepositional_phrases(state)


def _attached(frame: Frame) -> Iterator[PrepositionalPhrase]:
    """Phrases with a tool that the parser attached to another noun of the event: "cut [the carrots with a knife]"."""
    for acted in frame.objects:
        for phrase in prepositional_phrases(acted):
            if phrase.preposition == "with" and _is_carried(phrase.head):
                yield phrase
    if lemma(frame.verb) in verbs("having") | verbs("placing") | verbs("stowing") | verbs("operating"):
        return
    for outer in frame.phrases:
        if is_a(noun_lemma(outer.head), "person", "animal"):
            continue
        for phrase in prepositional_phrases(outer.head):
            name = noun_lemma(phrase.head)
            carried = outer.preposition == "to" and bool(frame.objects) and is_a(name, "vessel")
            if (phrase.preposition == "in" and carried) or (phrase.preposition == "with" and is_a(name, "implement")):
                yield phrase


def _is_no_use(frame: Frame, phrase: PrepositionalPhrase) -> bool:
    """Whether the phrase says where something is or goes, or what one has: "put the cake in the oven"."""
    verb = lemma(frame.verb)
    if phrase.preposition in _INTO or verb in verbs("having"):
        return True
    if phrase.preposition in _INSIDE_OR_ON:
        if verb in verbs("transporting") and is_a(noun_lemma(phrase.head), "carrier"):
            return False
        if verb in verbs("placing") | verbs("stowing") | verbs("operating"):
            return True
        return not (frame.objects or verb in _WITHOUT_OBJECT)
    return phrase.preposition == "with" and not frame.objects and verb in verbs("going")  # "came home with a knife"


def _fits(frame: Frame, preposition: str, noun: Token) -> bool:
    """Whether a noun after the preposition is a tool of the event; furniture is, if the event works on something."""
    name = noun_lemma(noun)
    if preposition == "by means of":
        return _may_be_used(noun, frame)
    if lemma(frame.verb) == "fill" and role_of(name, preposition) is ToolRole.CONTAINER:
        return False  # "filled with dishes"
    if is_tool_after(preposition, name) or _is_unlisted_tool(preposition, noun):
        return True
    if preposition in {"in", "on"} and frame.objects and is_tool(name) and not is_a(name, "vessel"):
        return True
    place = {"on": "work_surface", "in": "basin"}.get(preposition)
    no_work = verbs("dwelling") | verbs("moving") | verbs("stative") | verbs("intransitive")
    return place is not None and is_a(name, place) and bool(frame.objects) and lemma(frame.verb) not in no_work


def _is_unlisted_tool(preposition: str, noun: Token) -> bool:
    """Whether an unlisted noun has the ending of a tool and an article: "with a spiralizer"."""
    single = noun.tag_ == "NN" and any(child.lower_ in {"a", "an"} for child in noun.lefts)
    ends = noun.lower_.endswith(("er", "or"))
    return preposition == "with" and ends and single and not classes_of(noun_lemma(noun))


def carry_tools(frames: list[Frame]) -> None:
    """Pass the object of "take a knife" on to the next event in the same coordination.

    The object of "use a knife" is a tool of the event itself, and so is that of "take a knife", where an instruction
    says no more: not that of "take a knife from the drawer" or "take back the knife". What something is tested with
    is said in the clause of the test: "test whether the cake is done with a toothpick".
    """
    for taking, using in itertools.zip_longest(frames, frames[1:]):
        word = lemma(taking.verb)
        tools = [noun for noun in taking.nouns() if is_tool(noun_lemma(noun))]
        if word == "use":
            taking.handled = tools
        if word in verbs("testing"):
            taking.instruments.extend(_tested_with(taking.verb))
        if word not in verbs("grasping") - _NOT_CARRIED or taking.reason is not None or taking.stands_for:
            continue
        carried = [noun for noun in tools if _is_carried(noun)]
        if using is not None and _follows(using.verb, taking.verb):
            if _works_on_something(using, taking):
                using.instruments.extend(tools if lemma(using.verb) in verbs("filling") else carried)
        elif word in _TAKING and is_imperative(taking.verb) and not taking.phrases and taking.particle is None:
            taking.handled = [noun for noun in carried if is_a(noun_lemma(noun), "implement")]


def _tested_with(verb: Token) -> Iterator[Token]:
    for clause in verb.rights:
        if clause.dep_ in {"ccomp", "advcl"} and any(mark.lower_ in {"whether", "if"} for mark in markers_of(clause)):
            phrases = prepositional_phrases(clause)
            yield from (phrase.head for phrase in phrases if phrase.preposition == "with" and _is_carried(phrase.head))


def _follows(using: Token, taking: Token) -> bool:
    if using.dep_ == "parataxis" and using.head.i == taking.i:
        return any(child.lower_ == "then" for child in using.lefts)
    return using.dep_ in {"conj", "advcl", "xcomp", "acl"} and (
        using.head.i == taking.i
        or (using.head.head.i == taking.i and using.dep_ == "acl")
        or using in conjuncts(taking)
    )


def _works_on_something(using: Frame, taking: Frame) -> bool:
    """Whether the next event acts on or along another thing, and is not mere motion."""
    word = lemma(using.verb)
    if word in verbs("moving") - verbs("filling"):
        return False
    if not using.objects:
        return word not in verbs("intransitive") | verbs("vague")
    return bool(using.nouns()) and not set(using.nouns()) & set(taking.nouns())
