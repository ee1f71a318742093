"""The parts that state changes are composed of, as they occur in training.

A value such as "in blender" is the phrase "in @" with the filler *blender*, so that a noun of the step can be the
filler. Entities and fillers may be nouns of the text too; attributes and phrases may not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from attrs import frozen

from kgscripts.text.lexicon import word_list
from schemas.changes import Change

SLOT = "@"
"""Where the filler stands in a phrase: at its end, as the last word."""

_ARTICLES = re.compile(r"\b(?:the|an|a)\b ?")
_RARE = 5
_PREPOSITIONS = word_list("prepositions")
"""Words that a filler can follow."""


class Value(NamedTuple):
    """A value as a phrase and its filler; None if the phrase has no slot."""

    phrase: str
    filler: str | None


def plain(text: str) -> str:
    """The text in lower case without articles and punctuation around it; "" if nothing is left."""
    return " ".join(_ARTICLES.sub("", text.lower()).split()).strip(" ,.")


def joined(value: Value) -> str:
    """The value as text."""
    return value.phrase if value.filler is None else value.phrase.removesuffix(SLOT) + value.filler


@frozen
class ChangeVocabulary:
    """Entities, attributes, phrases of values, and fillers, each most frequent first."""

    entities: tuple[str, ...]
    attributes: tuple[str, ...]
    phrases: tuple[str, ...]
    fillers: tuple[str, ...]

    @classmethod
    def of(cls, steps: Iterable[tuple[Sequence[Change], Collection[str]]]) -> ChangeVocabulary:
        """The texts that occur at least twice in plain changes (see `plain`); each step comes with the nouns of its
        text."""
        steps = list(steps)
        entities = Counter(change.entity for changes, _ in steps for change in changes)
        attributes = Counter(change.attribute for changes, _ in steps for change in changes)
        values = Counter(value for changes, _ in steps for change in changes for value in (change.before, change.after))
        known = {entity for entity, count in entities.items() if count > 1}
        parts = [
            split_value(value, nouns, known, values)
            for changes, nouns in steps
            for change in changes
            for value in (change.before, change.after)
        ]
        phrases = Counter(part.phrase for part in parts)
        fillers = Counter(part.filler for part in parts if part.filler is not None) + entities
        return cls(*map(_repeated, (entities, attributes, phrases, fillers)))

    @cached_property
    def places(self) -> tuple[Mapping[str, int], ...]:
        """The place of each entity, attribute, phrase and filler."""
        lists = (self.entities, self.attributes, self.phrases, self.fillers)
        return tuple({text: place for place, text in enumerate(texts)} for texts in lists)

    @cached_property
    def has_slot(self) -> tuple[bool, ...]:
        """Of each phrase, whether it takes a filler."""
        return tuple(phrase.split()[-1:] == [SLOT] for phrase in self.phrases)


def split_value(value: str, nouns: Collection[str], known: Collection[str], frequency: Mapping[str, int]) -> Value:
    """A plain value as phrase and filler: the longest noun of the text, or known entity, behind a preposition.

    A rare value that is such a noun is only a filler.
    """
    words = value.split()
    for place in range(1, len(words)):
        rest = " ".join(words[place:])
        if words[place - 1] in _PREPOSITIONS and (rest in nouns or rest in known):
            return Value(f"{' '.join(words[:place])} {SLOT}", rest)
    if value in nouns and frequency[value] < _RARE:
        return Value(SLOT, value)
    return Value(value, None)


def _repeated(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(
        sorted((text for text, count in counts.items() if count > 1 and text), key=lambda text: (-counts[text], text))
    )
