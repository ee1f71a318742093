"""Export the script graph to RDF, property graphs and tables, and query it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exports.cypher import run_query as run_cypher
    from exports.frames import to_frames
    from exports.networkx_graph import to_networkx
    from exports.notebook import graph_html, script_html
    from exports.script_tree import script_text
    from exports.scripts import read_script
    from exports.sparql import run_query as run_sparql
    from exports.targets import export

__all__ = [
    "export",
    "graph_html",
    "read_script",
    "run_cypher",
    "run_sparql",
    "script_html",
    "script_text",
    "to_frames",
    "to_networkx",
]

_HOMES = {
    "export": "exports.targets:export",
    "graph_html": "exports.notebook:graph_html",
    "read_script": "exports.scripts:read_script",
    "run_cypher": "exports.cypher:run_query",
    "run_sparql": "exports.sparql:run_query",
    "script_html": "exports.notebook:script_html",
    "script_text": "exports.script_tree:script_text",
    "to_frames": "exports.frames:to_frames",
    "to_networkx": "exports.networkx_graph:to_networkx",
}


def __getattr__(name: str) -> object:
    """Import a function on first use: importing pandas and networkx takes longer than most commands."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute)
