"""The steps of all scenarios that are done with a tool, each with a sentence as evidence."""

from __future__ import annotations

from collections.abc import Collection

from attrs import frozen

from exports.rows import Row, column, find
from schemas.records import OF_PLACE
from schemas.script_graph import ScriptGraph


@frozen(kw_only=True)
class Evidence:
    """A sentence, the name of its source, and its span there (code points, end exclusive)."""

    text: str
    source: str
    start: int
    end: int


@frozen(kw_only=True)
class ToolUse:
    """A step done with a tool in a role. `scenario` is empty for a step that belongs to none."""

    scenario: str
    iri: str
    label: str
    role: str
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
    done = graph.rows("SubEvent", ("id", "label", "scenario"), {"id": column(uses, "from_id")})
    steps = {step["id"]: step for step in done}
    if scenario is not None:
        wanted = find(graph, "Scenario", scenario, ("label", "alternative_labels"))["id"]
        uses = [use for use in uses if steps[use["from_id"]]["scenario"] == wanted]
    likely = sorted(
        uses,
        key=lambda use: (
            use["role"] in OF_PLACE,
            -use["support"],
            -use["probability"],
            steps[use["from_id"]]["label"],
        ),
    )
    enough = [use for use in likely if use["support"] >= min_support]
    kept = enough[:limit] if limit else enough
    scenarios = graph.labels("Scenario", {steps[use["from_id"]]["scenario"] for use in kept})
    evidence = _evidence(graph, column(kept, "statement"))
    found = [
        ToolUse(
            scenario=scenarios.get(steps[use["from_id"]]["scenario"], ""),
            iri=graph.iri(use["from_id"]),
            label=steps[use["from_id"]]["label"],
            role=use["role"],
            support=use["support"],
            probability=use["probability"],
            evidence=evidence.get(use["statement"]),
        )
        for use in kept
    ]
    return row["label"], sorted(found, key=lambda use: (not use.scenario, use.scenario)), len(uses) - len(kept)


def _evidence(graph: ScriptGraph, statements: Collection[str]) -> dict[str, Evidence]:
    """The shortest sentence behind each statement; the sentence of a mention is the smallest passage around it."""
    evidence = list(graph.rows("EVIDENCED_BY", where={"from_id": statements}))
    passages = {row["id"]: row for row in graph.rows("Passage", where={"id": column(evidence, "to_id")})}
    mentions = {identifier for identifier, row in passages.items() if row["kind"] == "mention"}
    within = list(graph.rows("WITHIN", where={"from_id": mentions}))
    wider = {row["id"]: row for row in graph.rows("Passage", where={"id": column(within, "to_id")})}
    by_length = sorted(within, key=lambda row: _length(wider.get(row["to_id"])), reverse=True)
    sentences = passages | {row["from_id"]: wider[row["to_id"]] for row in by_length if row["to_id"] in wider}
    sources = graph.rows("Source", ("id", "name"), {"id": column(sentences.values(), "source")})
    names = {row["id"]: row["name"] for row in sources}
    evidence.sort(key=lambda row: (_length(sentences[row["to_id"]]), row["to_id"]), reverse=True)
    return {
        row["from_id"]: Evidence(
            text=(sentence := sentences[row["to_id"]])["text"],
            source=names[sentence["source"]],
            start=sentence["start"],
            end=sentence["end"],
        )
        for row in evidence
    }


def _length(passage: Row | None) -> int:
    return passage["end"] - passage["start"] if passage else 0
