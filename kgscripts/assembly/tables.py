"""From columns to the batches of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from schemas.tables import table_schema

_ROWS = 65_536


def batches(name: str, columns: Mapping[str, Sequence[Any] | npt.NDArray[Any] | pa.Array]) -> Iterator[pa.RecordBatch]:
    """The columns of table `name` as one batch; columns that are missing are null, and so is NaN."""
    schema = table_schema(name)
    rows = len(next(iter(columns.values())))
    arrays = [
        pa.array(columns[item.name], item.type, from_pandas=True) if item.name in columns else pa.nulls(rows, item.type)
        for item in schema
    ]
    yield from pa.Table.from_arrays(arrays, schema=schema).to_batches(max_chunksize=_ROWS)


def taken(name: str, columns: Mapping[str, tuple[pa.Array, npt.NDArray[np.int64]]]) -> Iterator[pa.RecordBatch]:
    """A table whose columns are places in arrays of ids or values, which are looked up batch by batch."""
    schema = table_schema(name)
    rows = len(next(iter(columns.values()))[1])
    for start in range(0, rows, _ROWS):
        arrays = [columns[item.name][0].take(pa.array(columns[item.name][1][start : start + _ROWS])) for item in schema]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
