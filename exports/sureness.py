"""How surely a step of a scenario is one that a person would name: which steps are shown first."""

from __future__ import annotations

from collections.abc import Sequence

from exports.rows import Row, column, labels_of, select
from schemas.script_graph import ScriptGraph

_PARAPHRASE = 0.25
"""A source that tells a step in other words than its label counts so much: it may mean something else."""
_NOTHING = frozenset({"", "it", "them", "thing", "something", "stuff"})
"""Objects that do not say what is acted upon."""
_PLACING = frozenset({"put", "place", "set", "lay"})
"""Verbs that say little without a place or a particle."""
_PARTS = ("predicate", "particle", "object", "preposition")


def sureness(graph: ScriptGraph, relations: Sequence[Row]) -> dict[str, float]:
    """How surely each step is one: its support in words of its label and in others, by the cube of its typicality.

    It counts less if its label does not say what is done, or to what.
    """
    steps = {row["to_id"] for row in relations}
    labels = labels_of(graph, "SubEvent", steps)
    wordings = select(graph, "EXPRESSED_AS", ("from_id", "to_id", "support"), from_id=steps)
    actions = {
        row["id"]: row for row in select(graph, "Action", ("id", "label", *_PARTS), id=column(wordings, "to_id"))
    }
    verbatim = {
        row["from_id"]: (row["support"], _says(actions[row["to_id"]]))
        for row in wordings
        if actions[row["to_id"]]["label"] == labels[row["from_id"]]
    }
    sure = {}
    for row in relations:
        same, says = verbatim.get(row["to_id"], (row["support"], 1.0))
        sure[row["to_id"]] = (same + _PARAPHRASE * (row["support"] - same)) * typicality(row) ** 3 * says
    return sure


def _says(action: Row) -> float:
    """How much an action says: a third for a verb alone, half for one with a particle, or for "put" and an object."""
    particle, object_, preposition = (action[part] or "" for part in _PARTS[1:])
    if preposition:
        return 1.0
    if object_ in _NOTHING:
        return 1 / 2 if particle else 1 / 3
    return 1 / 2 if action["predicate"] in _PLACING and not particle else 1.0


def typicality(row: Row) -> float:
    """That of a row of HAS_SUB_EVENT; 1 where it is unknown."""
    return 1.0 if row["typicality"] is None else float(row["typicality"])
