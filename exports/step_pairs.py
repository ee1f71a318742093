"""Symmetric relations of steps: alternatives in a scenario, and the same step of other scenarios."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from attrs import frozen

from exports.rows import Row
from schemas.script_graph import ScriptGraph


@frozen(kw_only=True)
class Alternative:
    """A step of the same scenario that is done instead of another, with support and probability of the relation."""

    iri: str
    label: str
    support: int
    probability: float


@frozen(kw_only=True)
class Match:
    """The same step of another scenario."""

    iri: str
    scenario: str
    label: str
    similarity: float


def alternatives_of(graph: ScriptGraph, steps: Collection[str]) -> Mapping[str, tuple[Alternative, ...]]:
    """The alternatives of each step, those in the most sources first."""
    found: dict[str, list[Alternative]] = defaultdict(list)
    for step, other, row in _joined(graph, "ALTERNATIVE_TO", ("support", "probability"), steps):
        iri = graph.iri(other["id"])
        support, probability = row["support"], row["probability"]
        found[step].append(Alternative(iri=iri, label=other["label"], support=support, probability=probability))
    for items in found.values():
        items.sort(key=lambda item: (-item.support, item.label, item.iri))
    return defaultdict(tuple, {step: tuple(items) for step, items in found.items()})


def matches_of(graph: ScriptGraph, steps: Collection[str]) -> Mapping[str, tuple[Match, ...]]:
    """The same step of other scenarios for each step, the most similar first."""
    joined = [pair for pair in _joined(graph, "CLOSE_MATCH", ("similarity",), steps) if pair[1]["scenario"]]
    scenarios = graph.labels("Scenario", {other["scenario"] for _, other, _ in joined})
    found: dict[str, list[Match]] = defaultdict(list)
    for step, other, row in joined:
        scenario, iri = scenarios[other["scenario"]], graph.iri(other["id"])
        found[step].append(Match(iri=iri, scenario=scenario, label=other["label"], similarity=row["similarity"]))
    for items in found.values():
        items.sort(key=lambda item: (-item.similarity, item.scenario, item.iri))
    return defaultdict(tuple, {step: tuple(items) for step, items in found.items()})


def _joined(
    graph: ScriptGraph, relation: str, properties: tuple[str, ...], steps: Collection[str]
) -> list[tuple[str, Row, Row]]:
    """Each of the steps with the row of the other one and that of the relation, from either end."""
    columns = ("from_id", "to_id", *properties)
    pairs = [
        (row[own], row[far], row)
        for own, far in (("from_id", "to_id"), ("to_id", "from_id"))
        for row in graph.rows(relation, columns, {own: steps})
    ]
    wanted = {other for _, other, _ in pairs}
    others = {row["id"]: row for row in graph.rows("SubEvent", ("id", "label", "scenario"), {"id": wanted})}
    return [(step, others[other], row) for step, other, row in pairs]
