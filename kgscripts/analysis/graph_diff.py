"""The differences between two graphs: steps, their relations and their numbers, by scenario."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from schemas.corrections import NEEDS
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import StoredGraph
from schemas.terminal import count

NOTICEABLE = 0.1
"""The least change of a probability that is listed."""

_RELATIONS = tuple(
    name
    for name, relation in RELATION_TYPES.items()
    if name == NEEDS or (relation.has_statement and {start for start, _ in relation.ends} == {"SubEvent"})
)


@frozen
class Difference:
    """One difference in words. `size` orders those of a kind: a number of sources, or a difference of probabilities."""

    kind: str
    text: str
    size: float


@frozen
class ScenarioDifference:
    """The differences in a scenario ("" for steps of none): `added` or `removed` as a whole, or "" and its `changes`.

    Changes are in the order of `KINDS`, of one kind the largest first.
    """

    scenario: str
    status: str
    steps: tuple[int, int]
    changes: tuple[Difference, ...] = field(converter=tuple[Difference, ...])


KINDS = (
    "step added",
    "step removed",
    "step renamed",
    "steps merged",
    "step split",
    "relation added",
    "relation removed",
    "number changed",
)


@frozen
class GraphDifference:
    """The sources of both graphs, and the differences by scenario, most changes first."""

    sources: tuple[int, int]
    scenarios: tuple[ScenarioDifference, ...]


@frozen
class _Relation:
    name: str
    start: str
    end: str


@frozen
class _Side:
    """The knowledge of one graph, by scenario."""

    names: Mapping[str, str]
    """Labels of all nodes at the end of relations."""
    scenarios: Mapping[str, str]
    steps: Mapping[str, Mapping[str, dict[str, Any]]]
    """Scenario ("" for none) -> step -> its row, with its probability."""
    relations: Mapping[str, Mapping[_Relation, tuple[float, int]]]
    """Scenario -> relation -> probability and support."""


def diff_graphs(one: StoredGraph, other: StoredGraph) -> GraphDifference:
    """The differences between the knowledge of two graphs. Steps are the same if their ids are, or if one `replaces`
    the other.

    Relations are compared between steps that are the same. Labels of nodes, supports and passages are listed only
    together with other differences.
    """
    if one.build_id == other.build_id:
        return GraphDifference((one.manifest.sources, other.manifest.sources), ())
    before, after = _side(one), _side(other)
    differences = []
    for scenario in before.steps.keys() | after.steps.keys():
        old, new = before.steps.get(scenario, {}), after.steps.get(scenario, {})
        label = after.scenarios.get(scenario) or before.scenarios.get(scenario, "")
        changes = _changes(before, after, scenario) if old and new else []
        status = "" if old and new else "removed" if old else "added"
        if status or changes:
            differences.append(ScenarioDifference(label, status, (len(old), len(new)), changes))
    differences.sort(key=lambda item: (-(len(item.changes) or sum(item.steps)), item.scenario))
    return GraphDifference((one.manifest.sources, other.manifest.sources), tuple(differences))


def _changes(before: _Side, after: _Side, scenario: str) -> list[Difference]:
    old, new = before.steps[scenario], after.steps[scenario]
    later = _counterparts(old, new)
    earlier: dict[str, list[str]] = defaultdict(list)
    for step, steps in later.items():
        for end in steps:
            earlier[end].append(step)
    differences: list[Difference] = []

    def add(kind: str, text: str, size: float) -> None:
        differences.append(Difference(kind, text, size))

    for step, row in new.items():
        origins = earlier.get(step, [])
        if not origins:
            add("step added", f"{row['label']} ({_origin(row['probability'], row['support'])})", row["support"])
        elif len(origins) > 1:
            merged = ", ".join(sorted(old[origin]["label"] for origin in origins))
            add("steps merged", f"{row['label']} from {merged}", row["support"])
    for step, row in old.items():
        ends = later[step]
        if not ends:
            add("step removed", f"{row['label']} ({_origin(row['probability'], row['support'])})", row["support"])
        elif len(ends) > 1:
            split = ", ".join(sorted(new[end]["label"] for end in ends))
            add("step split", f"{row['label']} into {split}", row["support"])
        elif len(earlier[ends[0]]) == 1:
            counterpart = new[ends[0]]
            if counterpart["label"] != row["label"]:
                add("step renamed", f"{row['label']} is {counterpart['label']}", row["support"])
            _note_number(add, row["label"], row["probability"], counterpart["probability"])
    _compare_relations(add, before, after, scenario, later)
    return sorted(differences, key=lambda item: (KINDS.index(item.kind), -item.size, item.text))


def _compare_relations(add: Any, before: _Side, after: _Side, scenario: str, later: Mapping[str, list[str]]) -> None:
    """Compare the relations of a scenario between steps that both graphs have."""
    new = after.relations.get(scenario, {})
    kept: dict[_Relation, tuple[float, int]] = {}
    for relation, numbers in before.relations.get(scenario, {}).items():
        starts, ends = later.get(relation.start, [relation.start]), later.get(relation.end, [relation.end])
        if not starts or not ends:
            continue
        moved = [_Relation(relation.name, start, end) for start in starts for end in ends if start != end]
        still = [item for item in moved if item in new]
        if moved and not still:
            text = f"{before.names[relation.start]} {relation.name} {before.names[relation.end]}"
            add("relation removed", f"{text} ({_origin(*numbers)})", numbers[1])
        for item in still:
            kept[item] = max(kept.get(item, (0.0, 0)), numbers)
    old_steps = {step for steps in later.values() for step in steps}
    old_starts = {*old_steps, scenario}
    for relation, (probability, support) in new.items():
        text = f"{after.names[relation.start]} {relation.name} {after.names[relation.end]}"
        if relation in kept:
            _note_number(add, text, kept[relation][0], probability)
        elif relation.start in old_starts and (relation.end in old_steps or relation.end not in after.steps[scenario]):
            add("relation added", f"{text} ({_origin(probability, support)})", support)


def _note_number(add: Any, text: str, old: float, new: float) -> None:
    if abs(new - old) >= NOTICEABLE:
        add("number changed", f"{text}: probability {old:.2f} to {new:.2f}", round(abs(new - old), 4))


def _counterparts(old: Mapping[str, dict[str, Any]], new: Mapping[str, dict[str, Any]]) -> dict[str, list[str]]:
    """For each step of the first graph the steps of the second graph that are the same."""
    owners: dict[str, list[str]] = defaultdict(list)
    for step, row in new.items():
        for replaced in row["replaces"]:
            owners[replaced].append(step)
    return {
        step: sorted({*([step] if step in new else owners[step]), *(item for item in row["replaces"] if item in new)})
        for step, row in old.items()
    }


def _side(graph: StoredGraph) -> _Side:
    ends = {end for name in _RELATIONS for _, end in RELATION_TYPES[name].ends}
    names = {key: label for kind in NODE_TYPES if kind in ends for key, label in graph.labels(kind).items()}
    scenarios = graph.labels("Scenario")
    home = {scenario: scenario for scenario in scenarios}
    steps: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    share = {row["to_id"]: row["probability"] for row in graph.rows("HAS_SUB_EVENT", ["to_id", "probability"])}
    for row in graph.rows("SubEvent", ["id", "label", "scenario", "support", "replaces"]):
        home[row["id"]] = row["scenario"] or ""
        steps[home[row["id"]]][row["id"]] = row | {"probability": share.get(row["id"], 0.0)}
    relations: dict[str, dict[_Relation, tuple[float, int]]] = defaultdict(dict)
    for name in _RELATIONS:
        for row in graph.rows(name, ["from_id", "to_id", "probability", "support"]):
            relation = _Relation(name, row["from_id"], row["to_id"])
            relations[home[relation.start]][relation] = (row["probability"], row["support"])
    return _Side(names | scenarios, scenarios, steps, relations)


def _origin(probability: float, support: int) -> str:
    if not support:
        return "predicted" if probability else "added by a person"
    return count(support, "source")


def counted(changes: Iterable[Difference]) -> dict[str, int]:
    """The number of changes of each kind, in the order of `KINDS`; kinds without changes are left out."""
    numbers = dict.fromkeys(KINDS, 0)
    for change in changes:
        numbers[change.kind] += 1
    return {kind: number for kind, number in numbers.items() if number}
