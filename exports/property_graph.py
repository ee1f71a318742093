"""The script graph as a property graph: types are labels and relationship types, every node has its `iri`.

All property-graph stores get the same rows from here, so that one Cypher text means the same in each of them.
Properties that hold a node (`ValueType.NODE`) hold its IRI.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.graph_types import NODE_TYPES, RELATION_TYPES, Property, ValueType
from schemas.script_graph import ScriptGraph
from schemas.vocabulary import ID_PREFIXES

KEY = "iri"
ENDS = ("from_iri", "to_iri")


def quoted(name: str) -> str:
    """A name of the schema as Cypher writes it: some, like `end`, are reserved words in one store or another."""
    return f"`{name}`"


def node_batches(graph: ScriptGraph, label: str) -> Iterator[pa.RecordBatch]:
    """The nodes of one type: the column `iri`, then the type's properties in their order."""
    properties = NODE_TYPES[label].properties
    for batch in graph.batches(label):
        yield _with_iris(graph, batch, (KEY,), properties)


def relation_batches(graph: ScriptGraph, name: str, ends: tuple[str, str]) -> Iterator[pa.RecordBatch]:
    """The relations of one type between one pair of node types: `from_iri`, `to_iri`, then the properties."""
    relation = RELATION_TYPES[name]
    start, end = (ID_PREFIXES[label] + "/" for label in ends)
    for batch in graph.batches(name):
        if len(relation.ends) > 1:
            fits = pc.and_(pc.starts_with(batch.column(0), start), pc.starts_with(batch.column(1), end))
            batch = batch.filter(fits)
        if batch.num_rows:
            yield _with_iris(graph, batch, ENDS, relation.properties)


def _with_iris(
    graph: ScriptGraph, batch: pa.RecordBatch, keys: tuple[str, ...], properties: tuple[Property, ...]
) -> pa.RecordBatch:
    names = [*keys, *(item.name for item in properties)]
    holds_iri = [True] * len(keys) + [item.type is ValueType.NODE for item in properties]
    columns = [
        pc.binary_join_element_wise(graph.manifest.base_iri, column, "") if is_iri else column
        for column, is_iri in zip(batch.columns, holds_iri, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=names)


def portions(batch: pa.RecordBatch, rows: int, size: int) -> Iterator[pa.RecordBatch]:
    """`batch` in slices of at most `rows` rows and, unless a single row is larger, `size` bytes."""
    if batch.num_rows <= rows and (batch.nbytes <= size or batch.num_rows < 2):
        yield batch
        return
    step = min(rows, (batch.num_rows + 1) // 2)
    for start in range(0, batch.num_rows, step):
        yield from portions(batch.slice(start, step), rows, size)


def count(graph: ScriptGraph) -> tuple[int, int]:
    """Number of nodes and of relations."""
    return sum(map(graph.manifest.rows, NODE_TYPES)), sum(map(graph.manifest.rows, RELATION_TYPES))
