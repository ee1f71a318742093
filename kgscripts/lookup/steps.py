"""The steps of a graph that are expressed by an action."""

from __future__ import annotations

from typing import Any

from kgscripts.assembly.tables.clusters import cluster_key
from schemas.records import Action
from schemas.script_graph import ScriptGraph


def steps_of_action(graph: ScriptGraph, action: Action) -> dict[str, dict[str, Any]]:
    """The SubEvent rows, by id, that are expressed by the action, in any scenario."""
    wanted = cluster_key(action.key)
    actions = {row["id"] for row in graph.rows("Action") if cluster_key(_action(row).key) == wanted}
    meant = {row["from_id"] for row in graph.rows("EXPRESSED_AS") if row["to_id"] in actions}
    return {row["id"]: row for row in graph.rows("SubEvent") if row["id"] in meant}


def _action(row: dict[str, str | None]) -> Action:
    parts = ("predicate", "particle", "object", "preposition", "prepositional_object")
    return Action(**{part: row[part] or "" for part in parts})
