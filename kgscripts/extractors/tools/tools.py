"""The tools of an event, by pattern and parse: "use X to …", "using X", "with X", "in/on/through X".

A tool is a durable thing that is used and not used up: an instrument, an appliance, a container, a support. The classes
of nouns (`kgscripts.text.lexicon`) decide which things are. Ingredients and supplies, people, body parts, clothing and
rooms never are; furniture is one only if people work on it. What something is put into or taken from is a tool
(`kgscripts.extractors.tools.tool_places`), and so is the object of an event that makes a thing ready or operates it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.tools.tool_phrases import SEEING, attached, phrases_of, whole_of
from kgscripts.extractors.tools.tool_places import SURFACES, operated, places_of
from kgscripts.text.lexicon import classes_of, foods, is_a, is_tool, is_tool_after, may_be_tool, nouns, role_of, verbs
from kgscripts.text.syntax import (
    PrepositionalPhrase,
    lemma,
    prepositional_phrases,
)
from schemas.records import ToolRole

if TYPE_CHECKING:
    from spacy.tokens import Token

_BY_MEANS = frozenset({"help", "aid", "assistance", "mean", "means", "use"})
_PROTECTING = frozenset({"protect", "cover", "shield", "guard"})
_COLLECTING = frozenset({"carry", "collect", "gather", "transport", "catch", "haul", "bring"})
_POSTURES = frozenset({"stand", "kneel", "sit", "lie", "crouch", "perch", "lean"})
_LOOKING = frozenset({"check", "read", "watch", "see", "find", "look", "select", "order", "buy", "book"})
_SINGLE = frozenset({"a", "an", "one", "another"})
_WITHOUT_OBJECT = verbs("heating") | verbs("cutting") | verbs("combining") | verbs("washing") | verbs("without_object")
"""Verbs that need no object to be done in or on a tool: "it cooked in the oven"."""
_INTO = frozenset({"into", "onto"})
_INSIDE_OR_ON = frozenset({"in", "on", "inside", "inside of", "upon", "over", "on top of", "under"})


def tools_of(frame: Frame) -> list[Token]:
    """Heads of the nouns that are tools of the event, in text order, each lemma once."""
    acted_upon = {noun_lemma(noun) for noun in (*frame.objects, *frame.nouns())}
    found: dict[str, Token] = {}
    for noun in (*_used(frame), *_named(frame), *places_of(frame)):
        name = noun_lemma(noun)
        if is_noun(noun) and name not in acted_upon:
            found.setdefault(name, noun)
    for noun in operated(frame):
        found.setdefault(noun_lemma(noun), noun)
    return sorted(found.values(), key=lambda noun: noun.i)


def role_in(frame: Frame, tool: Token) -> ToolRole:
    """The role of one of the tools of an event."""
    if any(child.lower_ == "electric" for child in tool.lefts):
        return ToolRole.APPLIANCE
    if noun_lemma(tool) in SURFACES:
        return ToolRole.SUPPORT
    phrases = (*phrases_of(frame), *attached(frame))
    preposition = next((item.preposition for item in phrases if tool in (item.head, content_head(item.head))), "")
    role = role_of(noun_lemma(tool), preposition or "with")
    return ToolRole.INSTRUMENT if role is ToolRole.SUPPORT and preposition == "with" else role


def _used(frame: Frame) -> Iterator[Token]:
    """Tools that another clause names: "use a knife to cut", "take a knife and cut"."""
    return (noun for noun in map(content_head, frame.instruments) if is_noun(noun) and _may_be_used(noun, frame))


def _may_be_used(noun: Token, frame: Frame) -> bool:
    """Whether a noun is listed as a tool, or used as one: a single thing ("a spiralizer") that is no material."""
    name = noun_lemma(noun)
    if is_tool(name) or is_a(name, "vehicle"):
        return True
    words = {child.lower_ for child in noun.lefts if child.dep_ in {"det", "nmod:poss", "poss", "nummod"}}
    if _is_agent(noun) and (words or lemma(frame.verb) not in verbs("making")):
        return True
    if lemma(frame.verb) in verbs("making") or not (may_be_tool(name) or is_a(name, "piece")):
        return False
    plural = is_a(name, "piece") and noun.tag_ == "NNS"
    return plural or bool(words - {"the", "some", "any", "no"})


def _is_agent(noun: Token) -> bool:
    """Whether an unlisted noun ends as tools and persons do, and is no person: "feeder", "impact driver"."""
    name = noun_lemma(noun)
    known = classes_of(name)
    is_person = not known <= {"person"} or name in nouns("person") or (bool(known) and " " not in name)
    return noun.lower_.endswith(("er", "or", "ers", "ors")) and not is_person


def _named(frame: Frame) -> Iterator[Token]:
    """The tools that the prepositional phrases of the event name."""
    for phrase in phrases_of(frame):
        noun = phrase.head
        if phrase.preposition in {"with", "by", "through"} and lemma(noun) in _BY_MEANS:
            yield from (inner.head for inner in prepositional_phrases(noun) if _may_be_used(inner.head, frame))
            continue
        if _is_no_use(frame, phrase):
            continue
        measured = whole_of(noun) if phrase.preposition == "with" else content_head(noun)
        if _fits(frame, phrase.preposition, measured):
            yield measured
        elif phrase.preposition != "with" and _fits(frame, phrase.preposition, noun):
            yield noun
    yield from (phrase.head for phrase in attached(frame) if is_tool(noun_lemma(phrase.head)))


def _is_no_use(frame: Frame, phrase: PrepositionalPhrase) -> bool:
    """Whether the phrase says where something is or goes, or what one has: "put the cake in the oven"."""
    verb, name = lemma(frame.verb), noun_lemma(phrase.head)
    if verb in {"test", "try"} and phrase.preposition == "on":
        return True  # "test the ground on the pump"
    if verb in _LOOKING and (phrase.preposition, True) in {("on", is_a(name, "device")), ("in", name == "mirror")}:
        return False  # "checked the time on the phone"
    if phrase.preposition in _INTO or (verb in verbs("having") and not _has_meal(frame)):
        return True
    if phrase.preposition in _INSIDE_OR_ON:
        if (verb in verbs("transporting") and is_a(name, "carrier")) or _is_worked_in(frame, phrase):
            return False
        if verb in verbs("placing") | verbs("stowing") | verbs("operating") or _keeps_place(frame):
            return True
        rides = verb in verbs("touring") and is_a(name, "vehicle", "carrier")
        talks = phrase.preposition == "on" and is_a(name, "device") and verb not in verbs("moving")
        return not (frame.objects or verb in _WITHOUT_OBJECT or talks or rides or _is_posture(frame.verb))
    if phrase.preposition != "with":
        return False
    if not frame.objects:
        return verb in verbs("going")  # "came home with a knife"
    return verb in SEEING and any(is_a(noun_lemma(noun), "person", "animal") for noun in frame.nouns())


def _has_meal(frame: Frame) -> bool:
    """ "Had lunch", an event, as opposed to "had a pan"."""
    return lemma(frame.verb) == "have" and any(noun_lemma(noun) in verbs("light_have") for noun in frame.nouns())


def _keeps_place(frame: Frame) -> bool:
    """ "Keep the potatoes in a pot", but not "keep the soup warm in a pot"."""
    behind = (token for acted in frame.objects for token in acted.rights)
    return lemma(frame.verb) == "keep" and not any(token.pos_ == "ADJ" for token in (*frame.verb.rights, *behind))


def _is_worked_in(frame: Frame, phrase: PrepositionalPhrase) -> bool:
    """Whether a verb of placing means work here: "toss the salad in a bowl", "turn the leg on a lathe"."""
    verb, name = lemma(frame.verb), noun_lemma(phrase.head)
    if verb in verbs("shaping") and is_a(name, "machine_tool"):
        return True
    on_food = any(is_a(noun_lemma(noun), "consumable") or noun_lemma(noun) in foods("food") for noun in frame.nouns())
    return verb in verbs("mixing") and on_food and phrase.preposition == "in" and is_a(name, "vessel")


def _is_posture(verb: Token) -> bool:
    """Whether the verb is a posture in which something else is done: "changed the bulb standing on a ladder"."""
    return lemma(verb) in _POSTURES and verb.tag_ == "VBG" and verb.dep_ in {"advcl", "acl", "xcomp", "conj"}


def _fits(frame: Frame, preposition: str, noun: Token) -> bool:
    """Whether a noun after the preposition is a tool of the event; furniture is one if the event works on something."""
    name, verb = noun_lemma(noun), lemma(frame.verb)
    if preposition == "by means of":
        return _may_be_used(noun, frame)
    if verb == "fill" and role_of(name, preposition) is ToolRole.CONTAINER:
        return False  # "filled with dishes"
    if name == "case" and not _is_single(noun):
        return False  # "in this case"
    if name == "mirror" and preposition == "in":
        return verb in _LOOKING
    if is_tool_after(preposition, name) or _is_unlisted_tool(frame, preposition, noun):
        return True
    if preposition in {"in", "on"} and (frame.objects or verb in verbs("without_object")):
        if is_tool(name) and (_is_single(noun) or (preposition == "on" and not is_a(name, "vessel"))):
            return True
        if preposition == "in" and verb in _COLLECTING and is_a(name, "clothing"):
            return True
    if is_a(name, "vehicle"):
        return (
            verb in verbs("touring") if preposition in {"in", "on"} else preposition == "with" and bool(frame.objects)
        )
    place = {"on": "work_surface", "in": "basin"}.get(preposition)
    no_work = verbs("dwelling") | verbs("moving") | verbs("stative") | verbs("intransitive")
    if place is None or not is_a(name, place):
        return False
    return (bool(frame.objects) and verb not in no_work) or _is_posture(frame.verb)


def _is_unlisted_tool(frame: Frame, preposition: str, noun: Token) -> bool:
    """Whether a noun that is not listed as a tool is one here: "with a spiralizer", "with a coin"."""
    verb = lemma(frame.verb)
    if not _is_single(noun) or verb in verbs("making"):
        return False
    if preposition == "with":
        if is_a(noun_lemma(noun), "clothing"):
            return verb in _PROTECTING
        piece = is_a(noun_lemma(noun), "piece") and verb not in verbs("combining") | verbs("placing")
        return piece or _is_agent(noun)
    work = verbs("heating") | verbs("cutting") | verbs("washing")
    return preposition in {"in", "on"} and bool(frame.objects) and verb in work and _is_agent(noun)


def _is_single(noun: Token) -> bool:
    return noun.tag_ in {"NN", "NNP"} and any(child.lower_ in _SINGLE for child in noun.lefts)
