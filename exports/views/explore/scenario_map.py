"""The map of a graph: scenarios, and the tools and actions that at least two of them share, with places.

Scenarios with much in common are near to each other: of a few by forces, of many by singular vectors. What they share
is placed between them. The same graph gives the same map.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from exports.views.explore.index import Index
from schemas.script_graph import StoredGraph

_Places: TypeAlias = NDArray[np.float64]

MOST_NODES, MOST_EDGES = 50_000, 100_000
_MOST_BY_FORCES = 400
_VECTORS, _ROUNDS = 3, 200
"""Singular vectors of many scenarios, and rounds in which they are found."""
_GOLDEN = math.pi * (3 - math.sqrt(5))
"""The golden angle: points that turn by it lie evenly around a centre."""


def read_map(graph: StoredGraph, index: Index) -> dict[str, Any]:
    """Return nodes and edges as columns: the best supported, at most `MOST_NODES` and `MOST_EDGES`.

    The kind of a node is 0 for a scenario, 1 for a tool and 2 for an action; `to` is its number in the index.
    """
    links = _links(graph, index)
    sharing = Counter(thing for _, thing in links)
    shared = {thing for thing, count in sharing.items() if count > 1}
    edges = sorted((edge for edge in links if edge[1] in shared), key=lambda edge: (-links[edge], edge))[:MOST_EDGES]
    room = max(0, MOST_NODES - len(index.scenarios))
    things = [thing for thing, _ in Counter(thing for _, thing in edges).most_common(room)]
    number = {thing: place for place, thing in enumerate(things)}
    pairs = [(scenario, number[thing], links[scenario, thing]) for scenario, thing in edges if thing in number]
    scenarios = min(len(index.scenarios), MOST_NODES)
    pairs = [pair for pair in pairs if pair[0] < scenarios]
    places = _places(scenarios, len(things), pairs)
    actions = {row["id"]: row["label_text"] for row in graph.rows("Action", ("id", "label_text"))}
    tools = index.data["tools"]["label"]
    known = [index.tools.get(thing, -1) for thing in things]
    labels = [actions[thing] if tool < 0 else tools[tool] for thing, tool in zip(things, known, strict=True)]
    return {
        "kind": [*[0] * scenarios, *(2 if tool < 0 else 1 for tool in known)],
        "to": [*range(scenarios), *known],
        "label": [*index.data["scenarios"]["label"][:scenarios], *labels],
        "support": [*index.data["scenarios"]["support"][:scenarios], *(sharing[thing] for thing in things)],
        "x": [round(float(x), 2) for x in places[:, 0]],
        "y": [round(float(y), 2) for y in places[:, 1]],
        "starts": [scenario for scenario, _, _ in pairs],
        "ends": [scenarios + thing for _, thing, _ in pairs],
        "left_out": len(index.scenarios) + len(shared) - scenarios - len(things),
    }


def _links(graph: StoredGraph, index: Index) -> dict[tuple[int, str], int]:
    """The scenarios and the tools and actions of their steps, with the largest support of such a step."""
    scenario_of = dict(zip(index.steps, index.data["steps"]["scenario"], strict=True))
    links: dict[tuple[int, str], int] = defaultdict(int)
    for relation in ("USES", "EXPRESSED_AS"):
        for row in graph.rows(relation, ("from_id", "to_id", "support")):
            scenario = scenario_of.get(row["from_id"], -1)
            if scenario >= 0 and (relation == "EXPRESSED_AS" or row["to_id"] in index.tools):
                edge = (scenario, row["to_id"])
                links[edge] = max(links[edge], row["support"])
    return links


def _places(scenarios: int, things: int, pairs: Sequence[tuple[int, int, int]]) -> _Places:
    """The places of the scenarios, then of the things: each near the mean of its scenarios."""
    counts = np.bincount([thing for _, thing, _ in pairs], minlength=things).astype(float)
    # What few scenarios share says more of them.
    weights = {(scenario, thing): 1 / counts[thing] for scenario, thing, _ in pairs}
    first = _by_forces(scenarios, weights) if scenarios <= _MOST_BY_FORCES else _by_vectors(scenarios, things, weights)
    middle = np.zeros((things, 2))
    for scenario, thing in weights:
        middle[thing] += first[scenario] / counts[thing]
    turns = np.arange(things) * _GOLDEN
    # Things of the same scenarios would lie on each other.
    reach = 6 * math.sqrt(1000 / max(1000, things)) * np.sqrt(0.2 + np.arange(things) % 7)
    return np.concatenate([first, middle + reach[:, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)])


def _by_forces(scenarios: int, weights: Mapping[tuple[int, int], float]) -> _Places:
    """Places where scenarios that share something attract each other (Fruchterman, Reingold 1991)."""
    import networkx as nx

    drawn = nx.Graph()
    drawn.add_nodes_from(range(scenarios))
    having: dict[int, list[int]] = defaultdict(list)
    for scenario, thing in weights:
        having[thing].append(scenario)
    for thing, several in having.items():
        for a in several:
            for b in several:
                if a < b:
                    before = drawn.get_edge_data(a, b, {"weight": 0.0})["weight"]
                    drawn.add_edge(a, b, weight=before + weights[a, thing])
    if not scenarios:
        return np.zeros((0, 2))
    around = _around(scenarios)
    start = {node: around[node] / 100 for node in drawn}
    places = nx.spring_layout(drawn, pos=start, iterations=60, seed=1)
    return _evenly(np.array([places[node] for node in range(scenarios)]))


def _evenly(places: _Places) -> _Places:
    """The places in the same directions from their centre, at distances that fill a disc."""
    from_centre = places - np.median(places, axis=0)
    # Last digits differ between processors, and would change the order of places that are equally far.
    distances = np.round(np.hypot(from_centre[:, 0], from_centre[:, 1]), 6)
    ranks = np.argsort(np.argsort(distances, kind="stable"), kind="stable")
    reach = 100 * np.sqrt((ranks + 0.5) / len(places))
    return np.asarray(from_centre / np.maximum(distances, 1e-6)[:, None] * reach[:, None])


def _by_vectors(scenarios: int, things: int, weights: Mapping[tuple[int, int], float]) -> _Places:
    """Places by the ranks of the second and third singular vector, which spread the scenarios evenly."""
    if things < 4 or not weights:
        return _around(scenarios)
    rows, columns = (np.array(part) for part in zip(*weights, strict=True))
    values = np.sqrt(list(weights.values()))
    values /= np.sqrt(np.bincount(rows, values**2, minlength=scenarios))[rows]

    def squared(vectors: _Places) -> _Places:
        """The table times its transpose times vectors of scenarios, (scenarios, vectors)."""
        of_things = [np.bincount(columns, values * vector[rows], minlength=things) for vector in vectors.T]
        of_scenarios = [np.bincount(rows, values * vector[columns], minlength=scenarios) for vector in of_things]
        return np.stack(of_scenarios, axis=1)

    # Subspace iteration (Halko et al. 2011), from a start that is not random, so that a graph always has the same map.
    vectors = np.cos(np.outer(np.arange(scenarios), np.arange(1, 2 * _VECTORS)))
    for _ in range(_ROUNDS):
        vectors = np.linalg.qr(squared(vectors))[0]
    _, turned = np.linalg.eigh(vectors.T @ squared(vectors))
    vectors = (vectors @ turned)[:, ::-1][:, 1:_VECTORS]
    # The sign of a vector is arbitrary.
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), [0, 1]])
    ranks = np.argsort(np.argsort(np.round(vectors, 6), axis=0, kind="stable"), axis=0, kind="stable")
    return np.asarray((ranks / scenarios - 0.5) * 200)


def _around(count: int) -> _Places:
    """Places that fill a disc evenly."""
    numbers = np.arange(count)
    reach = 100 * np.sqrt((numbers + 0.5) / max(1, count))
    return np.stack([reach * np.cos(numbers * _GOLDEN), reach * np.sin(numbers * _GOLDEN)], axis=1)
