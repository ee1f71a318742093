"""The spans of a record: its fields `start` and `end`, pairs such as `word_start` and `word_end`, and spans of nested
records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any

import pyarrow as pa
from attrs import frozen

from kgscripts.records.kinds import record_schema

_START, _END = "start", "end"


@frozen
class RecordSpan:
    """A span of a record; `name` is that of the part or of the pair of fields, "" for the record's own."""

    name: str
    start: int
    end: int


def spans_of(record: object) -> Iterator[RecordSpan]:
    """The spans of a record and of everything in it; a pair of fields that are None is no span.

    Raises
    ------
    ConfigurationError
        If its class is no kind of record.
    """
    kind: type = type(record)
    return _spans(record, _layout_of(kind), "")


@frozen
class _Layout:
    """Where a class has spans: pairs of fields with their names, and fields with the depth of their tuples."""

    pairs: tuple[tuple[str, str, str], ...]
    parts: tuple[tuple[str, int, _Layout], ...]


@cache
def _layout_of(kind: type) -> _Layout:
    return _layout(record_schema(kind))


def _layout(columns: Iterable[pa.Field]) -> _Layout:
    types = {column.name: column.type for column in columns}
    pairs = tuple(
        (name.removesuffix(_START).rstrip("_"), name, end)
        for name, kind in types.items()
        if (name == _START or name.endswith(f"_{_START}")) and pa.types.is_integer(kind)
        if pa.types.is_integer(types.get(end := name.removesuffix(_START) + _END, pa.null()))
    )
    parts = []
    for name, kind in types.items():
        depth = 0
        while pa.types.is_list(kind):
            kind, depth = kind.value_type, depth + 1
        if pa.types.is_struct(kind):
            inner = _layout(kind)
            if inner.pairs or inner.parts:
                parts.append((name, depth, inner))
    return _Layout(pairs, tuple(parts))


def _spans(value: Any, layout: _Layout, outer: str) -> Iterator[RecordSpan]:
    for name, start_name, end_name in layout.pairs:
        start, end = getattr(value, start_name), getattr(value, end_name)
        if start is not None or end is not None:
            yield RecordSpan(name or outer, start, end)
    for name, depth, inner in layout.parts:
        parts: Iterable[Any] = (getattr(value, name),)
        for _ in range(depth):
            parts = chain.from_iterable(part for part in parts if part is not None)
        for part in parts:
            if part is not None:
                yield from _spans(part, inner, name)
