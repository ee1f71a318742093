"""Export the script graph to RDF, property graphs and tables, and query it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exports.frames import to_frames
    from exports.networkx_graph import to_networkx
    from exports.targets import export

__all__ = ["export", "to_frames", "to_networkx"]

_HOMES = {"export": "exports.targets", "to_frames": "exports.frames", "to_networkx": "exports.networkx_graph"}


def __getattr__(name: str) -> object:
    """Import a function on first use: importing pandas and networkx takes longer than most commands."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
