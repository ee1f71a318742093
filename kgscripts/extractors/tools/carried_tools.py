"""Tools that are taken before they are used: "take a knife and cut", "grab a bowl, then mix"."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import noun_lemma
from kgscripts.extractors.events.predicates import Frame
from kgscripts.text.lexicon import classes_of, is_a, is_tool, verbs
from kgscripts.text.syntax import conjuncts, is_imperative, lemma, markers_of, prepositional_phrases

if TYPE_CHECKING:
    from spacy.tokens import Token

_IN_HAND = frozenset({"implement", "device", "appliance", "filter"})
_TAKING = frozenset({"take", "grab"})
_NOT_CARRIED = frozenset({"pull", "find", "locate", "gather", "bring"})
"""Verbs of grasping after which the next event is seldom done with the grasped thing."""
_REMOVED = frozenset({"off", "down", "back", "away", "apart"})
"""Particles with which a thing is taken away: "took the sheets off"."""
_CLOSING = frozenset({"lock", "unlock", "close", "shut", "open"})
_KEYS = frozenset({"key", "keycard", "card", "badge", "pass", "fob", "remote", "opener", "crowbar", "lever", "pole"})
"""Things in the hand with which doors are opened."""


def is_in_hand(noun: Token) -> bool:
    """Whether a noun is an implement, a device, an appliance or a filter."""
    return not classes_of(noun_lemma(noun)).isdisjoint(_IN_HAND)


def carry_tools(frames: list[Frame]) -> None:
    """Pass the object of "take a knife" on to the next event in the same coordination.

    The object of "use a knife" is a tool of the event itself, and so is that of "take a knife", where an instruction
    has nothing else; "take a knife from the drawer" and "take back the knife" have more. A tool for testing is in the
    clause of the test: "test whether the cake is done with a toothpick".
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
        if taking.particle is not None and taking.particle.lower_ in _REMOVED:
            continue
        if using is not None and _follows(using.verb, taking.verb):
            if _works_on_something(using, taking):
                using.instruments.extend(noun for noun in taking.nouns() if _serves(noun, using))
        elif word in _TAKING and is_imperative(taking.verb) and not taking.phrases and taking.particle is None:
            taking.handled = [noun for noun in tools if is_a(noun_lemma(noun), "implement")]


def _serves(noun: Token, using: Frame) -> bool:
    """Whether the next event may be done with the thing; only some events are done with a vessel or a surface."""
    name, word = noun_lemma(noun), lemma(using.verb)
    if word in verbs("mending") and is_a(name, "piece"):
        return True
    if word in verbs("moving") - verbs("filling"):
        return word in verbs("transporting") and is_a(name, "carrier", "vehicle")
    if not is_tool(name):
        return False
    if word in _CLOSING and any(is_a(noun_lemma(acted), "place", "vehicle") for acted in using.nouns()):
        return name.rsplit(" ", 1)[-1] in _KEYS
    return is_in_hand(noun) or word in verbs("filling")


def _tested_with(verb: Token) -> Iterator[Token]:
    for clause in verb.rights:
        if clause.dep_ in {"ccomp", "advcl"} and any(mark.lower_ in {"whether", "if"} for mark in markers_of(clause)):
            phrases = prepositional_phrases(clause)
            yield from (phrase.head for phrase in phrases if phrase.preposition == "with" and is_in_hand(phrase.head))


def _follows(using: Token, taking: Token) -> bool:
    if using.dep_ == "parataxis" and using.head.i == taking.i:
        return any(child.lower_ == "then" for child in using.lefts)
    return using.dep_ in {"conj", "advcl", "xcomp", "acl"} and (
        using.head.i == taking.i
        or (using.head.head.i == taking.i and using.dep_ == "acl")
        or using in conjuncts(taking)
    )


def _works_on_something(using: Frame, taking: Frame) -> bool:
    """Whether the next event acts on or along another thing."""
    word = lemma(using.verb)
    if not using.objects:
        return word not in verbs("intransitive") | verbs("vague") | verbs("moving")
    return bool(using.nouns()) and not set(using.nouns()) & set(taking.nouns())
