"""Errors of queries, with their location in the text."""

from __future__ import annotations

from schemas.errors import QueryError

_BEFORE, _AFTER = 60, 40
ONLY_READS = "queries only read; `kgscripts export` writes"


def line_of(text: str, line: int) -> str:
    """The line with a number, from 1; "" for a number that no line has: engines and servers may name any."""
    lines = text.split("\n")
    return lines[line - 1] if 1 <= line <= len(lines) else ""


def error_at(message: str, text: str, line: int, column: int, remedy: str | None = None) -> QueryError:
    """Return an error that shows its location in `text`: line and column, from 1 in code points, and a caret.

    A location that is not in `text` is left out.
    """
    content = line_of(text, line).replace("\t", " ")
    if not (1 <= line <= text.count("\n") + 1 and 1 <= column <= len(content) + 1):
        return QueryError(message, remedy=remedy)
    start = max(0, column - 1 - _BEFORE)
    shown = content[start : column + _AFTER]
    return QueryError(
        f"{message}\n  {shown}\n  {' ' * (column - 1 - start)}^", where=f"line {line}, column {column}", remedy=remedy
    )
