"""Links between broader and related scenarios (SKOS) that are in the graph."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from exports.rdf.descriptions import Chunk, Description, Reference, Value
from schemas.scenario_documents import concept_scheme
from schemas.script_graph import StoredGraph


def describe_links(graph: StoredGraph) -> Iterator[Chunk]:
    """Link the listed scenarios of the graph to those that are broader or related."""
    scenarios = graph.table("Scenario").select(["label", "id"])
    ids = dict(zip(*(column.to_pylist() for column in scenarios.columns), strict=True))
    present = [concept for concept in concept_scheme() if concept.label in ids]
    for predicate, pairs in (
        ("skos:broader", [(concept.label, other) for concept in present for other in concept.broader]),
        ("skos:related", [(concept.label, other) for concept in present for other in concept.related]),
    ):
        rows = [(ids[label], ids[other]) for label, other in pairs if other in ids]
        if rows:
            starts, ends = (pa.array(column) for column in zip(*rows, strict=True))
            yield Chunk((Description(starts, (), (Value(predicate, ends, Reference.DATA),)),))
