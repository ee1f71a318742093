"""The tools that the texts of a graph name for an event."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from kgscripts.analysis.steps import steps_of_action
from schemas.records import OF_PLACE, Action
from schemas.script_graph import StoredGraph


@frozen
class ReadTool:
    """A tool of a step: its role, the number of sources, the share of the step's mentions, PMI, and the scenario of the
    step. `inferred` says that only a step before names it."""

    lemma: str
    role: str
    inferred: bool
    support: int
    probability: float
    pmi: float
    step: str
    scenario: str


def read_tools(directory: Path, action: Action) -> list[ReadTool]:
    """The tools of every step that is expressed by the action, in any scenario ("" for none), most sources first.

    Containers and surfaces come last. Predicted tools are left out.

    Raises
    ------
    GraphDirectoryError
        If `directory` is no graph directory.
    """
    graph = StoredGraph.open(directory)
    steps = steps_of_action(graph, action)
    uses = list(graph.rows("USES", where={"from_id": steps, "predicted": False}))
    tools = graph.labels("Tool", (row["to_id"] for row in uses))
    scenarios = graph.labels("Scenario", (step["scenario"] for step in steps.values()))
    found = [
        ReadTool(
            lemma=tools[row["to_id"]],
            role=row["role"],
            inferred=row["inferred"],
            support=row["support"],
            probability=row["probability"],
            pmi=row["pmi"],
            step=steps[row["from_id"]]["label"],
            scenario=scenarios.get(steps[row["from_id"]]["scenario"], ""),
        )
        for row in uses
    ]
    return sorted(
        found,
        key=lambda tool: (
            tool.role in OF_PLACE,
            -tool.support,
            -tool.probability,
            tool.lemma,
            tool.scenario,
            tool.step,
        ),
    )
