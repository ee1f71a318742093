"""Read what a scenario needs, and the steps that are done with a tool, with the passages behind them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kgscripts.scripts.names import column, find, find_scenario
from kgscripts.scripts.steps import common, evidence_of, parts_of
from kgscripts.scripts.types import Evidence, Need, is_added
from schemas.records import OF_PLACE
from schemas.script_graph import StoredGraph


@frozen(kw_only=True)
class Needs:
    """What a scenario needs, tools first, and how many needs were left out; it was read in `support` sources."""

    iri: str
    label: str
    support: int
    needs: Sequence[Need]
    left_out: int


def list_needs(
    graph: StoredGraph, name: str, *, limit: int = 0, min_support: int = 1, usual: bool = False, evidence: int = 0
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


def read_needs(graph: StoredGraph, scenario: str, evidence: int) -> list[Need]:
    """All needs of the scenario with this id: tools, then supplies, usual ones and those of the most sources first."""
    rows = parts_of(graph, "NEEDS", [scenario]).get(scenario, ())
    passages = evidence_of(graph, {row["statement"] for row in rows}, evidence)
    needs = [
        Need(
            **common(graph, row, passages),
            **{name: row[name] for name in ("role", "declared", "used", "amount", "usual")},
            instead=row["instead"].split("; ") if row["instead"] else (),
            optional=bool(row["optional"]),
        )
        for row in rows
    ]
    return sorted(needs, key=_importance)


def _importance(need: Need) -> tuple[bool, bool, bool, int, int, str]:
    added = is_added(need.support, need.probability)
    return not need.is_tool, not need.usual, not added, -need.support, -need.declared, need.label


@frozen(kw_only=True)
class ToolUse:
    """A step done with a tool in a role. `scenario` is empty for a step that belongs to none; `inferred` says whether
    the tool is named in a step before only."""

    scenario: str
    iri: str
    label: str
    role: str
    inferred: bool
    support: int
    probability: float
    evidence: Evidence | None


def read_tool_uses(
    graph: StoredGraph, tool: str, *, scenario: str | None = None, limit: int = 0, min_support: int = 1
) -> tuple[str, list[ToolUse], int]:
    """Return the label of the tool `tool`, the steps done with it, and how many of them were left out.

    They are grouped by scenario and sorted by support; those for which it is the container or surface come last.
    `scenario` restricts them to one scenario, `limit` keeps the first of them (0: all). The evidence is the shortest
    sentence.

    Raises
    ------
    QueryError
        If no tool or no scenario has this name.
    """
    row = find(graph, "Tool", tool, ("label",))
    uses = list(graph.rows("USES", where={"to_id": row["id"]}))
    done = graph.rows("SubEvent", ("id", "label_text", "scenario"), {"id": column(uses, "from_id")})
    steps = {step["id"]: step for step in done}
    if scenario is not None:
        wanted = find_scenario(graph, scenario)["id"]
        uses = [use for use in uses if steps[use["from_id"]]["scenario"] == wanted]
    likely = sorted(
        uses,
        key=lambda use: (
            use["role"] in OF_PLACE,
            -use["support"],
            -use["probability"],
            steps[use["from_id"]]["label_text"],
        ),
    )
    enough = [use for use in likely if use["support"] >= min_support or is_added(use["support"], use["probability"])]
    kept = enough[:limit] if limit else enough
    scenarios = graph.labels("Scenario", {steps[use["from_id"]]["scenario"] for use in kept})
    evidence = evidence_of(graph, column(kept, "statement"), 1)
    tool_uses = [
        ToolUse(
            scenario=scenarios.get(steps[use["from_id"]]["scenario"], ""),
            iri=graph.iri(use["from_id"]),
            label=steps[use["from_id"]]["label_text"],
            role=use["role"],
            inferred=use["inferred"],
            support=use["support"],
            probability=use["probability"],
            evidence=next(iter(evidence[use["statement"]]), None),
        )
        for use in kept
    ]
    return row["label"], sorted(tool_uses, key=lambda use: (not use.scenario, use.scenario)), len(uses) - len(kept)
