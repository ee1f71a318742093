"""Which changes of a text are read: candidates that are probable enough, each with its probability and its level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import define, evolve, field, frozen

from kgscripts.changes.attributes import agree
from kgscripts.extractors.changes.change_candidates import Candidate, candidates_of
from kgscripts.extractors.changes.change_ratings import Features, RatingWeights, features_of, level_of
from kgscripts.extractors.changes.change_wording import Wording, distinct_stems, has_unknown_place
from kgscripts.extractors.changes.change_words import head
from kgscripts.extractors.changes.state_change_units import Nouns, Unit
from schemas.changes import Change, Level, PredictedChange, RatedChange
from schemas.records import EventMention

_BY_VERB = 0.5
"""How probable a change by the table of verbs is at least, as an earlier change."""


@frozen
class Described:
    """A candidate and its features."""

    candidate: Candidate
    features: Features


@frozen
class Read:
    """A change that is read, and the event by whose verb it follows; None if the model alone says so."""

    rated: RatedChange
    mention: EventMention | None


def described(
    units: Sequence[Unit], predictions: Sequence[Sequence[PredictedChange]], nouns: Nouns
) -> Iterator[list[Described]]:
    """The candidates of consecutive units of one text with their features; `predictions` are what the model considers
    for each."""
    earlier = _Earlier()
    places: dict[str, tuple[str, str]] = {}
    for unit, predicted in zip(units, predictions, strict=True):
        wording = Wording(unit.step.text)
        candidates = candidates_of(predicted, unit.mentions, unit.text, unit.start, places)
        yield [
            Described(
                item,
                features_of(
                    item,
                    wording,
                    earlier=earlier.probability(item),
                    is_mentioned=nouns.last(head(item.change.entity), unit.end) is not None,
                ),
            )
            for item in candidates
        ]
        earlier.add(candidates)


def trusted(
    units: Sequence[Unit],
    predictions: Sequence[Sequence[PredictedChange]],
    nouns: Nouns,
    weights: RatingWeights,
    least: Mapping[Level, float],
) -> Iterator[list[Read]]:
    """The changes of consecutive units of one text that are read, most probable first.

    `least` is the least probability of each level. A change is left out if an earlier unit has brought its value about,
    and no change in between has ended it. A place that the text does not mention is removed as the value before.
    """
    holding: dict[tuple[str, str], str] = {}
    for unit, found in zip(units, described(units, predictions, nouns), strict=True):
        read = []
        for item in found:
            candidate = item.candidate
            probability = weights.probability(item.features)
            level = level_of(probability, least)
            if level is not None and not agree(holding.get(candidate.key, ""), candidate.change.after):
                holding[candidate.key] = candidate.change.after
                change = _with_known_place(candidate.change, unit)
                read.append(Read(RatedChange(change=change, probability=probability, level=level), candidate.mention))
        yield sorted(read, key=lambda item: -item.rated.probability)


def _with_known_place(change: Change, unit: Unit) -> Change:
    step = unit.step
    text = distinct_stems(step.text).union(*map(distinct_stems, step.context), distinct_stems(step.title))
    return evolve(change, before="") if has_unknown_place(change, text) else change


@define
class _Earlier:
    """The values that earlier steps may have brought about, with probabilities, by entity and attribute."""

    _values: dict[tuple[str, str], dict[str, float]] = field(factory=dict, init=False)

    def probability(self, candidate: Candidate) -> float:
        own = self._values.get(candidate.key, {})
        return max((found for after, found in own.items() if agree(after, candidate.change.after)), default=0.0)

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Add the candidates of a step; one that is more probable ends the other values of its attribute."""
        for item in candidates:
            found = max(item.of_pair * item.of_value, _BY_VERB if item.line is not None else 0.0)
            own = self._values.setdefault(item.key, {})
            for after in [after for after, of_after in own.items() if of_after <= found]:
                del own[after]
            own[item.change.after] = max(found, own.get(item.change.after, 0.0))
