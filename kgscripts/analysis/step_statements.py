"""What the texts of a graph say of an event: its tools and its state changes."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from attrs import frozen

from kgscripts.assembly.tables.clusters import cluster_key
from schemas.records import OF_PLACE, Action
from schemas.script_graph import StoredGraph

_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")


def steps_of_action(graph: StoredGraph, action: Action) -> dict[str, dict[str, Any]]:
    """The id, label and scenario of the SubEvent rows, by id, that are expressed by the action, in any scenario."""
    wanted = cluster_key(action.key)
    same_verb = graph.rows("Action", ["id", *_PARTS], {"predicate": action.predicate})
    actions = {row["id"] for row in same_verb if cluster_key(_action(row).key) == wanted}
    meant = graph.select("EXPRESSED_AS", ["from_id"], {"to_id": actions})["from_id"]
    return {row["id"]: row for row in graph.rows("SubEvent", ["id", "label", "scenario"], {"id": meant})}


def _action(row: dict[str, str | None]) -> Action:
    return Action(**{part: row[part] or "" for part in _PARTS})


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
    relations = list(graph.rows("CHANGES", where={"from_id": steps}))
    wanted = {row["to_id"] for row in relations}
    changes = {row["id"]: row for row in graph.rows("StateChange", ["id", "before", "after"], {"id": wanted})}
    entities = _ends(graph, "OF_ENTITY", "Entity", wanted)
    attributes = _ends(graph, "OF_ATTRIBUTE", "Attribute", wanted)
    scenarios = graph.labels("Scenario", (step["scenario"] for step in steps.values()))
    read = [
        ReadChange(
            entity=entities[row["to_id"]],
            attribute=attributes[row["to_id"]],
            before=changes[row["to_id"]]["before"] or "",
            after=changes[row["to_id"]]["after"],
            support=row["support"],
            probability=row["probability"],
            pmi=row["pmi"],
            level=row["level"],
            step=steps[row["from_id"]]["label"],
            scenario=scenarios.get(steps[row["from_id"]]["scenario"], ""),
        )
        for row in relations
    ]
    return sorted(
        read,
        key=lambda item: (-item.support, -item.probability, item.entity, item.attribute, item.after, item.scenario),
    )


def _ends(graph: StoredGraph, relation: str, end: str, changes: Collection[str]) -> dict[str, str]:
    """The label of the node of the type `end` that each of the changes has by a relation."""
    pairs = list(graph.rows(relation, where={"from_id": changes}))
    labels = graph.labels(end, (row["to_id"] for row in pairs))
    return {row["from_id"]: labels[row["to_id"]] for row in pairs if row["to_id"] in labels}
