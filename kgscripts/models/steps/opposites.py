"""Actions that are opposites: one undoes the other, or they are done to things that a text contrasts.

Vectors of words are near each other for opposites ("lock the door", "unlock the door"), so that they are told apart by
words. ``data/opposites.txt`` has verbs; contrasted adjectives are those of the lexicon.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kgscripts.text.lexicon import CONTRASTS

_UNDOING = ("un", "dis", "de")
_PARTICLES = {"in": "out", "on": "off", "up": "down", "into": "out of", "onto": "off"}
_REVERSED = _PARTICLES | {other: one for one, other in _PARTICLES.items()}

_Phrase = tuple[str, str]
"""A verb and its particle."""


@cache
def _written() -> Mapping[_Phrase, frozenset[_Phrase]]:
    """The opposites of each verb with its particle that the file has."""
    text = (resources.files(__package__) / "data" / "opposites.txt").read_text(encoding="utf-8")
    opposites_of: dict[_Phrase, set[_Phrase]] = defaultdict(set)
    for line in text.splitlines():
        if line and not line.startswith("#"):
            ones, others = ([_phrase(words.strip()) for words in side.split(",")] for side in line.split(" / "))
            for one in ones:
                opposites_of[one].update(others)
            for other in others:
                opposites_of[other].update(ones)
    return {phrase: frozenset(opposites) for phrase, opposites in opposites_of.items()}


def _phrase(words: str) -> _Phrase:
    verb, _, particle = words.partition(" ")
    return verb, particle


def opposed(rows: Sequence[Sequence[str]], columns: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
    """Whether each action (predicate, particle, object, ...) of a row is the opposite of that of a column."""
    sides = rows, columns
    phrases = [[(action[0], action[1]) for action in side] for side in sides]
    things = [[_adjectives(action[2]) for action in side] for side in sides]
    return _looked_up(phrases, _are_opposed) | _looked_up(things, _are_contrasted)


_Key = TypeVar("_Key", bound=Hashable)


def _looked_up(sides: Sequence[Sequence[_Key]], judge: Callable[[_Key, _Key], bool]) -> NDArray[np.bool_]:
    """What `judge` says of each pair of a row and a column, asked once for each pair of different ones."""
    (ones, one), (others, other) = (_numbered(side) for side in sides)
    table = np.array([[judge(first, second) for second in others] for first in ones], dtype=bool)
    return table.reshape(len(ones), len(others))[one[:, None], other]


def _numbered(side: Sequence[_Key]) -> tuple[list[_Key], NDArray[np.int64]]:
    numbers: dict[_Key, int] = {}
    number_of_each = [numbers.setdefault(key, len(numbers)) for key in side]
    return list(numbers), np.array(number_of_each, dtype=np.int64)


def _are_opposed(one: _Phrase, other: _Phrase) -> bool:
    (verb, particle), (other_verb, other_particle) = one, other
    if verb == other_verb:
        return bool(particle) and _REVERSED.get(particle) == other_particle
    if other in _written().get(one, ()):
        return True
    return any(f"{prefix}{verb}" == other_verb or f"{prefix}{other_verb}" == verb for prefix in _UNDOING)


def _are_contrasted(one: frozenset[str], other: frozenset[str]) -> bool:
    return any(one & family and other & family and not one & other & family for family in CONTRASTS)


def _adjectives(thing: str) -> frozenset[str]:
    return frozenset(word for word in thing.split() if any(word in family for family in CONTRASTS))
