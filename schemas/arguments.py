"""Arguments of public functions: one of a wrong type is an error with a remedy, before any work begins."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from schemas.errors import ConfigurationError

MOST = (1 << 31) - 1
_LARGEST_SHOWN = 1 << 63
_SHOWN = 60
_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def shown(value: object) -> str:
    """The beginning of what `value` looks like, for messages."""
    if isinstance(value, int) and abs(value) > _LARGEST_SHOWN:
        return "a number that is too large"
    try:
        text = repr(value).encode("utf-8", "backslashreplace").decode()
    except Exception:  # noqa: BLE001 - any object may come here
        text = f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def check_type(name: str, value: object, kind: type | tuple[type, ...], remedy: str) -> None:
    """Raise ConfigurationError unless `value` is of the type `kind`."""
    if not isinstance(value, kind):
        raise ConfigurationError(f"{name} is {shown(value)}", remedy=remedy)


def check_texts(**arguments: object) -> None:
    """Raise ConfigurationError for an argument that is neither None nor a string of valid characters."""
    for name, value in arguments.items():
        check_type(name, value, (str, type(None)), "give a string")
        if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            raise ConfigurationError(f"{name} is not UTF-8: it has half a surrogate pair", remedy="give valid text")


def check_number(name: str, value: object, *, least: int = 1, most: int = MOST) -> None:
    """Raise ConfigurationError unless `value` is a whole number from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ConfigurationError(f"{name} is {shown(value)}", remedy=f"name a whole number from {least} to {most}")


def bytes_of(name: str, size: str) -> int:
    """The number of bytes of a size such as ``512MB`` or ``1.5GiB``. Raises ConfigurationError for another text."""
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)\s*([A-Z]+)", size.strip().upper(), re.ASCII)
    if match is None or match[2] not in _UNITS or not float(match[1]):
        raise ConfigurationError(
            f"{name} {size} is not a size", remedy="give a number and a unit, such as 2GB or 512MiB"
        )
    return int(float(match[1]) * _UNITS[match[2]])


def check_seconds(name: str, value: object) -> None:
    """Raise ConfigurationError unless `value` is a number of seconds above 0."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < _LARGEST_SHOWN:
        raise ConfigurationError(f"{name} is {shown(value)}", remedy="give a number of seconds above 0")


def path_of(name: str, value: object) -> Path:
    """`value` as a path.

    Raises
    ------
    ConfigurationError
        If it is neither a string nor a path, is empty, or one that no file can have.
    """
    if isinstance(value, str | os.PathLike):
        text = os.fspath(value)
        # The name of a variable of the shell that is not set: it would mean the whole working directory.
        if text == "":
            raise ConfigurationError(f"{name} is empty", remedy="give a path; the working directory is .")
        if isinstance(text, str) and "\0" in text:
            raise ConfigurationError(f"{name} holds the character NUL", remedy="give the path of a file or folder")
        if isinstance(text, str):
            return Path(text)
    raise ConfigurationError(f"{name} is {shown(value)}", remedy="give a path, as a string or a pathlib.Path")


def items_of(name: str, value: Iterable[Any]) -> list[Any]:
    """The items of `value`.

    Raises
    ------
    ConfigurationError
        If it is a string, a mapping, or none that has items in an order.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise ConfigurationError(f"{name} is {shown(value)}", remedy=f"give a list: {name}=[...]")
    return list(value)
