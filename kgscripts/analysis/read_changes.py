"""The state changes that the texts of a graph show for an event."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from attrs import frozen

from kgscripts.analysis.steps import steps_of_action
from schemas.records import Action
from schemas.script_graph import StoredGraph


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
