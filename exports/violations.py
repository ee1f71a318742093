"""Violations that a check of a graph finds."""

from __future__ import annotations

from attrs import frozen


@frozen(kw_only=True)
class Violation:
    """A violation of `node`, with the property (none: the node as a whole)."""

    node: str
    path: str | None
    message: str
