"""The prepositional phrases that may name a tool of an event, wherever the parser attached them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import content_head, noun_lemma
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.tools.carried_tools import is_in_hand
from kgscripts.text.lexicon import is_a, is_tool, verbs
from kgscripts.text.syntax import OPEN_COMPLEMENT, PrepositionalPhrase, lemma, prepositional_phrases

if TYPE_CHECKING:
    from spacy.tokens import Token

SEEING = frozenset({"see", "watch", "look", "show", "take", "bring", "pick", "grab", "choose", "pass"})
"""Verbs with an object that "with" describes: "saw a tent with a pole"."""
_LEAVING = frozenset({"leave", "set", "remove", "allow", "let"})
_PARTS = frozenset(
    {"back", "end", "tip", "edge", "side", "handle", "blade", "point", "corner", "bottom", "top", "base", "middle"}
    | {"centre", "center", "rim", "inside", "surface", "lid", "pan", "bowl", "container"}
)


def phrases_of(frame: Frame) -> Iterator[PrepositionalPhrase]:
    """The phrases of the event, and of its resulting state: "keep the milk warm in a thermos", "leave to rise in a
    bowl"."""
    yield from frame.phrases
    leaves = lemma(frame.verb) in _LEAVING
    for state in frame.verb.rights:
        if state.dep_ in OPEN_COMPLEMENT and (state.pos_ == "ADJ" or (leaves and state.tag_ == "VB")):
            yield from prepositional_phrases(state)


def whole_of(noun: Token) -> Token:
    """The noun of a measure or a part: "spoon" of "the back of a spoon"."""
    if lemma(noun) in _PARTS:
        for phrase in prepositional_phrases(noun):
            if phrase.preposition == "of" and is_tool(noun_lemma(phrase.head)):
                return phrase.head
    return content_head(noun)


def attached(frame: Frame) -> Iterator[PrepositionalPhrase]:
    """Phrases with a tool that the parser attached to another noun of the event: "cut [the carrots with a knife]"."""
    verb = lemma(frame.verb)
    if verb in SEEING or verb in verbs("having"):
        return  # "saw a tent with a pole"
    for acted in frame.objects:
        for phrase in prepositional_phrases(acted):
            if phrase.preposition == "with" and is_in_hand(phrase.head):
                yield phrase
    if verb in verbs("placing") | verbs("stowing") | verbs("operating"):
        return
    for outer in frame.phrases:
        if is_a(noun_lemma(outer.head), "person", "animal"):
            continue
        for phrase in prepositional_phrases(outer.head):
            name = noun_lemma(phrase.head)
            carried = outer.preposition == "to" and bool(frame.objects) and is_a(name, "vessel")
            if (phrase.preposition == "in" and carried) or (phrase.preposition == "with" and is_a(name, "implement")):
                yield phrase
    yield from _attached_to_whole(frame)


def _attached_to_whole(frame: Frame) -> Iterator[PrepositionalPhrase]:
    """Phrases attached to the whole of which the object is a part: "cut the top of [the carrots with a knife]"."""
    for acted in frame.objects:
        for whole in prepositional_phrases(acted):
            if whole.preposition != "of" or is_a(noun_lemma(whole.head), "person", "animal"):
                continue
            for phrase in prepositional_phrases(whole.head):
                name = noun_lemma(phrase.head)
                definite = any(child.lower_ == "the" for child in phrase.head.lefts)
                on = phrase.preposition == "on" and not definite and is_a(name, "surface")
                on = on or (phrase.preposition in {"in", "on"} and is_a(name, "appliance"))
                if on or (phrase.preposition == "with" and is_in_hand(phrase.head)):
                    yield phrase
