"""Type-checked access to JSON objects on lines of text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from schemas.errors import InputError


def json_object(line: str) -> dict[str, Any]:
    """The object on a line. Raises InputError for invalid JSON and for other values than objects."""
    if not line.lstrip().startswith("{"):
        raise InputError("not a JSON object")
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"JSON that cannot be read: {error}") from error
    return cast("dict[str, Any]", record)


def record_id(record: Mapping[str, Any]) -> str:
    """The record's "id" as text. Raises InputError where it is missing, blank, or neither string nor whole number."""
    value = record.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError('needs an "id", a string or a whole number')
    return encodable("id", str(value))


def string(record: Mapping[str, Any], key: str) -> str:
    """The string under a key. Raises InputError for a value that is missing or not a string."""
    value = record.get(key)
    if not isinstance(value, str):
        raise InputError(f'"{key}" is not a string')
    return encodable(key, value)


def strings(record: Mapping[str, Any], key: str) -> list[str]:
    """The list of strings under a key. Raises InputError for a value that is missing or of another type."""
    value = record.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f'"{key}" is not a list of strings')
    return [encodable(key, item) for item in value]


def encodable(key: str, value: str) -> str:
    """The value, checked for lone surrogates: JSON can escape them, but they cannot be encoded.

    Raises InputError for a lone surrogate.
    """
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f'"{key}" has half a surrogate pair at character {error.start}') from error
    return value
