r"""Printing text of unknown origin: documents, file names, answers of servers.

Such text may hold markup, escape sequences and direction overrides. All output of the commands passes through this
module, so that it is shown and never controls the terminal: characters that control a terminal are printed as ``\x1b``
or ``\u202e``."""

from __future__ import annotations

import json
import logging
import math
import os
import sys
import unicodedata
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

_ESCAPED = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Unicode categories of control, format and private characters, surrogates, and line and paragraph separators."""
_JOINERS = "\u200c\u200d"
"""Zero-width joiners: part of Persian words and of emoji."""


class _Escapes(dict[int, str]):
    """A table for `str.translate`, filled as characters occur."""

    def __init__(self, kept: str, *, as_json: bool = False) -> None:
        super().__init__()
        self._kept = kept + _JOINERS
        self._as_json = as_json

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in self._kept or unicodedata.category(char) not in _ESCAPED:
            shown = char
        elif self._as_json:
            # DEL is ASCII, which json.dumps leaves as it is.
            shown = "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]
        else:
            shown = char.encode("unicode_escape").decode("ascii")
        self[code] = shown
        return shown


_LINE, _LINES, _SHEET = _Escapes(""), _Escapes("\n"), _Escapes("\n\t")
_JSON = _Escapes("\n", as_json=True)


def count(number: int, noun: str) -> str:
    """ "1 step", "2 steps"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def cut(text: str, most: int) -> str:
    """`text`, or its beginning with an ellipsis, in at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def printable(text: str) -> str:
    r"""`text` in one line, with every character that controls a terminal escaped (``\x1b``, ``\u202e``, ``\n``)."""
    return text.translate(_LINE)


def printable_lines(text: str) -> str:
    """`text` with its line ends, and all else as `printable` has it."""
    return text.translate(_LINES)


def echo(text: object = "", *, err: bool = False) -> None:
    """Print `text` as `printable_lines` has it to standard output or standard error."""
    print(printable_lines(str(text)), file=sys.stderr if err else sys.stdout)


def json_text(value: object, *, indent: int | None = 1, ascii_only: bool = False) -> str:
    r"""`value` as JSON, with `finite` numbers. Characters that control a terminal are written as ``\u009b``."""
    return json.dumps(finite(value), ensure_ascii=ascii_only, indent=indent, allow_nan=False).translate(_JSON)


def finite(value: Any) -> Any:
    """`value` with text in place of the numbers that JSON does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


def echo_json(value: object, *, indent: int | None = 1) -> None:
    """Print `value` as JSON, in ASCII if the encoding of standard output lacks characters of it.

    Without an indent it is one line.
    """
    text = json_text(value, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json_text(value, indent=indent, ascii_only=True)
    print(text)


def write_data(text: str) -> None:
    """Print `text`, CSV or TSV, exactly into a file or a pipe; on a terminal with control characters escaped."""
    sys.stdout.write(text.translate(_SHEET) if sys.stdout.isatty() else text)


def console(*, err: bool = False, width: int | None = None) -> Console:
    """A rich console that prints strings as they are: no markup, no emoji codes, nothing but `printable` characters.

    To style a string, give it as ``rich.text.Text(printable(string), style=...)``.
    """
    # Importing rich takes a tenth of a second, and JSON output does not need it.
    from rich.console import Console
    from rich.text import Text

    class PlainConsole(Console):
        def render_str(self, text: str, **options: object) -> Text:
            plain = options | {"markup": False, "emoji": False, "highlight": False}
            return super().render_str(printable_lines(text), **plain)  # type: ignore[arg-type]

    return PlainConsole(stderr=err, width=width, markup=False, emoji=False, highlight=False)


@contextmanager
def progress_bar(*columns: ProgressColumn) -> Iterator[Progress]:
    """A progress bar on standard error if it is a terminal: description, bar, `columns` or counts, and time.

    A task without a total shows neither a count nor a share.
    """
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TimeElapsedColumn
    from rich.text import Text

    class Description(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(printable(task.description))

    class Count(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.total is None else f"{task.completed:,.0f}/{task.total:,.0f}")

    shown = (Description(), BarColumn(), *(columns or (Count(), TimeElapsedColumn())))
    on_terminal = sys.stderr.isatty()
    with Progress(*shown, console=console(err=True), transient=True, disable=not on_terminal) as progress:
        yield progress


def ask_secretly(prompt: str) -> str:
    """Ask for a password on the terminal, without showing what is typed."""
    from getpass import getpass

    return getpass(f"{printable(prompt.rstrip(': '))}: ")


def open_standard_streams() -> None:
    """Prepare the streams of a program: standard input and standard error exist, and any text can be printed.

    Characters that an encoding lacks are escaped; so are control characters in warnings and logs of libraries.
    """
    for number, name, mode in ((0, "stdin", "r"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            # What is opened next would otherwise get this descriptor, and all that libraries write to it.
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, mode, closefd=False))
    for stream in (sys.stdout, sys.stderr):
        # Streams that tests and notebooks put in place have no such method.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    logging.lastResort = _LogToTerminal(logging.WARNING)


def complain(message: str) -> None:
    """Print an error message to standard error, if anybody reads that."""
    try:
        echo(message, err=True)
    except OSError:
        _discard(2)


def reader_has_gone() -> bool:
    """Whether nobody reads standard output any more (`| head`)."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return True
    return False


def flush_standard_streams() -> int:
    """Write what is buffered, as the last thing that a program does.

    Returns its exit code: 2 if writing fails, else 0. A reader that has gone (`| head`) is no failure.
    """
    code = 0
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:
            _discard(number)
        except OSError as error:
            _discard(number)
            complain(f"error: the output cannot be written: {error.strerror}")
            code = 2
    return code


def _discard(descriptor: int) -> None:
    """Send what is still buffered for a descriptor nowhere, so that the interpreter does not fail on it as it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


class _LogToTerminal(logging.Handler):
    """What Python does with messages that no handler takes, with control characters escaped."""

    def emit(self, record: logging.LogRecord) -> None:
        echo(self.format(record), err=True)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> Any:
    text = printable_lines(warnings.formatwarning(message, category, filename, lineno, line))
    print(text, end="", file=file or sys.stderr)
