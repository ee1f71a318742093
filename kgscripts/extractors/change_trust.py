"""Which predicted state changes are kept: probable ones that the text does not contradict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import define, evolve, field

from kgscripts.changes.attributes import leading_attribute
from kgscripts.changes.values import agree
from kgscripts.extractors.change_wording import Wording, distinct_stems, has_unknown_place
from kgscripts.extractors.change_words import head, normalised
from kgscripts.text.porter import stem
from schemas.changes import Change, PredictedChange, ProcedureStep

LEAST_LOG_PROBABILITY = -0.65
"""The least log probability for things that the step mentions. Chosen, like the rules, on two sheets of judged changes:
see `docs/measurements/state-changes.md`."""
LEAST_OF_PRESUPPOSED = -0.5
"""The least log probability for things that the step does not mention."""
LEAST_EARLIER = -1.0
"""The least log probability of a change of an earlier step whose value may still hold, kept or not."""


def trusted(
    steps: Sequence[ProcedureStep],
    predictions: Sequence[Iterable[PredictedChange]],
    *,
    least: float = LEAST_LOG_PROBABILITY,
    least_of_presupposed: float = LEAST_OF_PRESUPPOSED,
) -> list[list[PredictedChange]]:
    """The changes of consecutive steps of one text that are kept, in the words of records, most probable first.

    The least log probability is `least`, or `least_of_presupposed` if the step does not mention the entity. A step
    changes an attribute of an entity once (synonyms are one attribute): the most probable value is kept. A change is
    left out if its value may hold already, since it was predicted for an earlier step, or if the words of the step
    contradict it (see `Wording.speaks_against`). A place that the text does not mention is removed as the value before.
    """
    holding = _Holding()

    def is_probable(item: PredictedChange, wording: Wording) -> bool:
        return item.log_probability >= (least if wording.mentions(item.change.entity) else least_of_presupposed)

    return [_of_step(step, predicted, holding, is_probable) for step, predicted in zip(steps, predictions, strict=True)]


@define
class _Holding:
    """The values that may hold before a step."""

    _read: dict[tuple[str, str], str] = field(factory=dict, init=False)
    """The last kept value of each attribute, by the head of the entity."""
    _predicted: dict[str, dict[str, str]] = field(factory=dict, init=False)
    """The attribute of each predicted value, kept or not, by the head of the entity."""

    def has(self, change: Change) -> bool:
        of_head = self._predicted.get(_head(change), {})
        return change.after in of_head or agree(self._read.get(_place(change), ""), change.after)

    def add(self, predicted: Iterable[Change], read: Iterable[Change]) -> None:
        """Add the changes of a step. A kept change ends the other values of its attribute, and its value before."""
        for change in predicted:
            self._predicted.setdefault(_head(change), {})[change.after] = _attribute(change)
        for change in read:
            self._read[_place(change)] = change.after
            values = self._predicted[_head(change)]
            for after in [
                after for after, own in values.items() if own == _attribute(change) or after == change.before
            ]:
                del values[after]
            values[change.after] = _attribute(change)


def _of_step(
    step: ProcedureStep,
    predictions: Iterable[PredictedChange],
    holding: _Holding,
    is_probable: Callable[[PredictedChange, Wording], bool],
) -> list[PredictedChange]:
    wording = Wording(step.text)
    possible = [
        evolve(item, change=change)
        for item in sorted(predictions, key=lambda item: -item.log_probability)
        if (change := normalised(item.change)) is not None and not wording.speaks_against(change)
    ]
    found: dict[tuple[str, str], PredictedChange] = {}
    for item in possible:
        if is_probable(item, wording) and not holding.has(item.change):
            found.setdefault((item.change.entity, _attribute(item.change)), item)
    holding.add(
        (item.change for item in possible if item.log_probability >= LEAST_EARLIER),
        (item.change for item in found.values()),
    )
    text = wording.own.union(*map(distinct_stems, step.context), distinct_stems(step.title))
    return [
        evolve(item, change=evolve(item.change, before="")) if has_unknown_place(item.change, text) else item
        for item in found.values()
    ]


def _place(change: Change) -> tuple[str, str]:
    return _head(change), _attribute(change)


def _head(change: Change) -> str:
    return stem(head(change.entity))


def _attribute(change: Change) -> str:
    return leading_attribute(change.attribute)
