"""Progress bars and atomic file output for commands."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import ConfigurationError

if TYPE_CHECKING:
    from rich.progress import Progress


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on standard error, if it is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        yield progress


def check_output(output: Path | None) -> None:
    """Raise ConfigurationError, before the work begins, if its result cannot be written."""
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise ConfigurationError("no file can be written there", where=str(output), remedy="choose another file")


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file atomically. Raises ConfigurationError if that fails."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise ConfigurationError(
            f"cannot write: {error.strerror}", where=str(path), remedy="choose a file in a writable folder"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
