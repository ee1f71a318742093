"""The tools of an event, by pattern and parse: "use X to …", "using X", "with X", "in/on/through X", "take X and …".

The classes of nouns (`kgscripts.text.lexicon`) decide which phrases are tools. Ingredients and supplies, people,
body parts, clothing, rooms and furniture never are; the object of the event is only after "use", and after "take" in an
instruction.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.predicates import Frame
from kgscripts.text.lexicon import classes_of, is_a, is_tool, is_tool_after, may_be_tool, verbs
from kgscripts.text.syntax import conjuncts, is_imperative, lemma, prepositional_phrases

if TYPE_CHECKING:
    from spacy.tokens import Token

_BY_MEANS = frozenset({"help", "aid", "assistance", "mean", "means", "use"})
_CARRIED = frozenset({"implement", "device"})
_TAKING = frozenset({"take", "grab"})


def tools_of(frame: Frame) -> list[Token]:
    """Heads of the nouns that are tools of the event, in text order, each lemma once."""
    acted_upon = {noun_lemma(noun) for noun in (*frame.objects, *frame.nouns())}
    found: dict[str, Token] = {}
    for noun in (*map(content_head, frame.instruments), *_named(frame)):
        name = noun_lemma(noun)
        if is_noun(noun) and name not in acted_upon and (is_tool(name) or _is_used_as_tool(noun, frame)):
            found.setdefault(name, noun)
    return sorted(found.values(), key=lambda noun: noun.i)


def _is_carried(noun: Token) -> bool:
    return not classes_of(noun_lemma(noun)).isdisjoint(_CARRIED)


def _is_used_as_tool(noun: Token, frame: Frame) -> bool:
    """Whether an unlisted noun is used as a tool: a single thing ("a spiralizer"), of which nothing is made."""
    if not may_be_tool(noun_lemma(noun)) or lemma(frame.verb) in verbs("making"):
        return False
    words = {child.lower_ for child in noun.lefts if child.dep_ in {"det", "nmod:poss", "poss", "nummod"}}
    return bool(words - {"the", "some", "any", "no"}) or noun.lower_.endswith(("er", "or", "ers", "ors"))


def _named(frame: Frame) -> Iterator[Token]:
    for phrase in frame.phrases:
        noun = phrase.head
        if phrase.preposition in {"with", "by", "through"} and lemma(noun) in _BY_MEANS:
            yield from (inner.head for inner in prepositional_phrases(noun))
            continue
        measured = content_head(noun)
        if phrase.preposition == "with" and not frame.objects and lemma(frame.verb) in verbs("going"):
            continue  # "came home with a knife"
        if phrase.preposition == "by means of" or is_tool_after(phrase.preposition, noun_lemma(measured)):
            yield measured
        elif phrase.preposition != "with" and is_tool_after(phrase.preposition, noun_lemma(noun)):
            yield noun
    # "Cut the carrots with a knife" is often parsed as carrots that have a knife.
    for acted in frame.objects:
        for phrase in prepositional_phrases(acted):
            if phrase.preposition == "with" and is_tool(noun_lemma(phrase.head)) and _is_carried(phrase.head):
                yield phrase.head


def carry_tools(frames: list[Frame]) -> None:
    """Pass the object of "take a knife" on to the next event in the same coordination.

    The object of "use a knife" is a tool of the event itself, and so is that of "take a knife", where an instruction
    says no more: not that of "take a knife from the drawer" or "take back the knife".
    """
    for taking, using in itertools.zip_longest(frames, frames[1:]):
        word = lemma(taking.verb)
        tools = [noun for noun in taking.nouns() if is_tool(noun_lemma(noun))]
        if word == "use":
            taking.handled = tools
        if word not in verbs("grasping") or taking.reason is not None:
            continue
        carried = [noun for noun in tools if _is_carried(noun)]
        if using is not None and _follows(using.verb, taking.verb):
            if _works_on_something(using, taking):
                using.instruments.extend(noun for noun in carried if noun in taking.objects)
        elif word in _TAKING and is_imperative(taking.verb) and not taking.phrases and taking.particle is None:
            taking.handled = [noun for noun in carried if is_a(noun_lemma(noun), "implement")]


def _follows(using: Token, taking: Token) -> bool:
    return using.dep_ in {"conj", "advcl", "xcomp", "acl"} and (
        using.head.i == taking.i
        or (using.head.head.i == taking.i and using.dep_ == "acl")
        or using in conjuncts(taking)
    )


def _works_on_something(using: Frame, taking: Frame) -> bool:
    """Whether the next event acts on or along another thing, and is not mere motion."""
    if lemma(using.verb) in verbs("moving"):
        return False
    if not using.objects:
        return bool(using.phrases) and lemma(using.verb) not in verbs("intransitive")
    return bool(using.nouns()) and not set(using.nouns()) & set(taking.objects)
