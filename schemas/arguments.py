"""Arguments of public functions: one of a wrong type is an error with a remedy, before any work begins."""

from __future__ import annotations

import os
from pathlib import Path

from schemas.errors import ConfigurationError

MOST = (1 << 31) - 1
_SHOWN = 60


def shown(value: object) -> str:
    """The beginning of what `value` looks like, for messages."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - any object may come here
        text = f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def check_number(name: str, value: object, *, least: int = 1, most: int = MOST) -> None:
    """Raise ConfigurationError unless `value` is a whole number from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        number = shown(value) if not isinstance(value, int) or abs(value) <= 1 << 63 else "too large"
        raise ConfigurationError(f"{name} is {number}", remedy=f"name a whole number from {least} to {most}")


def check_text(name: str, value: object, example: str) -> None:
    """Raise ConfigurationError unless `value` is a string."""
    if not isinstance(value, str):
        raise ConfigurationError(f"{name} is no text but {shown(value)}", remedy=f"give a string, such as {example}")


def path_of(name: str, value: object) -> Path:
    """`value` as a path.

    Raises
    ------
    ConfigurationError
        If it is neither a string nor a path, or one that no file can have.
    """
    if isinstance(value, str | os.PathLike):
        text = os.fspath(value)
        if isinstance(text, str) and "\0" not in text:
            return Path(text)
    raise ConfigurationError(f"{name} is no path but {shown(value)}", remedy="give a string or a pathlib.Path")
