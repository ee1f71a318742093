"""The state table of a procedure: which attribute of which entity changes in which step (OpenPI, Figure 1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from kgscripts.extractors.change_trust import trusted
from kgscripts.extractors.state_change_units import CONTEXT, is_latin
from schemas.changes import Change, PredictedChange, ProcedureStep

if TYPE_CHECKING:
    from kgscripts.corpora.procedures import Procedure
    from kgscripts.models.changes.protocol import ChangeModel

_STEPS_A_BATCH = 256


@frozen
class StateRow:
    """An attribute of an entity: its changes in each step, most probable first."""

    entity: str
    attribute: str
    changes: Sequence[Sequence[Change]]

    def value_after(self, step: int) -> str:
        """The value after a step (0 is the first); "" if no step so far has changed it."""
        found = (changes[0].after for changes in reversed(self.changes[: step + 1]) if changes)
        return next(found, "")

    def cell(self, step: int, arrow: str) -> str:
        """The most probable change in a step, or the value that remains."""
        if not self.changes[step]:
            return self.value_after(step)
        first = self.changes[step][0]
        return f"{first.before} {arrow} {first.after}".strip()


@frozen
class StateTable:
    """A procedure with the changes of each step, most probable first."""

    procedure: Procedure
    predictions: Sequence[Sequence[PredictedChange]]

    def rows(self) -> list[StateRow]:
        """The attributes that change; those of one entity follow each other, in the order of their first changes."""
        places: dict[str, dict[str, list[list[Change]]]] = {}
        for step, predictions in enumerate(self.predictions):
            for change in (predicted.change for predicted in predictions):
                cells = places.setdefault(change.entity, {}).setdefault(
                    change.attribute, [[] for _ in self.predictions]
                )
                cells[step].append(change)
        return [
            StateRow(entity, attribute, cells)
            for entity, attributes in places.items()
            for attribute, cells in attributes.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The procedure and its changes as plain values, for JSON; probabilities are rounded to four decimals."""
        return {
            "id": self.procedure.id,
            "title": self.procedure.title,
            "steps": [
                {"number": number, "text": text, "changes": [change_fields(item) for item in predictions]}
                for number, (text, predictions) in enumerate(
                    zip(self.procedure.steps, self.predictions, strict=True), 1
                )
            ],
        }


def change_fields(predicted: PredictedChange) -> dict[str, Any]:
    """A predicted change as plain values, for JSON."""
    change = predicted.change
    return {
        "entity": change.entity,
        "attribute": change.attribute,
        "before": change.before,
        "after": change.after,
        "probability": round(min(1.0, math.exp(predicted.log_probability)), 4),
    }


def track(procedures: Iterable[Procedure], model: ChangeModel) -> Iterator[StateTable]:
    """Yield the state table of each procedure, in their order; several short procedures are predicted together.

    A step of which most letters are not Latin has no changes.
    """
    waiting: list[Procedure] = []
    steps = 0
    for procedure in procedures:
        waiting.append(procedure)
        steps += len(procedure.steps)
        if steps >= _STEPS_A_BATCH:
            yield from _tables(waiting, model)
            waiting, steps = [], 0
    yield from _tables(waiting, model)


def _tables(procedures: Sequence[Procedure], model: ChangeModel) -> Iterator[StateTable]:
    steps = [
        [
            ProcedureStep(text=text, context=procedure.steps[max(0, number - CONTEXT) : number], title=procedure.title)
            for number, text in enumerate(procedure.steps)
        ]
        for procedure in procedures
    ]
    for procedure, found in zip(procedures, predict_trusted(model, steps), strict=True):
        yield StateTable(procedure, found)


def predict_trusted(
    model: ChangeModel, texts: Sequence[Sequence[ProcedureStep]]
) -> Iterator[list[list[PredictedChange]]]:
    """The changes of the steps of each text that are read, in the words of the graph, most probable first."""
    found = iter(model.predict([step for steps in texts for step in steps if is_latin(step.text)]))
    for steps in texts:
        yield trusted(steps, [next(found) if is_latin(step.text) else [] for step in steps])
