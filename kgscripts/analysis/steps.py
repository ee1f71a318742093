"""The steps of a graph that are expressed by an action."""

from __future__ import annotations

from typing import Any

from kgscripts.assembly.tables.clusters import cluster_key
from schemas.records import Action
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
