"""How surely a step of a scenario is one that a person would name: which steps are shown first."""

from __future__ import annotations

from collections.abc import Sequence

from exports.rows import Row, column, labels_of, select
from schemas.script_graph import ScriptGraph

_PARAPHRASE = 0.25
"""A source that tells a step in other words than its label counts so much: it may mean something else."""
_NAMELESS = frozenset({"it", "them", "thing", "something", "stuff"})


def sureness(graph: ScriptGraph, relations: Sequence[Row]) -> dict[str, float]:
    """How surely each step is one: its support in words of its label and in others, by the cube of its typicality.

    A label that is a verb alone, or that says "it" or "thing", counts half.
    """
    steps = {row["to_id"] for row in relations}
    labels = labels_of(graph, "SubEvent", steps)
    wordings = select(graph, "EXPRESSED_AS", ("from_id", "to_id", "support"), from_id=steps)
    actions = labels_of(graph, "Action", column(wordings, "to_id"))
    verbatim = {row["from_id"]: row["support"] for row in wordings if actions[row["to_id"]] == labels[row["from_id"]]}
    sure = {}
    for row in relations:
        step, words = row["to_id"], labels[row["to_id"]].split()
        same = verbatim.get(step, row["support"])
        told = same + _PARAPHRASE * (row["support"] - same)
        says = 0.5 if len(words) == 1 or _NAMELESS & set(words) else 1.0
        sure[step] = told * typicality(row) ** 3 * says
    return sure


def typicality(row: Row) -> float:
    """That of a row of HAS_SUB_EVENT; 1 where it is unknown."""
    return 1.0 if row["typicality"] is None else float(row["typicality"])
