"""How good a built graph is by itself, without gold: what is missing in it, what contradicts, and what stands twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import duckdb
import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from kgscripts.evaluation.result import Evaluation, Example, Figure, System, counts
from kgscripts.models.sentence_vectors import quantised_vectors
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.provenance import Direction
from schemas.script_graph import StoredGraph

NEAR_DUPLICATE = 0.9
"""From this cosine of their labels' vectors on, two steps of a scenario are near-duplicates."""
_BLOCK = 1024
"""Steps that are compared with all others of their scenario at a time, which bounds memory."""
_NO_RELATION_NEEDED = ("BenchmarkScore", "Correction", "Model")


@frozen
class Conformance:
    """How many nodes were checked against the SHACL shapes, and how many of them conform."""

    checked: int
    conforming: int


def evaluate_graph(
    graph: StoredGraph, conformance: Conformance | None, on_part: Callable[[str], object] = lambda _: None
) -> Evaluation:
    """Measure a graph. Shares are of what the metric names; `conformance` is None where shapes were not checked.

    - *statements with evidence*: share of the statements that a passage stands for; predicted ones have none.
    - *sources without a script*: share of the sources without a scenario.
    - *orphans*: share of the nodes that no relation begins or ends at.
    - *order conflicts*: share of the PRECEDES relations that lie on a circle. *Contradicted orders*: share of those
      that some source tells the other way round.
    - *labels without an object*: share of the steps whose most frequent action has neither an object nor a
      prepositional object ("go").
    - *near-duplicate steps*: share of the steps with another step of their scenario whose label has a vector with a
      cosine of at least `NEAR_DUPLICATE`.

    Raises GraphDirectoryError if a table is damaged, and ModelError if MiniLM is not found.
    """
    figures: list[Figure] = []
    if conformance is not None:
        figures.append(_good("nodes that conform to the shapes", conformance.conforming, conformance.checked))
    on_part("evidence")
    statements, with_evidence = graph.manifest.rows("Statement"), len(_ends(graph, "EVIDENCED_BY", "from_id"))
    figures.append(_good("statements with evidence", with_evidence, statements))
    sources = graph.manifest.rows("Source")
    told = pc.sum(pc.starts_with(_ends(graph, "ABOUT", "from_id"), "source/")).as_py() or 0
    figures.append(_bad("sources without a script", sources - told, sources))
    on_part("orphans")
    orphans, nodes = _orphans(graph)
    figures.append(_bad("orphans", sum(orphans.values()), nodes))
    figures += (_bad("orphans", number, graph.manifest.rows(name), name) for name, number in orphans.items() if number)
    on_part("order")
    circular, contradicted, orders = _order(graph)
    figures += [_bad("order conflicts", circular, orders), _bad("contradicted orders", contradicted, orders)]
    on_part("labels")
    steps = graph.manifest.rows("SubEvent")
    bare = _without_object(graph)
    figures.append(_bad("labels without an object", len(bare), steps))
    on_part("near-duplicates")
    alike = _near_duplicates(graph)
    figures.append(_bad("near-duplicate steps", len(alike), steps))
    figures += counts({"scenarios": graph.manifest.rows("Scenario"), "steps": steps, "sources": sources})
    name = graph.directory.name or "graph"
    return Evaluation(
        task="graph",
        dataset=name,
        split=f"build {graph.build_id[:12]}",
        systems=[System(name=name, figures=figures)],
        notes=[] if conformance else ["Shapes were not checked: pip install 'kgscripts[shacl]'"],
        examples=[
            *(Example(system=name, where="a label without an object", text=label, gold=(), found=()) for label in bare),
            *(
                Example(system=name, where=f"near-duplicates in {scenario}", text=label, gold=(), found=others)
                for scenario, label, others in alike
            ),
        ],
    )


def _good(metric: str, part: int, whole: int) -> Figure:
    """A share of which more is better; of nothing, it is 1."""
    return Figure(metric=metric, value=part / whole if whole else 1.0)


def _bad(metric: str, part: int, whole: int, of: str = "") -> Figure:
    """A share of which less is better; of nothing, it is 0."""
    return Figure(metric=metric, value=part / whole if whole else 0.0, direction=Direction.LOWER, part=of)


def _ends(graph: StoredGraph, relation: str, column: str) -> pa.Array:
    """The distinct ids at one end of a relation."""
    chunks = [batch.column(column).unique() for batch in graph.batches(relation)]
    return pa.chunked_array(chunks, pa.string()).unique()


def _orphans(graph: StoredGraph) -> tuple[dict[str, int], int]:
    """The number of nodes of each type that no relation begins or ends at, and that of all nodes of these types."""
    orphans: dict[str, int] = {}
    nodes = 0
    for name in NODE_TYPES:
        if name in _NO_RELATION_NEEDED:
            continue
        related = [
            _ends(graph, relation, column)
            for relation, kind in RELATION_TYPES.items()
            for column, place in (("from_id", 0), ("to_id", 1))
            if any(ends[place] == name for ends in kind.ends)
        ]
        known = pa.chunked_array(related, pa.string()).unique()
        ids = graph.select(name, ["id"])["id"]
        nodes += len(ids)
        orphans[name] = len(ids) - (pc.sum(pc.is_in(ids, value_set=known)).as_py() or 0)
    return orphans, nodes


def _order(graph: StoredGraph) -> tuple[int, int, int]:
    """The PRECEDES relations that lie on a circle, those that some source contradicts, and all."""
    rows = graph.select("PRECEDES", ["from_id", "to_id", "probability"])
    order = nx.DiGraph(zip(rows["from_id"].to_pylist(), rows["to_id"].to_pylist(), strict=True))
    component = {step: number for number, steps in enumerate(nx.strongly_connected_components(order)) for step in steps}
    circular = sum(component[start] == component[end] for start, end in order.edges)
    return circular, pc.sum(pc.less(rows["probability"], 1)).as_py() or 0, rows.num_rows


def _without_object(graph: StoredGraph) -> list[str]:
    """The labels of the steps whose most frequent action has no object."""
    with duckdb.connect() as connection:
        connection.register("step", graph.select("SubEvent", ["id", "label"]))
        connection.register("action", graph.select("Action", ["id", "object", "prepositional_object"]))
        connection.register("expressed_as", graph.select("EXPRESSED_AS", ["from_id", "to_id", "support"]))
        rows = connection.execute(
            """
            SELECT s.label FROM step s JOIN (
                SELECT from_id, arg_max(to_id, (support, to_id)) AS leading FROM expressed_as GROUP BY from_id
            ) e ON s.id = e.from_id JOIN action a ON a.id = e.leading
            WHERE a.object IS NULL AND a.prepositional_object IS NULL ORDER BY s.label
            """
        ).fetchall()
    return [label for (label,) in rows]


def _near_duplicates(graph: StoredGraph) -> list[tuple[str, str, list[str]]]:
    """Scenario and label of each step with near-duplicates, and their labels."""
    names: Mapping[str, str] = dict(
        zip(*(column.to_pylist() for column in graph.select("Scenario", ["id", "label"]).columns), strict=True)
    )
    steps = graph.select("SubEvent", ["scenario", "label"]).sort_by([("scenario", "ascending"), ("label", "ascending")])
    by_scenario: dict[str, list[str]] = {}
    for scenario, label in zip(steps["scenario"].to_pylist(), steps["label"].to_pylist(), strict=True):
        if scenario is not None:
            by_scenario.setdefault(scenario, []).append(label)
    return [
        (names[scenario], labels[row], [labels[other] for other in others])
        for scenario, labels in by_scenario.items()
        for row, others in _alike(labels)
    ]


def _alike(labels: Sequence[str]) -> list[tuple[int, list[int]]]:
    """The rows of labels with near-duplicates, each with those."""
    vectors = quantised_vectors(labels).astype(np.float32)
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
    alike: list[tuple[int, list[int]]] = []
    for start in range(0, len(labels), _BLOCK):
        near = units[start : start + _BLOCK] @ units.T >= NEAR_DUPLICATE
        for row, others in enumerate(near, start):
            others[row] = False
            if others.any():
                alike.append((row, np.flatnonzero(others).tolist()))
    return alike
