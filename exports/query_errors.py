"""Errors of queries, with their location in the text."""

from __future__ import annotations

from schemas.errors import QueryError

_BEFORE, _AFTER = 60, 40
ONLY_READS = "queries only read; `kgscripts export` writes"


def error_at(message: str, text: str, line: int, column: int, remedy: str | None = None) -> QueryError:
    """Return an error that shows its location in `text`: line and column, from 1 in code points, and a caret."""
    content = text.split("\n")[line - 1].replace("\t", " ")
    start = max(0, column - 1 - _BEFORE)
    shown = content[start : column + _AFTER]
    return QueryError(
        f"{message}\n  {shown}\n  {' ' * (column - 1 - start)}^", where=f"line {line}, column {column}", remedy=remedy
    )
