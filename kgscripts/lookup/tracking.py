"""The state table of a procedure: which attribute of which entity changes in which step (OpenPI, Figure 1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.corpora.procedures import Procedure, document_of
from kgscripts.extractors.registry import choose
from kgscripts.extractors.state_changes import StateChangeExtractor
from kgscripts.text.pipeline import describe_pipeline
from schemas.changes import Change, Level, RatedChange
from schemas.records import Document, StateChange

if TYPE_CHECKING:
    from kgscripts.models.changes.protocol import ChangeModel

_STEPS_A_BATCH = 256


@frozen
class StateRow:
    """An attribute of an entity, and how each step changes it."""

    entity: str
    attribute: str
    changes: Sequence[RatedChange | None]
    """Of each step; None for one that does not change it."""

    def value_after(self, step: int) -> str:
        """The value after a step (0 is the first); "" if no step so far has changed it."""
        found = (rated.change.after for rated in reversed(self.changes[: step + 1]) if rated)
        return next(found, "")

    def cell(self, step: int, arrow: str) -> str:
        """The change in a step, or the value that remains; "?" marks changes that are likely only."""
        rated = self.changes[step]
        if rated is None:
            return self.value_after(step)
        mark = "?" if rated.level is Level.LIKELY else ""
        return f"{rated.change.before} {arrow} {rated.change.after}{mark}".strip()


@frozen
class StateTable:
    """A procedure with the changes of each step, most probable first."""

    procedure: Procedure
    changes: Sequence[Sequence[RatedChange]]

    def rows(self) -> list[StateRow]:
        """The attributes that change; those of one entity follow each other, in the order of their first changes."""
        places: dict[str, dict[str, list[RatedChange | None]]] = {}
        for step, changes in enumerate(self.changes):
            for rated in changes:
                cells = places.setdefault(rated.change.entity, {})
                cells.setdefault(rated.change.attribute, [None] * len(self.changes))[step] = rated
        return [
            StateRow(entity, attribute, cells)
            for entity, attributes in places.items()
            for attribute, cells in attributes.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The procedure and its changes as plain values, for JSON."""
        return {
            "id": self.procedure.id,
            "title": self.procedure.title,
            "steps": [
                {"number": number, "text": text, "changes": [change_fields(item) for item in changes]}
                for number, (text, changes) in enumerate(zip(self.procedure.steps, self.changes, strict=True), 1)
            ],
        }


def change_fields(rated: RatedChange) -> dict[str, Any]:
    """A change as plain values, for JSON."""
    change = rated.change
    return {
        "entity": change.entity,
        "attribute": change.attribute,
        "before": change.before,
        "after": change.after,
        "probability": rated.probability,
        "level": rated.level.value,
    }


def track(procedures: Iterable[Procedure], model: ChangeModel) -> Iterator[StateTable]:
    """Yield the state table of each procedure, in their order; several short procedures are read together.

    The changes are those that a build reads in the steps.
    """
    reader = StepReader(model)
    waiting: list[Procedure] = []
    steps = 0
    for procedure in procedures:
        waiting.append(procedure)
        steps += len(procedure.steps)
        if steps >= _STEPS_A_BATCH:
            yield from _tables(waiting, reader)
            waiting, steps = [], 0
    yield from _tables(waiting, reader)


def _tables(procedures: Sequence[Procedure], reader: StepReader) -> Iterator[StateTable]:
    for procedure, changes in zip(procedures, reader.read(procedures), strict=True):
        yield StateTable(procedure, changes)


class StepReader:
    """Reads the state changes of the steps of procedures, as a build reads them, with a given model."""

    def __init__(self, model: ChangeModel) -> None:
        extractors = choose(["events", StateChangeExtractor(model)], (), describe_pipeline)
        self._versions = frozenset(chosen.version for chosen in extractors)
        self._reader = DocumentReader(extractors, strict=True)

    def read(self, procedures: Sequence[Procedure]) -> list[list[list[RatedChange]]]:
        """The changes of each step of each procedure, most probable first."""
        documents = [document_of(procedure) for procedure in procedures]
        # Equal procedures are read once.
        distinct = {document.digest: document for document in documents}
        records: dict[str, list[StateChange]] = {digest: [] for digest in distinct}
        for reading in self._reader.read(Batch(list(distinct.values()), self._versions)).readings:
            records[reading.subject] += [item for item in reading.records if isinstance(item, StateChange)]
        return [_by_step(document, records[document.digest]) for document in documents]


def _by_step(document: Document, changes: Sequence[StateChange]) -> list[list[RatedChange]]:
    starts = [passage.start for passage in document.passages]
    found: list[list[RatedChange]] = [[] for _ in starts]
    for item in changes:
        change = Change(entity=item.entity, attribute=item.attribute, before=item.before, after=item.after)
        rated = RatedChange(change=change, probability=item.probability, level=item.level)
        found[bisect_right(starts, item.start) - 1].append(rated)
    return [sorted(own, key=lambda rated: -rated.probability) for own in found]
