"""JSON Schema (2020-12) of attrs classes, for JSON that other programs read."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from enum import StrEnum
from inspect import cleandoc
from typing import Any, Union, get_args, get_origin, get_type_hints

import attrs

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def json_schema(
    cls: type[attrs.AttrsInstance], others: Mapping[type, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """The schema of an instance of `cls` as JSON, where all fields are written and no others.

    Fields are texts, numbers, enumerations of texts, other attrs classes, tuples and mappings of these, or None.
    `others` has the schemas of classes that are written in another way. Raises TypeError for any other type.
    """
    definitions: dict[str, Any] = {}
    top = _of(cls, definitions, others or {})
    return {"$schema": DIALECT, **top, "$defs": dict(sorted(definitions.items()))}


def _of(kind: Any, definitions: dict[str, Any], others: Mapping[type, Mapping[str, Any]]) -> dict[str, Any]:
    if kind in others:
        return dict(others[kind])
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"enum": [item.value for item in kind]}
    if attrs.has(kind):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}  # Before its fields, which may be of the same class.
            definitions[kind.__name__] = _object(kind, definitions, others)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(each, definitions, others) for each in arguments]}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": _of(arguments[0], definitions, others)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _of(arguments[1], definitions, others)}
    raise TypeError(f"{kind!r} has no JSON Schema")


def _object(
    cls: type[attrs.AttrsInstance], definitions: dict[str, Any], others: Mapping[type, Mapping[str, Any]]
) -> dict[str, Any]:
    hints = get_type_hints(cls)
    names = [item.name for item in attrs.fields(cls)]
    return {
        "type": "object",
        "description": " ".join(cleandoc(cls.__doc__ or "").split("\n\n")[0].split()),
        "properties": {name: _of(hints[name], definitions, others) for name in names},
        "required": names,
        "additionalProperties": False,
    }
