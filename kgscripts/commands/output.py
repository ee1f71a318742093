"""Atomic file output for commands."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from schemas.errors import ConfigurationError


def check_output(output: Path | None) -> None:
    """Raise ConfigurationError, before the work begins, if its result cannot be written."""
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise ConfigurationError("no file can be written there", where=str(output), remedy="choose another file")


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file atomically, as they come. Raises ConfigurationError if that fails."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        temporary.replace(path)
    except OSError as error:
        raise ConfigurationError(
            f"cannot write: {error.strerror}", where=str(path), remedy="choose a file in a writable folder"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
