"""Lines of JSON as records: objects whose values have the types that a reader asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from schemas.errors import InputError


def json_object(line: str) -> dict[str, Any]:
    """The object on a line. Raises InputError for what is no JSON, or no object."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"no JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"JSON that cannot be read: {error}") from error
    if not isinstance(record, dict):
        raise InputError("no JSON object")
    return record


def record_id(record: Mapping[str, Any]) -> str:
    """The record's "id" as text. Raises InputError where it is missing, blank, or neither string nor whole number."""
    value = record.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError('wants an "id", a string or a whole number')
    return encodable("id", str(value))


def string(record: Mapping[str, Any], key: str) -> str:
    """The string under a key. Raises InputError for a value that is missing or none."""
    value = record.get(key)
    if not isinstance(value, str):
        raise InputError(f'"{key}" is no string')
    return encodable(key, value)


def strings(record: Mapping[str, Any], key: str) -> list[str]:
    """The list of strings under a key. Raises InputError for a value that is missing or none."""
    value = record.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f'"{key}" is no list of strings')
    return [encodable(key, item) for item in value]


def encodable(key: str, value: str) -> str:
    """The value, unless it holds half a surrogate pair: JSON can escape one, it is no character, and cannot be written.

    Raises InputError for one.
    """
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f'"{key}" has half a surrogate pair at character {error.start}') from error
    return value
