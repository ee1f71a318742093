"""The index of a graph: every scenario, step, tool and entity, and what joins them, as columns of small numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from kgscripts.scripts.names import Row
from kgscripts.scripts.reading import list_scenarios
from schemas.script_graph import StoredGraph

Columns = dict[str, list[Any]]


@frozen(kw_only=True)
class Index:
    """What the page knows of the whole graph.

    `data` is written into the page. `scenarios`, `steps`, `tools` and `entities` are the ids of nodes in the order of
    `data`; the steps of a scenario are beside each other, by rank.
    """

    data: dict[str, Any]
    scenarios: Mapping[str, int]
    steps: Mapping[str, int]
    tools: Mapping[str, int]
    entities: Mapping[str, int]


def read_index(graph: StoredGraph, least: int = 0) -> Index:
    """Return the index of all scenarios, and of the steps, tools and entities that at least `least` sources have."""
    base = len(graph.manifest.base_iri)
    listed = list_scenarios(graph)
    scenarios = {each.iri[base:]: number for number, each in enumerate(listed)}
    ranks = {row["to_id"]: row["rank"] for row in graph.rows("HAS_SUB_EVENT", ("to_id", "rank"))}
    columns = ("id", "label_text", "scenario", "support")
    rows = [row for row in graph.rows("SubEvent", columns) if row["support"] >= least]
    last = len(scenarios)
    rows.sort(key=lambda row: (scenarios.get(row["scenario"], last), ranks.get(row["id"], 0), row["id"]))
    steps = {row["id"]: number for number, row in enumerate(rows)}
    tools, tool_data = _things(graph, "Tool", least)
    entities, entity_data = _things(graph, "Entity", least)
    data = {
        "scenarios": {
            "label": [each.label for each in listed],
            "others": [list(each.alternative_labels) for each in listed],
            "support": [each.support for each in listed],
            "steps": [each.sub_events for each in listed],
        },
        "steps": {
            "label": [row["label_text"] for row in rows],
            "others": _wordings(graph, rows),
            "scenario": [scenarios.get(row["scenario"], -1) for row in rows],
            "support": [row["support"] for row in rows],
        },
        "tools": tool_data,
        "entities": entity_data,
        "uses": _joined(graph.rows("USES"), steps, tools, ("role", "inferred", "predicted")),
        "takes_part": _joined(graph.rows("HAS_PARTICIPANT"), steps, entities, ("role",)),
        "changes": _changes(graph, steps, {"tools": tools, "entities": entities}),
    }
    return Index(data=data, scenarios=scenarios, steps=steps, tools=tools, entities=entities)


def _things(graph: StoredGraph, node_type: str, least: int) -> tuple[dict[str, int], Columns]:
    rows = [row for row in graph.rows(node_type, ("id", "label", "support")) if row["support"] >= least]
    rows.sort(key=lambda row: (-row["support"], row["label"], row["id"]))
    columns = {name: [row[name] for row in rows] for name in ("id", "label", "support")}
    return {row["id"]: number for number, row in enumerate(rows)}, columns


def _wordings(graph: StoredGraph, steps: Iterable[Row]) -> list[str]:
    """The other wordings of each step in one line, to search in."""
    actions = {row["id"]: row["label_text"] for row in graph.rows("Action", ("id", "label_text"))}
    wordings: dict[str, list[str]] = defaultdict(list)
    for row in graph.rows("EXPRESSED_AS", ("from_id", "to_id")):
        wordings[row["from_id"]].append(actions[row["to_id"]])
    return ["; ".join(words for words in wordings[step["id"]] if words != step["label_text"]) for step in steps]


def _joined(rows: Iterable[Row], steps: Mapping[str, int], ends: Mapping[str, int], further: Sequence[str]) -> Columns:
    """The relations from `steps` to `ends`, by step; True is written as 1."""
    kept = [row for row in rows if row["from_id"] in steps and row["to_id"] in ends]
    kept.sort(key=lambda row: (steps[row["from_id"]], ends[row["to_id"]]))
    columns: Columns = {
        "step": [steps[row["from_id"]] for row in kept],
        "thing": [ends[row["to_id"]] for row in kept],
        "support": [row["support"] for row in kept],
        "share": [round(row["probability"], 2) for row in kept],
    }
    for name in further:
        columns[name] = [int(row[name]) if isinstance(row[name], bool) else row[name] for row in kept]
    return columns


def _changes(graph: StoredGraph, steps: Mapping[str, int], things: Mapping[str, Mapping[str, int]]) -> Columns:
    """The changes of steps, by step. `thing` is the number of the entity, or -1, and `tool` that of the tool."""
    values = {row["id"]: row for row in graph.rows("StateChange", ("id", "before", "after"))}
    attributes = graph.labels("Attribute")
    attribute = {row["from_id"]: attributes[row["to_id"]] for row in graph.rows("OF_ATTRIBUTE", ("from_id", "to_id"))}
    of: dict[str, dict[str, int]] = defaultdict(dict)
    for row in graph.rows("OF_ENTITY", ("from_id", "to_id")):
        for kind, numbers in things.items():
            if row["to_id"] in numbers:
                of[row["from_id"]][kind] = numbers[row["to_id"]]
    kept = [row for row in graph.rows("CHANGES") if row["from_id"] in steps and of[row["to_id"]]]
    kept.sort(key=lambda row: (steps[row["from_id"]], -row["support"], row["to_id"]))
    ends = [row["to_id"] for row in kept]
    return {
        "step": [steps[row["from_id"]] for row in kept],
        "thing": [of[end].get("entities", -1) for end in ends],
        "tool": [of[end].get("tools", -1) for end in ends],
        "attribute": [attribute[end] for end in ends],
        "before": [values[end]["before"] for end in ends],
        "after": [values[end]["after"] for end in ends],
        "level": [row["level"] for row in kept],
        "support": [row["support"] for row in kept],
        "share": [round(row["probability"], 2) for row in kept],
    }
