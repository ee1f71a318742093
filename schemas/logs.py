"""The log of a command, by the standard library's `logging`: quiet unless a file or a level is named.

The loggers are those of the modules (``kgscripts.pipeline``). In a program of a user nothing is set up: its own
handlers get the records. Phases and what is set aside are INFO, steps of assembly DEBUG, and damage that was mended
WARNING.
"""

from __future__ import annotations

import logging
import os
import re
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from schemas.errors import ConfigurationError
from schemas.terminal import echo, printable_lines

LEVEL = "KGSCRIPTS_LOG"
"""The environment variable with the level."""
_LEVELS = ("debug", "info", "warning", "error")
_LOGGERS = ("cli", "exports", "kgscripts", "lightning_modules", "schemas")
_WARNINGS = "py.warnings"
_PRINTED = "printed"
"""The attribute of records that the command prints itself."""
_running = ExitStack()
"""What ends the log of this process."""
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ")


def start_log(file: Path | None) -> None:
    """Log to `file`, behind what it holds, or to standard error if only the environment variable names a level.

    The level is that of the variable, else INFO. Warnings are printed to standard error as without a log.

    Raises
    ------
    ConfigurationError
        If the variable names no level, or the file cannot be written or is no log.
    """
    _running.close()
    name = os.environ.get(LEVEL, "").strip().lower()
    if name and name not in _LEVELS:
        raise ConfigurationError(f"{name!r} is no level", where=LEVEL, remedy=f"use one of {', '.join(_LEVELS)}")
    if file is None and not name:
        return
    level = logging.getLevelNamesMapping()[name.upper() or "INFO"]
    handlers: list[logging.Handler] = []
    if file is None:
        handlers.append(_Terminal(level))
    else:
        handlers += [_open(file), _Terminal(logging.WARNING)]
        handlers[0].setLevel(level)
    handlers[0].setFormatter(_Line("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for logger in map(logging.getLogger, _LOGGERS):
        logger.setLevel(min(level, logging.WARNING))
        for handler in handlers:
            logger.addHandler(handler)
            _running.callback(logger.removeHandler, handler)
    _running.callback(handlers[0].close)
    if file is not None:
        _log_warnings(handlers[0])


def log_failure(error: BaseException, *, traceback: bool) -> None:
    """Log the error that ends a command, if there is a log; the command prints it itself."""
    logger = logging.getLogger("kgscripts")
    if logger.handlers:
        information = {_PRINTED: True}
        logger.error("%s: %s", type(error).__name__, error, exc_info=error if traceback else None, extra=information)


@contextmanager
def phase(log: logging.Logger, what: str) -> Iterator[None]:
    """Log that `what` begins, and its end with the seconds that it took, or that it did not end."""
    log.info("%s", what)
    start = time.perf_counter()
    try:
        yield
    except BaseException as error:
        log.info("%s: stopped by %s after %.1f s", what, type(error).__name__, time.perf_counter() - start)
        raise
    log.info("%s: done in %.1f s", what, time.perf_counter() - start)


class _Line(logging.Formatter):
    """One line a record, times in UTC; control characters are escaped."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%SZ"
    default_msec_format = None

    def format(self, record: logging.LogRecord) -> str:
        return printable_lines(super().format(record))


class _Terminal(logging.Handler):
    """Standard error of the moment, which tests and notebooks replace."""

    def emit(self, record: logging.LogRecord) -> None:
        if not getattr(record, _PRINTED, False):
            echo(self.format(record), err=True)


def _open(file: Path) -> logging.Handler:
    """A handler for a file. What exists must be a log: a text that is named by mistake is not written to."""
    try:
        if file.exists():
            if not file.is_file():
                raise ConfigurationError("is no regular file", where=str(file), remedy="name another file")
            with file.open("rb") as stream:
                start = stream.read(32)
            if start and not _TIME.match(start):
                raise ConfigurationError("is no log", where=str(file), remedy="name a new file, or an earlier log")
        return logging.FileHandler(file, encoding="utf-8", errors="backslashreplace")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(
            f"the log cannot be written ({reason})", where=str(file), remedy="name a file in a folder that exists"
        ) from error


def _log_warnings(handler: logging.Handler) -> None:
    """Log what `warnings` prints, and print it all the same."""
    show = warnings.showwarning
    logger = logging.getLogger(_WARNINGS)
    logger.propagate = False
    logger.addHandler(handler)

    def log_and_show(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
        logger.warning("%s: %s", category.__name__, message)
        show(message, category, *place, **options)

    warnings.showwarning = log_and_show
    _running.callback(logger.removeHandler, handler)
    _running.callback(setattr, warnings, "showwarning", show)
