"""The Parquet tables of a script graph: one per node type and one per relation type."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import RecordError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import ValueType
from schemas.vocabulary import ID_PREFIXES

ROWS_A_GROUP = 65_536
"""The rows of a row group of a table; a reader holds one row group at once."""

ARROW_TYPES: dict[ValueType, pa.DataType] = {
    ValueType.STRING: pa.string(),
    ValueType.STRINGS: pa.list_(pa.string()),
    ValueType.INTEGER: pa.int64(),
    ValueType.NUMBER: pa.float64(),
    ValueType.BOOLEAN: pa.bool_(),
    ValueType.NODE: pa.string(),
    ValueType.NODES: pa.list_(pa.string()),
}
_RARELY_REPEATED = ("Passage", "ChangeInstance", "Statement")
"""Node types of which few relations in a row group share a node."""


def key_columns(name: str) -> tuple[str, ...]:
    """The columns by which a table is sorted; their values are unique."""
    return ("id",) if name in NODE_TYPES else ("from_id", "to_id")


def table_schema(name: str) -> pa.Schema:
    """The columns of the table of a node type (`id` first) or relation type (`from_id`, `to_id` first)."""
    properties = NODE_TYPES[name].properties if name in NODE_TYPES else RELATION_TYPES[name].properties
    keys = [pa.field(column, pa.string(), nullable=False) for column in key_columns(name)]
    columns = [pa.field(item.name, ARROW_TYPES[item.type], nullable=not item.required) for item in properties]
    return pa.schema([*keys, *columns])


def repeating_columns(name: str) -> list[str]:
    """The columns whose values repeat within a row group, so that dictionary encoding pays off."""
    unique = {"id", "statement"}
    if name in RELATION_TYPES:
        for ends in RELATION_TYPES[name].ends:
            unique.update(key for key, end in zip(key_columns(name), ends, strict=True) if end in _RARELY_REPEATED)
    return [column for column in table_schema(name).names if column not in unique]


def table_path(name: str) -> PurePosixPath:
    """The path of the table within a graph directory."""
    return PurePosixPath("nodes" if name in NODE_TYPES else "relations", f"{name}.parquet")


TABLE_NAMES: tuple[str, ...] = (*NODE_TYPES, *RELATION_TYPES)


def check_batch(name: str, batch: pa.RecordBatch, after: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Check the rows of a table; return the key of the last one (`after` if there are no rows).

    `after` is the key of the last row before these. Keys ascend strictly by code point, required values are not
    null, ids begin with the prefix of their node type, and lists of nodes ascend strictly.

    Raises
    ------
    RecordError
        If one of these does not hold.
    """
    schema = table_schema(name)
    if batch.schema != schema:
        raise RecordError(f"rows of {name} have the columns {batch.schema.names}", remedy=f"they are {schema.names}")
    if batch.num_rows == 0:
        return after
    for item in schema:
        if not item.nullable and batch.column(item.name).null_count:
            raise RecordError(f"{name}.{item.name} is missing in {batch.column(item.name).null_count} rows")
    _check_ids(name, batch)
    _check_lists_of_nodes(name, batch)
    columns = [batch.column(column) for column in key_columns(name)]
    first = tuple(column[0].as_py() for column in columns)
    if after is not None and first <= after:
        _refuse_order(name, first)
    ascending = _ascending(columns)
    if not pc.all(ascending, min_count=0).as_py():
        row = pc.index(ascending, False).as_py() + 1
        _refuse_order(name, tuple(column[row].as_py() for column in columns))
    return tuple(column[-1].as_py() for column in columns)


def _ascending(columns: list[pa.Array]) -> pa.Array:
    """For each row but the first, whether its key is larger than the one before."""
    larger = None
    for column in reversed(columns):
        before, here = column[:-1], column[1:]
        greater = pc.greater(here, before)
        larger = greater if larger is None else pc.or_(greater, pc.and_(pc.equal(here, before), larger))
    return larger


def _refuse_order(name: str, key: tuple[str, ...]) -> NoReturn:
    raise RecordError(f"{name} is out of order or twice at {key}", remedy="rows ascend strictly by key")


def _check_lists_of_nodes(name: str, batch: pa.RecordBatch) -> None:
    properties = NODE_TYPES[name].properties if name in NODE_TYPES else RELATION_TYPES[name].properties
    for item in properties:
        if item.type is ValueType.NODES:
            rows = pc.list_parent_indices(batch.column(item.name))
            ids = pc.list_flatten(batch.column(item.name))
            in_one_row = pc.equal(rows[1:], rows[:-1])
            if ids.null_count or pc.any(pc.and_(in_one_row, pc.less_equal(ids[1:], ids[:-1]))).as_py():
                raise RecordError(
                    f"{name}.{item.name} is out of order or has an id twice", remedy="ids ascend strictly"
                )


def _check_ids(name: str, batch: pa.RecordBatch) -> None:
    if name in NODE_TYPES:
        ends: tuple[tuple[str, ...], ...] = ((name,),)
    else:
        ends = RELATION_TYPES[name].ends
    fits = None
    for node_types in ends:
        pair = None
        for column, node_type in zip(key_columns(name), node_types, strict=True):
            begins = pc.starts_with(batch.column(column), ID_PREFIXES[node_type] + "/")
            pair = begins if pair is None else pc.and_(pair, begins)
        fits = pair if fits is None else pc.or_(fits, pair)
    if not pc.all(fits).as_py():
        row = batch.slice(pc.index(fits, False).as_py(), 1).select(key_columns(name)).to_pylist()[0]
        raise RecordError(
            f"{name} cannot hold {row}", remedy=f"it joins {' or '.join(' -> '.join(pair) for pair in ends)}"
        )
