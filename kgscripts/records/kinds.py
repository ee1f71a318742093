"""Kinds of records: the columns of the table of an attrs class, and the conversion of its records to rows and back.

A kind is a frozen attrs class whose fields are `str`, `int`, `float`, `bool`, a `StrEnum`, another attrs class, a tuple
of these (``tuple[X, ...]``), or any of them ``| None``. Fields with ``init=False`` are not stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc
from attrs import fields, has
from cattrs import Converter

from schemas.errors import ConfigurationError, RecordError

KEY = pa.schema(
    [
        pa.field(name, kind, nullable=False)
        for name, kind in (("subject", pa.string()), ("extractor", pa.string()), ("ordinal", pa.int64()))
    ]
)
"""The first columns of every table: digest of the document (or of what an enricher read), digest of the extractor, and
the number, from 0, of the record among those of its kind that this extractor gave for this subject."""

_TYPES: dict[Any, pa.DataType] = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
_CONVERTER = Converter(detailed_validation=False)


def kind_name(kind: type) -> str:
    """The name of a kind of record: ``event_mention`` for `EventMention`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind.__name__).lower()


@cache
def record_schema(kind: type) -> pa.Schema:
    """The columns of the table of `kind`: `KEY`, then one column for each field.

    Raises
    ------
    ConfigurationError
        If `kind` is not an attrs class, or a field has a type that has no column.
    """
    if not has(kind):
        raise ConfigurationError(f"{kind.__name__} is no attrs class", remedy="declare it with `attrs.frozen`")
    columns = _columns(kind, ())
    for column in columns:
        if column.name in KEY.names:
            raise _unsupported(kind, column.name, "is named as a column of the key", "rename the field")
    return pa.schema([*KEY, *columns])


def encode(kind: type, rows: Iterable[tuple[str, str, int, Any]]) -> pa.Table:
    """A table of `kind` from rows of subject, extractor, ordinal and record.

    Raises
    ------
    RecordError
        If a value does not fit into its column, such as an integer beyond 64 bits.
    """
    schema = record_schema(kind)
    subjects, extractors, ordinals, records = zip(*rows, strict=True) if (rows := list(rows)) else ((), (), (), ())
    try:
        content = [_CONVERTER.unstructure(record, unstructure_as=kind) for record in records]
        columns: list[Iterable[Any]] = [subjects, extractors, ordinals]
        columns += ([row[name] for row in content] for name in schema.names[len(KEY) :])
        arrays = [pa.array(values, item.type) for values, item in zip(columns, schema, strict=True)]
        for values, item in zip(arrays, schema, strict=True):
            _check_nulls(values, item)
    except (pa.ArrowException, OverflowError, TypeError, AttributeError, UnicodeError) as error:
        raise RecordError(
            f"a record of the kind {kind_name(kind)} cannot be stored ({error})",
            remedy="check the values that its extractor gives against the types of the fields",
        ) from error
    return pa.table(arrays, schema)


def decode(kind: type, table: pa.Table) -> Iterator[tuple[str, str, int, Any]]:
    """The rows of a table of `kind`: subject, extractor, ordinal and record.

    Raises
    ------
    RecordError
        If a row breaks the rules of its class.
    """
    keys = zip(*(table[name].to_pylist() for name in KEY.names), strict=True)
    for (subject, extractor, ordinal), row in zip(keys, table.drop_columns(KEY.names).to_pylist(), strict=True):
        try:
            yield subject, extractor, ordinal, _CONVERTER.structure(row, kind)
        except (TypeError, ValueError, KeyError) as error:
            raise RecordError(
                f"a stored record of the kind {kind_name(kind)} breaks its rules ({error})", where=subject
            ) from error


def _columns(kind: type, outer: tuple[type, ...]) -> list[pa.Field]:
    try:
        hints = get_type_hints(kind)
    except NameError as error:
        raise ConfigurationError(
            f"the types of the fields of {kind.__name__} cannot be resolved ({error})",
            remedy="declare the class and the types that it uses at the top of a module",
        ) from error
    return [_column(kind, item.name, hints[item.name], (*outer, kind)) for item in fields(kind) if item.init]


def _column(kind: type, name: str, hint: Any, outer: tuple[type, ...], column: str | None = None) -> pa.Field:
    nullable = False
    if get_origin(hint) in (Union, UnionType):
        rest = [choice for choice in get_args(hint) if choice is not NoneType]
        if len(rest) > 1:
            raise _unsupported(kind, name, f"has the type {hint}")
        hint, nullable = rest[0], True
    return pa.field(column or name, _type(kind, name, hint, outer), nullable=nullable)


def _type(kind: type, name: str, hint: Any, outer: tuple[type, ...]) -> pa.DataType:
    if hint in _TYPES:
        return _TYPES[hint]
    if get_origin(hint) is tuple and len(get_args(hint)) == 2 and get_args(hint)[1] is Ellipsis:
        return pa.list_(_column(kind, name, get_args(hint)[0], outer, "element"))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return pa.string()
    if isinstance(hint, type) and has(hint) and hint not in outer and (columns := _columns(hint, outer)):
        return pa.struct(columns)
    raise _unsupported(kind, name, f"has the type {getattr(hint, '__name__', hint)}")


def _check_nulls(values: pa.Array | pa.ChunkedArray, column: pa.Field) -> None:
    """Refuse None in columns without null values: Arrow accepts it there, and Parquet would write another value."""
    if values.null_count and not column.nullable:
        raise TypeError(f"{column.name} is None")
    values = values.drop_null()
    if pa.types.is_list(values.type):
        _check_nulls(pc.list_flatten(values), values.type.value_field)
    elif pa.types.is_struct(values.type):
        for number, field in enumerate(values.type):
            _check_nulls(pc.struct_field(values, [number]), field)


def _unsupported(kind: type, name: str, problem: str, remedy: str | None = None) -> ConfigurationError:
    return ConfigurationError(
        f"the field {name!r} of {kind.__name__} {problem}",
        where=f"{kind.__module__}.{kind.__qualname__}",
        remedy=remedy
        or "use str, int, float, bool, a StrEnum, an attrs class with fields of these, tuple[X, ...] or X | None",
    )
