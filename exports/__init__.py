"""Export the script graph to RDF, property graphs and tables, and query it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exports.cypher.cypher import run_query as run_cypher
    from exports.files.frames import to_frames
    from exports.files.networkx_graph import to_networkx
    from exports.query.sparql import run_query as run_sparql
    from exports.scripts import read_script
    from exports.targets import export
    from exports.views.notebook import graph_html, script_html
    from exports.views.script_tree import script_text

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
    "graph_html": "exports.views.notebook:graph_html",
    "read_script": "exports.scripts:read_script",
    "run_cypher": "exports.cypher.cypher:run_query",
    "run_sparql": "exports.query.sparql:run_query",
    "script_html": "exports.views.notebook:script_html",
    "script_text": "exports.views.script_tree:script_text",
    "to_frames": "exports.files.frames:to_frames",
    "to_networkx": "exports.files.networkx_graph:to_networkx",
}


def __getattr__(name: str) -> object:
    """Import a function on first use: importing pandas and networkx takes longer than most commands."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute)
