"""Reading the tables of a script graph, whole or in part. Damage is an error before any row is used."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from attrs import frozen

from schemas.arguments import check_type, items_of, shown
from schemas.errors import ConfigurationError, GraphDirectoryError
from schemas.tables import table_schema

_PYTHON_TYPES: dict[pa.DataType, type] = {
    pa.string(): str,
    pa.int64(): Integral,
    pa.float64(): Real,
    pa.bool_(): bool,
}
"""The type of the values of a column; columns of lists have no conditions."""


_Rows = TypeVar("_Rows", pa.RecordBatch, pa.Table)


def read_batches(file: Path, table: str, rows: int) -> Iterator[pa.RecordBatch]:
    """Iterate over a table in batches of at most `rows` rows; the errors are those of `StoredGraph.batches`."""
    with _opened(file, table) as parquet:
        for batch in parquet.iter_batches(batch_size=rows):
            yield _checked(batch)


def select_rows(
    file: Path | None, table: str, columns: Iterable[str] | None = None, where: Mapping[str, Any] | None = None
) -> pa.Table:
    """Read some columns of some rows of a table. A table without a file has no rows.

    The other arguments and errors are those of `StoredGraph.select`.
    """
    schema = table_schema(table)
    wanted = schema.names if columns is None else items_of("columns", columns)
    if not wanted:
        raise ConfigurationError("columns is empty", remedy=f"name one of {', '.join(schema.names)}")
    if where is not None:
        check_type("where", where, Mapping, "give a mapping of columns to values")
    for column in (*wanted, *(where or ())):
        if column not in schema.names:
            raise ConfigurationError(
                f"{table} has no column {shown(column)}", remedy=f"name one of {', '.join(schema.names)}"
            )
    conditions = [_Condition.of(table, schema.field(column), values) for column, values in (where or {}).items()]
    parts = [schema.empty_table().select(wanted)]
    if file is None:
        return parts[0]
    with _opened(file, table) as parquet:
        places = {parquet.schema.column(place).path: place for place in range(len(parquet.schema))}
        for group in range(parquet.num_row_groups):
            metadata = parquet.metadata.row_group(group)
            among = {each.column: each.possible(metadata.column(places[each.column])) for each in conditions}
            if all(len(values) for values in among.values()):
                parts += _of_group(parquet, group, wanted, among)
    return pa.concat_tables(parts)


def _of_group(
    parquet: pq.ParquetFile, group: int, columns: Sequence[str], among: Mapping[str, pa.Array]
) -> Iterator[pa.Table]:
    """The rows of a row group in which each column has one of its values; other columns are read if there are some."""
    tested = _checked(parquet.read_row_group(group, [*among]))
    holds = None
    for column, values in among.items():
        is_one = pc.is_in(tested[column], value_set=values)
        holds = is_one if holds is None else pc.and_(holds, is_one)
    if holds is not None and not pc.any(holds, min_count=0).as_py():
        return
    rows = _checked(parquet.read_row_group(group, [column for column in columns if column not in among]))
    for column in among:
        rows = rows.append_column(tested.field(column), tested[column])
    yield (rows if holds is None else rows.filter(holds)).select(columns)


@contextmanager
def _opened(file: Path, table: str) -> Iterator[pq.ParquetFile]:
    """The file of a table that has the columns of its type; errors of reading inside say that it is damaged."""
    try:
        # Absolute, since pyarrow takes a relative ``~`` or ``s3:x`` for a home or an address.
        with pq.ParquetFile(file.absolute()) as parquet:
            if parquet.schema_arrow != table_schema(table):
                raise GraphDirectoryError(
                    f"has the columns {parquet.schema_arrow.names}", where=str(file), remedy="build the graph again"
                )
            yield parquet
    except (OSError, ValueError, pa.ArrowException) as error:
        raise GraphDirectoryError(
            f"the table is damaged ({error})", where=str(file), remedy="run `kgscripts build-graph` again"
        ) from error


def _checked(rows: _Rows) -> _Rows:
    """`rows` if they are whole: text that is no UTF-8 would be found only where it is used."""
    rows.validate(full=True)
    if any(rows.column(item.name).null_count for item in rows.schema if not item.nullable):
        raise pa.ArrowInvalid("a required value is missing")
    return rows


@frozen(eq=False)
class _Condition:
    """The values that a column may have, ascending; `null` if it may have none."""

    column: str
    values: list[Any]
    array: pa.Array
    null: bool

    @classmethod
    def of(cls, table: str, column: pa.Field, among: object) -> _Condition:
        """That of a value, None, or a collection of them, for a column of a table.

        Raises
        ------
        ConfigurationError
            If one is no value of the column.
        """
        if column.type not in _PYTHON_TYPES:
            raise ConfigurationError(
                f"{table}.{column.name} has lists, which have no conditions", remedy="select it and compare the lists"
            )
        kind = _PYTHON_TYPES[column.type]
        values: set[Any] = set()
        null = False
        for value in values_of(among):
            if value is None:
                null = True
            # A bool is an Integral and a Real, too.
            elif isinstance(value, kind) and isinstance(value, bool) == (kind is bool):
                values.add(value)
            else:
                raise _no_value(table, column, value)
        listed = sorted(values)
        if pa.types.is_floating(column.type) and 0 in values:
            listed += (0.0, -0.0)  # Arrow tells them apart.
        try:
            return cls(column.name, listed, pa.array(listed, column.type), null)
        except (pa.ArrowException, ValueError, OverflowError) as error:
            raise _no_value(table, column, among) from error

    def possible(self, chunk: pq.ColumnChunkMetaData) -> pa.Array:
        """The values that a row group can have in this column, by its statistics."""
        statistics, values, null = chunk.statistics, self.array, self.null
        # Floating numbers are not compared: their statistics leave out NaN.
        if statistics is not None and statistics.has_min_max and not pa.types.is_floating(values.type):
            start = bisect_left(self.values, statistics.min)
            values = values.slice(start, bisect_right(self.values, statistics.max) - start)
        if statistics is not None and statistics.has_null_count and not statistics.null_count:
            null = False
        return pa.concat_arrays([values, pa.nulls(1, values.type)]) if null else values


def values_of(among: object) -> list[Any]:
    """The values of a condition, which is one of them or a collection."""
    if isinstance(among, pa.Array | pa.ChunkedArray):
        return list(among.to_pylist())
    return list(among) if isinstance(among, Iterable) and not isinstance(among, str | bytes) else [among]


def _no_value(table: str, column: pa.Field, value: object) -> ConfigurationError:
    return ConfigurationError(
        f"{shown(value)} is no value of {table}.{column.name}", remedy=f"give one of the type {column.type}, or None"
    )
