"""The order of a scenario's steps in a graph: which of two steps comes first, and to which step an unseen action is
most similar."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import networkx as nx
import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from kgscripts.corpora.scenarios.labels import scenario_of
from kgscripts.models.sentence_vectors import quantised_vectors
from schemas.records import Action, Document, EventMention
from schemas.script_graph import StoredGraph

RANKS_APART = 0.1
"""Ranks decide which of two steps comes first if they are this share of the scenario's steps apart."""

LEAST_SIMILAR = 0.6
"""The least cosine of two actions at which one may replace the other."""

_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")


@frozen
class ScenarioOrder:
    """One scenario in a graph: its steps by action and by label, their order, mean positions and ranks."""

    step_of: Mapping[tuple[str, ...], str]
    order: nx.DiGraph
    mean_position: Mapping[str, float]
    rank: Mapping[str, int] = field(factory=dict)
    step_of_label: Mapping[str, str] = field(factory=dict)
    """The step of each action, by the words of the action."""

    def step(self, action: Action) -> str | None:
        """The step with this action; where there is none, with an action that has the same `key_of`."""
        return self.step_of_label.get(action.label) or self.step_of.get(key_of(action))

    def precedes(self, first: str, second: str) -> bool | None:
        """Whether `first` comes before `second` along PRECEDES; None if the graph does not order them."""
        if self._reaches(first, second):
            return True
        return False if self._reaches(second, first) else None

    def earlier(self, first: str, second: str) -> bool | None:
        """Whether the mean position of `first` is before that of `second`; None if they are the same."""
        difference = self.mean_position[second] - self.mean_position[first]
        return difference > 0 if difference else None

    def comes_first(self, first: str, second: str) -> bool | None:
        """The same; where PRECEDES leaves it open, by the ranks, if these are far enough apart (`RANKS_APART`)."""
        found = self.precedes(first, second)
        if found is not None or first not in self.rank or second not in self.rank:
            return found
        apart = self.rank[second] - self.rank[first]
        return apart > 0 if abs(apart) >= RANKS_APART * len(self.rank) else None

    def _reaches(self, first: str, second: str) -> bool:
        return first in self.order and second in self.order and nx.has_path(self.order, first, second)


def key_of(action: Action) -> tuple[str, ...]:
    """What actions of the same step share: predicate, particle and object, or all without an object."""
    return action.key[:3] if action.object else action.key


def scenario_orders(graph: StoredGraph) -> dict[str, ScenarioOrder]:
    """The scenarios of a graph by label."""
    labels = {row["id"]: row["label"] for row in graph.select("Scenario", ["id", "label"]).to_pylist()}
    actions = {row["id"]: _action(row) for row in graph.select("Action", ["id", *_PARTS]).to_pylist()}
    steps = graph.select("SubEvent", ["id", "scenario"]).to_pylist()
    scenario_of_step = {row["id"]: labels[row["scenario"]] for row in steps if row["scenario"]}
    found = {label: ScenarioOrder({}, nx.DiGraph(), {}, {}, {}) for label in labels.values()}
    step_of: dict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
    step_of_label: dict[str, dict[str, str]] = defaultdict(dict)
    positions: dict[str, dict[str, float]] = defaultdict(dict)
    ranks: dict[str, dict[str, int]] = defaultdict(dict)
    # If several steps have actions with the same key, the step with the best supported action.
    wordings = graph.select("EXPRESSED_AS", ["from_id", "to_id", "support"]).to_pylist()
    for row in sorted(wordings, key=lambda row: (row["support"], row["from_id"])):
        if row["from_id"] in scenario_of_step:
            scenario, action = scenario_of_step[row["from_id"]], actions[row["to_id"]]
            step_of[scenario][key_of(action)] = step_of_label[scenario][action.label] = row["from_id"]
    for row in graph.rows("HAS_SUB_EVENT"):
        positions[labels[row["from_id"]]][row["to_id"]] = row["mean_position"]
        ranks[labels[row["from_id"]]][row["to_id"]] = row["rank"]
    for row in graph.rows("PRECEDES"):
        found[scenario_of_step[row["from_id"]]].order.add_edge(row["from_id"], row["to_id"], required=row["required"])
    return {
        label: ScenarioOrder(step_of[label], order.order, positions[label], ranks[label], step_of_label[label])
        for label, order in found.items()
    }


def _action(row: Mapping[str, str | None]) -> Action:
    return Action(**{name: row[name] or "" for name in _PARTS})


def similar_steps(
    orders: Mapping[str, ScenarioOrder],
    held: Iterable[tuple[Document, Sequence[EventMention]]],
    vectors: Callable[[Sequence[str]], NDArray[np.int8]] = quantised_vectors,
) -> dict[tuple[str, str], str]:
    """For each scenario and label of an action in held-out descriptions, the graph's step with the most similar action.

    There is none where the cosine is below `LEAST_SIMILAR`.
    """
    asked: dict[str, set[str]] = defaultdict(set)
    for document, events in held:
        asked[scenario_of(document)].update(event.action.label for event in events)
    found: dict[tuple[str, str], str] = {}
    for scenario, order in orders.items():
        known, unknown = sorted(order.step_of_label), sorted(asked[scenario])
        if not known or not unknown:
            continue
        rows = vectors([*known, *unknown]).astype(np.int32)
        lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        units = rows / np.maximum(lengths, 1)
        cosines = units[len(known) :] @ units[: len(known)].T
        for label, row in zip(unknown, cosines, strict=True):
            if row.max() >= LEAST_SIMILAR:
                found[scenario, label] = order.step_of_label[known[int(row.argmax())]]
    return found
