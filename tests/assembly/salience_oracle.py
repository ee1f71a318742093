"""`usual` and `salience_rank` computed the plain way from the other rows of a graph."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

from tests.assembly.built import Rows

_NOTHING = ("", "it", "them", "thing", "something", "stuff")
_PLACING = ("put", "place", "set", "lay")

Marks = dict[Any, tuple[bool, int]]


def found_marks(rows: Rows) -> Marks:
    """Of each step of a scenario whether it is usual, and its salience rank, as the graph has them."""
    return {row["to_id"]: (row["usual"], row["salience_rank"]) for row in rows["HAS_SUB_EVENT"]}


def expected_marks(rows: Rows, usual: float = 0.62) -> Marks:
    """The same from labels, supports, positions, typicality and what is essential, and what is `added` by a person."""
    sources = {row["id"]: row["support"] for row in rows["Scenario"]}
    labels = {row["id"]: row["label"] for row in rows["SubEvent"]}
    actions = {row["id"]: row for row in rows["Action"]}
    verbatim: dict[Any, tuple[int, Fraction]] = {}
    for row in sorted(rows["EXPRESSED_AS"], key=lambda row: row["to_id"]):
        if actions[row["to_id"]]["label"] == labels[row["from_id"]]:
            verbatim[row["from_id"]] = (row["support"], _says(actions[row["to_id"]]))
    ranked: dict[Any, list[tuple[bool, bool, bool, Fraction, float, Any]]] = defaultdict(list)
    for row in rows["HAS_SUB_EVENT"]:
        typicality = 1 if row["typicality"] is None else Fraction(str(row["typicality"]))
        same, says = verbatim.get(row["to_id"], (row["support"], Fraction(1)))
        salience = (same + Fraction(row["support"] - same, 4)) * typicality**3 * says
        added = row.get("added", False)
        common = row["support"] >= 3 and Fraction(row["support"], sources[row["from_id"]]) >= Fraction(2, 5)
        few = sources[row["from_id"]] < 3
        unusual = float(typicality) < usual and not (added or common or few or row.get("essential"))
        first = common or (row.get("essential", False) and row["support"] >= 3)
        ranked[row["from_id"]].append((not added, not first, unusual, -salience, row["mean_position"], row["to_id"]))
    return {
        step: (not unusual, rank)
        for steps in ranked.values()
        for rank, (_, _, unusual, _, _, step) in enumerate(sorted(steps), start=1)
    }


def _says(action: dict[str, Any]) -> Fraction:
    predicate, particle, thing, place = (
        action[part] or "" for part in ("predicate", "particle", "object", "preposition")
    )
    if place:
        return Fraction(1)
    if thing in _NOTHING:
        return Fraction(1, 2 if particle else 3)
    return Fraction(1, 2) if predicate in _PLACING and not particle else Fraction(1)
