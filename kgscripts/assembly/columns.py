"""Rows of nested records as flat Python columns: many times faster than a dictionary a row."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from attrs import frozen


@frozen
class Lists:
    """A column of lists of structs: the structs of row `i` are `starts[i]` to `starts[i + 1]` of every field."""

    starts: list[int]
    fields: dict[str, Any]
    """Values by field name; a field that holds lists again is `Lists`."""

    def rows(self, row: int) -> range:
        """The structs of one row."""
        return range(self.starts[row], self.starts[row + 1])


def lists(column: pa.ListArray) -> Lists:
    """The column taken apart."""
    offsets = column.offsets.to_pylist()
    structs = column.flatten()
    names = [structs.type.field(i).name for i in range(structs.type.num_fields)]
    return Lists(
        [offset - offsets[0] for offset in offsets],
        {name: _values(array) for name, array in zip(names, structs.flatten(), strict=True)},
    )


def _values(array: pa.Array) -> Any:
    return lists(array) if pa.types.is_list(array.type) else array.to_pylist()
