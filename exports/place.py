"""Where in a query an error stands."""

from __future__ import annotations

from schemas.errors import QueryError

_BEFORE, _AFTER = 60, 40


def at_place(message: str, text: str, line: int, column: int, remedy: str | None = None) -> QueryError:
    """An error that shows its place in `text`: line and column counted from 1 in code points, and a caret below."""
    content = text.split("\n")[line - 1].replace("\t", " ")
    start = max(0, column - 1 - _BEFORE)
    shown = content[start : column + _AFTER]
    return QueryError(
        f"{message}\n  {shown}\n  {' ' * (column - 1 - start)}^", where=f"line {line}, column {column}", remedy=remedy
    )
