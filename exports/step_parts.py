"""The parts of the steps of a script: tools, participants, changes, concrete steps and corrections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import groupby
from operator import itemgetter

from attrs import frozen

from exports.rows import column
from schemas.graph_types import RELATION_TYPES
from schemas.records import OF_PLACE
from schemas.script_graph import ScriptGraph

_PARTS = {
    "USES": ("Tool", ("role",)),
    "HAS_PARTICIPANT": ("Entity", ("role",)),
    "CHANGES": ("StateChange", ()),
    "DECOMPOSES_INTO": ("SubEvent", ("position",)),
}


@frozen(kw_only=True)
class Part:
    """A tool, participant, change or concrete step of a step, with its support in sources.

    `role` is that of a tool or a participant, empty for the others.
    """

    label: str
    support: int
    probability: float
    role: str = ""


@frozen(kw_only=True)
class StepCorrection:
    """A correction of a scenario or of one of its steps."""

    label: str
    author: str
    time: str


def parts_of(graph: ScriptGraph, relation: str, steps: Collection[str]) -> dict[str, tuple[Part, ...]]:
    """The parts of each step by a relation: USES, HAS_PARTICIPANT, CHANGES, DECOMPOSES_INTO, or one of a package."""
    ends, more = _PARTS.get(relation) or (RELATION_TYPES[relation].ends[0][1], ())
    rows = list(graph.rows(relation, ("from_id", "to_id", "support", "probability", *more), {"from_id": steps}))
    labels = graph.labels(ends, column(rows, "to_id"))
    rows.sort(
        key=lambda row: (
            row.get("position", 0),
            row.get("role") in OF_PLACE,
            -row["support"],
            -row["probability"],
            labels[row["to_id"]],
        )
    )
    parts: dict[str, tuple[Part, ...]] = defaultdict(tuple)
    for step, group in groupby(sorted(rows, key=itemgetter("from_id")), itemgetter("from_id")):
        parts[step] = tuple(
            Part(
                label=labels[row["to_id"]],
                support=row["support"],
                probability=row["probability"],
                role=row.get("role", ""),
            )
            for row in group
        )
    return parts


def corrections_of(graph: ScriptGraph, nodes: Collection[str]) -> dict[str, tuple[StepCorrection, ...]]:
    """The corrections of each node, the oldest first."""
    links = list(graph.rows("CORRECTED_BY", where={"from_id": nodes}))
    rows = graph.rows("Correction", ("id", "label", "author", "time"), {"id": column(links, "to_id")})
    found: dict[str, list[StepCorrection]] = defaultdict(list)
    for row in sorted(rows, key=itemgetter("time", "id")):
        for link in links:
            if link["to_id"] == row["id"]:
                correction = StepCorrection(label=row["label"], author=row["author"], time=row["time"])
                found[link["from_id"]].append(correction)
    return {node: tuple(found[node]) for node in nodes}
