"""The state changes that the texts of a graph show for an event."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from kgscripts.lookup.steps import steps_of_action
from schemas.records import Action
from schemas.script_graph import ScriptGraph


@frozen
class ReadChange:
    """A change of a step: in how many sources, in what share of the step's mentions, its PMI, and whose step it is."""

    entity: str
    attribute: str
    before: str
    after: str
    support: int
    probability: float
    pmi: float
    step: str
    scenario: str


def read_changes(directory: Path, action: Action) -> list[ReadChange]:
    """The changes of every step that is expressed by the action, in any scenario ("" for none), most sources first.

    Raises
    ------
    GraphDirectoryError
        If `directory` is no graph directory.
    """
    graph = ScriptGraph.open(directory)
    steps = steps_of_action(graph, action)
    relations = [row for row in graph.rows("CHANGES") if row["from_id"] in steps]
    wanted = {row["to_id"] for row in relations}
    changes = {row["id"]: row for row in graph.rows("StateChange") if row["id"] in wanted}
    labels = {row["id"]: row["label"] for name in ("Entity", "Attribute", "Scenario") for row in graph.rows(name)}
    parts = {
        name: {row["from_id"]: labels[row["to_id"]] for row in graph.rows(name) if row["to_id"] in labels}
        for name in ("OF_ENTITY", "OF_ATTRIBUTE")
    }
    found = [
        ReadChange(
            entity=parts["OF_ENTITY"][row["to_id"]],
            attribute=parts["OF_ATTRIBUTE"][row["to_id"]],
            before=changes[row["to_id"]]["before"] or "",
            after=changes[row["to_id"]]["after"],
            support=row["support"],
            probability=row["probability"],
            pmi=row["pmi"],
            step=steps[row["from_id"]]["label"],
            scenario=labels.get(steps[row["from_id"]]["scenario"], ""),
        )
        for row in relations
    ]
    return sorted(
        found,
        key=lambda item: (-item.support, -item.probability, item.entity, item.attribute, item.after, item.scenario),
    )
