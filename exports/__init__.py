"""The script graph in the forms that others work with: RDF, property graphs, tables; and queries over it."""

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
    """Import a function when it is first asked for: pandas and networkx take longer than most commands."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
