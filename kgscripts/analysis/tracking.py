"""The state table of a procedure: which attribute of which entity changes in which step (OpenPI, Figure 1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import frozen

from kgscripts.building.reading import DocumentReader
from kgscripts.corpora.procedures import Procedure, document_of
from kgscripts.extractors.changes.state_changes import StateChangeExtractor, StateChangeSettings
from kgscripts.extractors.registry import choose
from kgscripts.models.registry import DEFAULT
from kgscripts.text.pipeline import describe_pipeline
from schemas.changes import Change, Level, RatedChange
from schemas.records import Document, EventMention, Record, StateChange

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
        values = (rated.change.after for rated in reversed(self.changes[: step + 1]) if rated)
        return next(values, "")

    def cell(self, step: int, arrow: str) -> str:
        """The change in a step, or the value that remains; "?" marks changes that are likely only."""
        rated = self.changes[step]
        if rated is None:
            return self.value_after(step)
        mark = "?" if rated.level is Level.LIKELY else ""
        return f"{rated.change.before} {arrow} {rated.change.after}{mark}".strip()


@frozen
class ReadStep:
    """What is read in a step: its changes, most probable first, and the tools that its words name, in text order."""

    changes: Sequence[RatedChange]
    tools: Sequence[str]


@frozen
class StateTable:
    """A procedure with what is read in each step."""

    procedure: Procedure
    steps: Sequence[ReadStep]

    def rows(self) -> list[StateRow]:
        """The attributes that change; those of one entity follow each other, in the order of their first changes."""
        places: dict[str, dict[str, list[RatedChange | None]]] = {}
        for number, step in enumerate(self.steps):
            for rated in step.changes:
                cells = places.setdefault(rated.change.entity, {})
                cells.setdefault(rated.change.attribute, [None] * len(self.steps))[number] = rated
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
                {
                    "number": number,
                    "text": text,
                    "tools": list(step.tools),
                    "changes": [change_fields(item) for item in step.changes],
                }
                for number, (text, step) in enumerate(zip(self.procedure.steps, self.steps, strict=True), 1)
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


def track(procedures: Iterable[Procedure], model: str = DEFAULT) -> Iterator[StateTable]:
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
    for procedure, steps in zip(procedures, reader.read(procedures), strict=True):
        yield StateTable(procedure, steps)


class StepReader:
    """Reads the tools and the state changes of the steps of procedures, as a build does; `model` is a generator that
    ships, or the directory of one."""

    def __init__(self, model: str = DEFAULT) -> None:
        changes = StateChangeExtractor(settings=StateChangeSettings(model=model))
        extractors = choose(["events", changes], (), describe_pipeline)
        self._reader = DocumentReader(extractors, strict=True)

    def read(self, procedures: Sequence[Procedure]) -> list[list[ReadStep]]:
        """What is read in each step of each procedure."""
        documents = [document_of(procedure) for procedure in procedures]
        # Equal procedures are read once.
        records = self._reader.records(list({document.digest: document for document in documents}.values()))
        return [_by_step(document, records[document.digest]) for document in documents]


def _by_step(document: Document, records: Sequence[Record]) -> list[ReadStep]:
    starts = [passage.start for passage in document.passages]
    changes: list[list[RatedChange]] = [[] for _ in starts]
    tools: list[dict[str, None]] = [{} for _ in starts]
    for item in records:
        if isinstance(item, StateChange):
            change = Change(entity=item.entity, attribute=item.attribute, before=item.before, after=item.after)
            rated = RatedChange(change=change, probability=item.probability, level=item.level)
            changes[bisect_right(starts, item.start) - 1].append(rated)
        elif isinstance(item, EventMention):
            named = (tool.lemma for tool in item.tools if not tool.inferred)
            tools[bisect_right(starts, item.start) - 1].update(dict.fromkeys(named))
    return [
        ReadStep(sorted(own, key=lambda rated: -rated.probability), tuple(named))
        for own, named in zip(changes, tools, strict=True)
    ]
