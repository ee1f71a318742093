"""What the words of an event say about the place of its work, for `kgscripts.extractors.tools.inferred_tools`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.tools.inferred_verbs import ADDING, BLENDERS, HOT_PLACES, MIXING, POURING
from kgscripts.extractors.tools.tool_phrases import attached, phrases_of, whole_of
from kgscripts.text.amounts import PARTITIVES
from kgscripts.text.lexicon import is_a
from kgscripts.text.syntax import is_verb, lemma, markers_of, prepositional_phrases

if TYPE_CHECKING:
    from spacy.tokens import Token

INTO = frozenset({"", "in", "into", "inside", "on", "onto", "to"})
OUT_OF = frozenset({"from", "out of", "off", "off of"})
NO_CONTENT = frozenset(
    {"heat", "temperature", "flame", "burner", "hob", "stove", "lid", "cover", "foil", "timer", "oven", "hand", "spoon"}
)
"""What is never in a vessel, though one turns it down, puts it on or sets it meanwhile."""
_FURTHER = frozenset({"more", "remaining", "rest", "another", "other", "extra", "half", "second", "additional"})
_NEW = frozenset({"a", "an", "another", "second", "separate", "clean", "different"})
_APART = frozenset({"meanwhile", "meantime", "separately"})


def preposition_before(frame: Frame, tool: Token) -> str:
    """The preposition before the place; "" if it is made ready or taken to hand: "heat a pan", "grab a bowl"."""
    for phrase in (*phrases_of(frame), *attached(frame)):
        inner = {item.head for item in prepositional_phrases(phrase.head)}
        if tool in {phrase.head, content_head(phrase.head), whole_of(phrase.head)}:
            return phrase.preposition
        if tool in inner:
            return next(item.preposition for item in prepositional_phrases(phrase.head) if item.head == tool)
    if tool in {*frame.objects, *map(whole_of, frame.objects)}:
        return ""
    return "" if tool in frame.instruments and is_a(noun_lemma(tool), "vessel") else "with"


def heads_in(frame: Frame) -> Iterator[str]:
    """The heads of the nouns that an event puts into a place."""
    for noun in (*frame.nouns(), *(content_head(item.head) for item in frame.phrases if is_noun(item.head))):
        yield head(noun_lemma(noun))
        for inner in prepositional_phrases(noun):
            if inner.preposition in {"of", "with"} and is_noun(inner.head):
                yield head(noun_lemma(inner.head))


def objects_of_event(frame: Frame) -> list[str]:
    """The heads of the nouns on which an event works; a pronoun that is not resolved has its most probable noun."""
    nouns = frame.nouns() or list(frame.guess if frame.objects else ())
    return [head(noun_lemma(noun)) for noun in nouns if not is_a(noun_lemma(noun), "time")]


def head(name: str) -> str:
    """The last word of a compound."""
    return name.rsplit(" ", 1)[-1]


def is_adding(frame: Frame) -> bool:
    """Whether the event puts a thing to what is there: "add the salt", "stir in the flour", "pour the milk over the
    rice"."""
    verb = lemma(frame.verb)
    if verb in ADDING:
        return True
    inside = frame.particle is not None and frame.particle.lower_ == "in"
    return (inside and bool(frame.objects)) or (
        verb in MIXING | POURING | {"stir", "toss"}
        and bool(frame.objects)
        and any(item.preposition in {"into", "to", "over", "onto"} for item in frame.phrases)
    )


def is_made_into(frame: Frame) -> bool:
    """Whether the thing is brought into a shape or to another place: "fold into a cone"."""
    return any(item.preposition in {"into", "onto"} and is_noun(item.head) for item in frame.phrases)


def is_further(noun: Token) -> bool:
    """Whether it is more of the same: "the remaining oil"."""
    return lemma(noun) in _FURTHER or any(child.lower_ in _FURTHER for child in noun.lefts)


def is_from_heat(frame: Frame) -> bool:
    """ "Remove from the heat", after which all is still in its pan."""
    return any(lemma(item.head) in {"heat", "flame", "stove", "hob", "burner"} for item in frame.phrases)


def is_no_place(noun: Token) -> bool:
    """A measure, "1/2 cup cherry filling", a lid, or a Dutch oven, which is no oven."""
    if lemma(noun) in NO_CONTENT - {"oven", "stove"} or any(child.lower_ == "dutch" for child in noun.lefts):
        return True
    return lemma(noun) in PARTITIVES and any(any(map(str.isdigit, child.text)) for child in noun.lefts)


def may_hold(noun: Token, preposition: str) -> bool:
    """Whether things are worked on in it or on it; what is only switched on ("turn on the radio") is no place."""
    name = noun_lemma(noun)
    if preposition == "" and not is_a(name, "vessel", "surface"):
        return head(name) in HOT_PLACES | BLENDERS
    return preposition in INTO | OUT_OF


def is_new(noun: Token) -> bool:
    """Whether it is another thing of the same name: "a bowl", "another bowl"."""
    return any(child.lower_ in _NEW for child in noun.lefts)


def begins_elsewhere(frame: Frame) -> bool:
    """Whether other work begins: "meanwhile", "while the rice cooks", "for the sauce"."""
    for child in frame.verb.lefts:
        if child.lower_ in _APART:
            return True
        if is_verb(child) and any(mark.lower_ == "while" for mark in markers_of(child)):
            return True
        if is_noun(child) and any(mark.lower_ == "for" for mark in child.lefts) and not is_a(noun_lemma(child), "time"):
            return True
    return False
