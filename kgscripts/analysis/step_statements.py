"""What the texts of a graph say of an event: its tools and its state changes."""

from __future__ import annotations

from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from attrs import frozen

from kgscripts.assembly.tables.clusters import cluster_key
from kgscripts.scripts.names import ACTION_PARTS, action_of_row
from kgscripts.scripts.steps import changes_of, parts_of
from schemas.records import OF_PLACE, Action
from schemas.script_graph import StoredGraph

_OF_TOOLS = ("role", "inferred", "support", "probability", "pmi")
_OF_CHANGES = ("entity", "attribute", "after", "support", "probability", "pmi", "level")


def steps_of_action(graph: StoredGraph, action: Action) -> dict[str, dict[str, Any]]:
    """The steps that are expressed by the action, by id: their labels (`step`), and their scenarios ("" for none)."""
    wanted = cluster_key(action.key)
    same_verb = graph.rows("Action", ["id", *ACTION_PARTS], {"predicate": action.predicate})
    actions = {row["id"] for row in same_verb if cluster_key(action_of_row(row).key) == wanted}
    meant = graph.select("EXPRESSED_AS", ["from_id"], {"to_id": actions})["from_id"]
    steps = list(graph.rows("SubEvent", ["id", "label", "scenario"], {"id": meant}))
    scenarios = graph.labels("Scenario", (step["scenario"] for step in steps))
    return {step["id"]: {"step": step["label"], "scenario": scenarios.get(step["scenario"], "")} for step in steps}


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
    found = [
        ReadTool(lemma=row["label"], **{name: row[name] for name in _OF_TOOLS}, **steps[step])
        for step, rows in parts_of(graph, "USES", steps).items()
        for row in rows
        if not row["predicted"]
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


@frozen
class ReadChange:
    """A change of a step: the number of sources, the share of the step's mentions, PMI, its level, and the scenario of
    the step."""

    entity: str
    attribute: str
    before: str
    after: str
    support: int
    probability: float
    pmi: float
    level: str
    step: str
    scenario: str


def read_changes(directory: Path, action: Action) -> list[ReadChange]:
    """The changes of every step that is expressed by the action, in any scenario ("" for none), most sources first.

    Raises
    ------
    GraphDirectoryError
        If `directory` is no graph directory.
    """
    graph = StoredGraph.open(directory)
    steps = steps_of_action(graph, action)
    rows = sorted(chain.from_iterable(changes_of(graph, steps).values()), key=itemgetter("from_id", "to_id"))
    read = [
        ReadChange(before=row["before"] or "", **{name: row[name] for name in _OF_CHANGES}, **steps[row["from_id"]])
        for row in rows
    ]
    return sorted(
        read,
        key=lambda item: (-item.support, -item.probability, item.entity, item.attribute, item.after, item.scenario),
    )
