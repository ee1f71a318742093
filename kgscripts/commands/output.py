"""What commands share: progress, and files that are written whole."""

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
    """Progress on standard error, where a person looks at it."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        yield progress


def check_output(output: Path | None) -> None:
    """Raises ConfigurationError, before the work is done, where its result cannot be written."""
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise ConfigurationError("no file can be written there", where=str(output), remedy="name another file")


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines whole or not at all. Raises ConfigurationError where that cannot be done."""
    aside = path.with_name(f".{path.name}.part")
    try:
        aside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        aside.replace(path)
    except OSError as error:
        raise ConfigurationError(
            f"cannot write: {error.strerror}", where=str(path), remedy="name a file in a folder that may be written to"
        ) from error
    finally:
        aside.unlink(missing_ok=True)
