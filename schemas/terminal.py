"""Printing text that others wrote: documents, file names, servers.

Such text may hold markup, escape sequences and direction overrides. All output of the commands passes through this
module, so that it is shown and never obeyed.
"""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_ESCAPED = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Unicode categories of control, format and private characters, surrogates, and line and paragraph separators."""
_JOINERS = "\u200c\u200d"
"""Zero-width joiners: part of Persian words and of emoji."""


def printable(text: str) -> str:
    r"""`text` with every character that controls a terminal escaped (``\x1b``, ``\u202e``), line ends included."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    if unicodedata.category(char) not in _ESCAPED or char in _JOINERS:
        return char
    return char.encode("unicode_escape").decode("ascii")


def echo(text: object = "", *, err: bool = False) -> None:
    """Print `text` line by line, each as `printable` returns it, to standard output or standard error."""
    lines = str(text).split("\n")
    print("\n".join(map(printable, lines)), file=sys.stderr if err else sys.stdout)


def console(*, err: bool = False, width: int | None = None) -> Console:
    """A rich console that prints strings as they are: no markup, no emoji codes, nothing but `printable` characters.

    To style a string, give it as ``rich.text.Text(printable(string), style=...)``.
    """
    # Importing rich takes a tenth of a second, and JSON output does not need it.
    from rich.console import Console
    from rich.text import Text

    class PlainConsole(Console):
        def render_str(self, text: str, **options: object) -> Text:
            shown = "\n".join(map(printable, text.split("\n")))
            return super().render_str(shown, **(options | {"markup": False, "emoji": False, "highlight": False}))  # type: ignore[arg-type]

    return PlainConsole(stderr=err, width=width, markup=False, emoji=False, highlight=False)


def tolerate_any_encoding() -> None:
    r"""Let standard output and standard error escape the characters that their encoding lacks (``\u2192``)."""
    for stream in (sys.stdout, sys.stderr):
        # Streams that tests and notebooks put in place have no such method.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
