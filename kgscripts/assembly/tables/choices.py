"""Choices: words for things that replace each other, such as "bus" and "car" (``data/choices.txt``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from kgscripts.text.lexicon import parse_classes

ActionKey = tuple[str, ...]
"""Predicate, particle, object, preposition and its object; "" if there is none."""

LEAST_SOURCES = 2


def split_by_choice(actions: Sequence[ActionKey], sources: Sequence[int], clusters: Sequence[int]) -> list[int]:
    """The clusters of actions, split where actions of one cluster differ in a choice.

    Actions with the most `sources` come first. Each joins the first part of its cluster from which it does not differ.
    Parts with fewer than `LEAST_SOURCES` sources in total stay with the first part.
    """
    members: dict[int, list[int]] = {}
    for place, number in enumerate(clusters):
        members.setdefault(number, []).append(place)
    found = list(clusters)
    following = max(clusters, default=0) + 1
    for places in members.values():
        parts: list[list[int]] = [[]]
        for place in sorted(places, key=lambda place: (-sources[place], actions[place])):
            if not names_a_choice(actions[place]):
                continue
            for part in parts:
                if not any(differ_in_a_choice(actions[place], actions[other]) for other in part):
                    part.append(place)
                    break
            else:
                parts.append([place])
        for part in parts[1:]:
            if sum(sources[place] for place in part) >= LEAST_SOURCES:
                for place in part:
                    found[place] = following
                following += 1
    return found


def names_a_choice(action: ActionKey) -> bool:
    """Whether some word of an action is a choice; an action without one differs from no other in a choice."""
    return any(map(_choices_of, action))


def differ_in_a_choice(one: ActionKey, other: ActionKey) -> bool:
    """Whether two actions differ in their verb, their object or the noun of their phrase, and the two words are
    choices.

    A phrase that only one of them has does not count. Different verbs need the same object or the same phrase.
    """
    verb, _, thing, *phrase = one
    other_verb, _, other_thing, *other_phrase = other
    same_phrase = phrase == other_phrase or not all((*phrase, *other_phrase))
    if verb != other_verb:
        same = thing == other_thing and (same_phrase if thing else phrase == other_phrase and all(phrase))
        return same and are_choices(verb, other_verb)
    if thing != other_thing:
        return same_phrase and are_choices(thing, other_thing)
    return phrase[0] == other_phrase[0] and are_choices(phrase[1], other_phrase[1])


def are_choices(one: str, other: str) -> bool:
    """Whether two words are of one class, and neither synonyms nor one a kind of the other ("pan", "cake pan")."""
    if f" {one}".endswith(f" {other}") or f" {other}".endswith(f" {one}"):
        return False
    choices, others = _choices_of(one), _choices_of(other)
    return any(label in others and others[label] != choice for label, choice in choices.items())


def are_the_same_choice(one: str, other: str) -> bool:
    """Whether two words are synonyms in some class."""
    return not _choices_of(one).items().isdisjoint(_choices_of(other).items())


def _choices_of(word: str) -> Mapping[str, str]:
    """The meaning of a word, or else of the last word of a compound, in each of its classes."""
    return _choices().get(word) or _choices().get(word.rpartition(" ")[2], {})


@cache
def _choices() -> Mapping[str, Mapping[str, str]]:
    """For each word, by class, the first of its synonyms."""
    name = "choices.txt"
    text = (resources.files("kgscripts.assembly") / "data" / name).read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = {}
    for label, groups in parse_classes(text, name).items():
        for group in groups:
            words = group.split("/")
            for word in words:
                found.setdefault(word, {})[label] = words[0]
    return found
