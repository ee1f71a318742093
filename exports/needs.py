"""Read what a scenario needs: its tools and supplies, with the passages behind them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from exports.evidence import evidence_of
from exports.rows import find_scenario
from exports.step_parts import parts_of
from exports.steps import common
from schemas.script import Need, is_added
from schemas.script_graph import ScriptGraph


@frozen(kw_only=True)
class Needs:
    """What a scenario needs, tools first, and how many needs were left out; it was read in `support` sources."""

    iri: str
    label: str
    support: int
    needs: Sequence[Need]
    left_out: int


def list_needs(
    graph: ScriptGraph, name: str, *, limit: int = 0, min_support: int = 1, usual: bool = False, evidence: int = 0
) -> Needs:
    """Return what a scenario needs, whose name is one that `find_scenario` finds.

    `usual` keeps the usual needs, and `limit` the first ones (0: all). `evidence` is the largest number of passages of
    each.

    Raises
    ------
    QueryError
        If no scenario or several scenarios have this name.
    """
    scenario = find_scenario(graph, name)
    every = read_needs(graph, scenario["id"], evidence)
    kept = [
        need
        for need in every
        if (need.usual or not usual) and (need.support >= min_support or is_added(need.support, need.probability))
    ]
    kept = kept[:limit] if limit else kept
    return Needs(
        iri=graph.iri(scenario["id"]),
        label=scenario["label"],
        support=scenario["support"],
        needs=kept,
        left_out=len(every) - len(kept),
    )


def read_needs(graph: ScriptGraph, scenario: str, evidence: int) -> list[Need]:
    """All needs of the scenario with this id: tools, then supplies, usual ones and those of the most sources first."""
    rows = parts_of(graph, "NEEDS", [scenario]).get(scenario, ())
    passages = evidence_of(graph, {row["statement"] for row in rows}, evidence)
    found = [
        Need(
            **common(graph, row, passages),
            **{name: row[name] for name in ("role", "declared", "used", "amount", "usual")},
        )
        for row in rows
    ]
    return sorted(found, key=_importance)


def _importance(need: Need) -> tuple[bool, bool, bool, int, int, str]:
    added = is_added(need.support, need.probability)
    return not need.is_tool, not need.usual, not added, -need.support, -need.declared, need.label
