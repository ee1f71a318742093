"""JSON files as attrs classes, with exact types: a number is no text, a text no list, and true no number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import GenericAlias
from typing import Any, get_args

from cattrs import BaseValidationError, Converter, transform_error

from kgscripts.corpora.json_records import encodable, json_object
from kgscripts.corpora.scripts.format import what_is_wrong
from schemas.errors import InputError
from schemas.input_files import open_input


def read_typed(path: Path, kind: Any, remedy: str) -> Any:
    """The object in a file as a `kind`: an attrs class, or a mapping from texts.

    Raises InputError for a file that cannot be read or has another form, with the places of what is wrong in it.
    """
    with open_input(path) as file:
        try:
            return _CONVERTER.structure(json_object(file.read().decode("utf-8")), kind)
        except BaseValidationError as error:
            faults = transform_error(error, format_exception=what_is_wrong)[:3]
            raise InputError("; ".join(faults), where=str(path), remedy=remedy) from error
        except (InputError, ValueError, OSError) as error:
            message = getattr(error, "message", f"cannot be read: {error}")
            raise InputError(message, where=str(path), remedy=remedy) from error


def _text(value: object, _: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    try:
        return encodable("text", value)
    except InputError as error:
        raise ValueError(error.message) from error


def _number(value: object, kind: type[int | float]) -> int | float:
    if type(value) is not int and (kind is int or type(value) is not float):
        raise TypeError("not a whole number" if kind is int else "not a number")
    return value


def _list(values: object, kind: Any) -> list[Any]:
    if not isinstance(values, list):
        raise TypeError("not a list")
    sequence: Any = GenericAlias(Sequence, get_args(kind))
    return list(_CONVERTER.structure(values, sequence))


_CONVERTER = Converter()
_CONVERTER.register_structure_hook(str, _text)
_CONVERTER.register_structure_hook(int, _number)
_CONVERTER.register_structure_hook(float, _number)
_CONVERTER.register_structure_hook_func(lambda kind: getattr(kind, "__origin__", None) is list, _list)
