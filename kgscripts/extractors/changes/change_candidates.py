"""Candidates of state changes of a step: what the model considers, and what the verbs of its events say.

A candidate is an attribute of an entity with its values. Of the values that the model gives, the most probable one is
taken, unless the table of verbs says which one it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from attrs import define, evolve, field, frozen

from kgscripts.changes.verbs import VerbChange
from kgscripts.extractors.changes.change_words import head, normalised
from kgscripts.extractors.changes.verb_changes import ChangeByVerb, changes_by_verb
from kgscripts.text.porter import stem
from schemas.changes import Change, PredictedChange
from schemas.records import EventMention


@frozen
class Candidate:
    """A change of a step, and what speaks for it.

    `of_pair` and `of_entity` are the probabilities, by the model, that this attribute of the entity changes, and that
    any attribute of it does; `of_value` is the share of this value afterwards in the former. `line` is the line of the
    table of verbs that it follows from, and `mention` the event with this verb; both None if no verb says so.
    """

    change: Change
    of_pair: float
    of_entity: float
    of_value: float
    line: VerbChange | None = None
    mention: EventMention | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The entity, by the stem of its head, and the attribute."""
        return key_of(self.change)


def key_of(change: Change) -> tuple[str, str]:
    """The entity of a change, by the stem of its head, and the attribute."""
    return stem(head(change.entity)), change.attribute


def candidates_of(
    predictions: Iterable[PredictedChange],
    mentions: Sequence[EventMention],
    text: str,
    start: int,
    places: dict[str, tuple[str, str]],
) -> list[Candidate]:
    """The candidates of a step: first those of the verbs, in text order, then those of the model, most probable first.

    `predictions` are what the model considers. `text` is that of the step, which begins at character `start` of the
    document. `places` are those of the things that earlier steps have moved; what this step moves is added.
    """
    considered = _Considered()
    for item in predictions:
        considered.add(item)
    found: dict[tuple[str, str], Candidate] = {}
    for mention in mentions:
        for by_verb in changes_by_verb(mention, text, start, places):
            _move(by_verb, places)
            change = normalised(by_verb.change)
            if change is not None and key_of(change) not in found:
                found[key_of(change)] = considered.supported(change, by_verb.line, mention)
    for key in considered.pairs:
        if key not in found:
            found[key] = considered.best(key)
    return list(found.values())


def _move(moved: ChangeByVerb, places: dict[str, tuple[str, str]]) -> None:
    """Add the place to which an event brings a thing, or forget the one from which it takes it."""
    preposition, _, place = moved.change.after.partition(" ")
    if moved.line.after == "{where}" and preposition in ("in", "on"):
        places[moved.change.entity] = (preposition, place)
    elif moved.line.after == "{away}":
        places.pop(moved.change.entity, None)


@define
class _Pair:
    absent: float = 1.0
    values: dict[str, float] = field(factory=dict)
    changes: dict[str, Change] = field(factory=dict)
    """The most probable change with each value afterwards."""


@define
class _Considered:
    """What the model considers for a step, by entity and attribute."""

    pairs: dict[tuple[str, str], _Pair] = field(factory=dict)
    _absent: dict[str, float] = field(factory=dict)
    """The probability that nothing of an entity changes."""

    def add(self, item: PredictedChange) -> None:
        change = normalised(item.change)
        if change is None:
            return
        probability = min(1.0, math.exp(item.log_probability))
        entity, _ = key = key_of(change)
        pair = self.pairs.setdefault(key, _Pair())
        pair.absent *= 1 - probability
        pair.values[change.after] = pair.values.get(change.after, 0.0) + probability
        pair.changes.setdefault(change.after, change)
        self._absent[entity] = self._absent.get(entity, 1.0) * (1 - probability)

    def best(self, key: tuple[str, str]) -> Candidate:
        pair = self.pairs[key]
        after = max(pair.values, key=lambda value: pair.values[value])
        return self._candidate(pair.changes[after], pair, pair.values[after])

    def supported(self, change: Change, line: VerbChange, mention: EventMention) -> Candidate:
        pair = self.pairs.get(key_of(change), _Pair())
        if not change.before and change.after in pair.changes:
            change = evolve(change, before=pair.changes[change.after].before)
        found = self._candidate(change, pair, pair.values.get(change.after, 0.0))
        return evolve(found, line=line, mention=mention)

    def _candidate(self, change: Change, pair: _Pair, of_value: float) -> Candidate:
        total = sum(pair.values.values())
        entity, _ = key_of(change)
        return Candidate(
            change,
            of_pair=1 - pair.absent,
            of_entity=1 - self._absent.get(entity, 1.0),
            of_value=of_value / total if total else 0.0,
        )
