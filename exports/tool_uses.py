"""The steps of all scenarios that are done with a tool, each with a sentence as evidence."""

from __future__ import annotations

from attrs import frozen

from exports.evidence import evidence_of
from exports.rows import column, find, find_scenario
from schemas.records import OF_PLACE
from schemas.script import Evidence, is_added
from schemas.script_graph import ScriptGraph


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
    graph: ScriptGraph, tool: str, *, scenario: str | None = None, limit: int = 0, min_support: int = 1
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
    found = [
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
    return row["label"], sorted(found, key=lambda use: (not use.scenario, use.scenario)), len(uses) - len(kept)
