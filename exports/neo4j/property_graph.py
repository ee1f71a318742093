"""The script graph as a property graph: types are labels and relationship types, every node has its `iri`.

All property-graph stores get the same rows from here, so that a Cypher query means the same in each of them.
Properties that name nodes (`ValueType.NODE`, `ValueType.NODES`) hold their IRIs.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import StoredGraph
from schemas.tables import ARROW_TYPES
from schemas.type_declarations import Property, ValueType, id_prefix
from schemas.vocabulary import ID_PREFIXES

KEY = "iri"
ENDS = ("from_iri", "to_iri")
_HOLDS_IRI = {b"kgscripts": b"iri"}


def quoted(name: str) -> str:
    """Quote a name of the schema for Cypher: some, like `end`, are reserved words in some stores."""
    return f"`{name}`"


def node_schema(label: str) -> pa.Schema:
    """The columns of `node_batches`."""
    return _schema((KEY,), NODE_TYPES[label].properties)


def relation_schema(name: str) -> pa.Schema:
    """The columns of `relation_batches`."""
    return _schema(ENDS, RELATION_TYPES[name].properties)


def node_batches(graph: StoredGraph, label: str) -> Iterator[pa.RecordBatch]:
    """The nodes of one type: the column `iri`, then the type's properties in their order."""
    schema = node_schema(label)
    for batch in graph.batches(label):
        yield _with_iris(graph, batch, schema)


def relation_batches(graph: StoredGraph, name: str, ends: tuple[str, str] | None = None) -> Iterator[pa.RecordBatch]:
    """The relations of one type, between one pair of node types or all: `from_iri`, `to_iri`, then the properties."""
    schema = relation_schema(name)
    for batch in graph.batches(name):
        if ends is not None and len(RELATION_TYPES[name].ends) > 1:
            start, end = (ID_PREFIXES[label] + "/" for label in ends)
            fits = pc.and_(pc.starts_with(batch.column(0), start), pc.starts_with(batch.column(1), end))
            batch = batch.filter(fits)
        if batch.num_rows:
            yield _with_iris(graph, batch, schema)


def _schema(keys: tuple[str, ...], properties: tuple[Property, ...]) -> pa.Schema:
    fields = [pa.field(key, pa.string(), metadata=_HOLDS_IRI) for key in keys]
    for item in properties:
        metadata = _HOLDS_IRI if item.type in (ValueType.NODE, ValueType.NODES) else None
        fields.append(pa.field(item.name, ARROW_TYPES[item.type], metadata=metadata))
    return pa.schema(fields)


def _with_iris(graph: StoredGraph, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        _iris(graph.manifest.base_iri, column) if field.metadata else column
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _iris(base_iri: str, ids: pa.Array) -> pa.Array:
    if not pa.types.is_list(ids.type):
        return pc.binary_join_element_wise(base_iri, ids, "")
    ends = pc.cumulative_sum(pc.list_value_length(ids))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    return pa.ListArray.from_arrays(offsets, _iris(base_iri, pc.list_flatten(ids)))


def portions(batch: pa.RecordBatch, rows: int, size: int) -> Iterator[pa.RecordBatch]:
    """`batch` in slices of at most `rows` rows and, unless a single row is larger, `size` bytes."""
    if batch.num_rows <= rows and (batch.nbytes <= size or batch.num_rows < 2):
        yield batch
        return
    # Halved again until the bytes fit, since some rows are much larger than others.
    step = min(rows, (batch.num_rows + 1) // 2)
    for start in range(0, batch.num_rows, step):
        yield from portions(batch.slice(start, step), rows, size)


_HEADER = """\
// The exporter creates these before it writes: the IRI of a node of each type is unique, which also indexes it.
// Each statement ends in a semicolon, and running them again changes nothing. Neo4j 5 or later, any edition.
"""


def constraints() -> Iterator[str]:
    """A Cypher statement for each node type."""
    for name in NODE_TYPES:
        constraint = f"kgscripts_{id_prefix(name).replace('-', '_')}_iri"
        yield f"CREATE CONSTRAINT {constraint} IF NOT EXISTS FOR (node:{name}) REQUIRE node.iri IS UNIQUE"


def constraints_text() -> str:
    """The constraints as a script for ``cypher-shell``."""
    return _HEADER + "".join(f"{statement};\n" for statement in constraints())
