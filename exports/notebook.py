"""The view of a graph in a notebook: its counts and the picture of its best supported scenario."""

from __future__ import annotations

import base64
from html import escape

from exports.picture import picture
from exports.scripts import list_scenarios, read_script
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import ScriptGraph, check_graph
from schemas.terminal import printable

_STEPS = 12


def graph_html(graph: ScriptGraph) -> str:
    """HTML of a graph for a notebook.

    Raises
    ------
    GraphDirectoryError
        If a table is damaged.
    """
    check_graph(graph)
    rows = {name: graph.manifest.rows(name) for name in (*NODE_TYPES, *RELATION_TYPES)}
    counts = " · ".join(f"{name} {number:,}" for name, number in rows.items() if number)
    html = f"<b>{escape(printable(str(graph.directory)))}</b><br><small>{counts or 'empty'}</small>"
    scenarios = [scenario for scenario in list_scenarios(graph) if scenario.sub_events]
    if not scenarios:
        return html
    # By its IRI: several scenarios may have one label. As an image: its styles must not apply to the page around it.
    drawing = picture(read_script(graph, scenarios[0].iri, limit=_STEPS))
    source = base64.b64encode(drawing.document().encode()).decode()
    return f'{html}<br><img alt="{escape(scenarios[0].label)}" src="data:image/svg+xml;base64,{source}">'
