"""What a notebook shows of a graph and of a script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from exports.views.script_tree import needs_text
from kgscripts.scripts.reading import list_scenarios, read_script
from kgscripts.scripts.types import Part, Script, Step, shown_name, well_supported
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import StoredGraph, check_graph
from schemas.terminal import count, printable

_STEPS = 12
_PARTS = 4
"""The most tools, participants or changes of a step in the table of a script."""


def graph_html(graph: StoredGraph) -> str:
    """HTML of a graph for a notebook: its counts, and the script of its best supported scenario.

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
    # By its IRI: several scenarios may have one label.
    return f"{html}<br>{script_html(read_script(graph, scenarios[0].iri, limit=_STEPS))}"


def script_html(script: Script) -> str:
    """HTML of a script for a notebook: what it needs, and a table of its steps."""
    names = ("", "step", "sources", "tools", "participants", "changes", "or")
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = "".join(_row(number, step) for number, step in enumerate(script.steps, start=1))
    left_out = f"; {len(script.left_out):,} more steps are left out" if script.left_out else ""
    needs = f"<br>{_text(needs_text(script.needs, script.needs_left_out))}" if script.needs else ""
    title = f"<b>{_text(script.label)}</b> <small>read in {count(script.support, 'source')}{left_out}</small>"
    return f"{title}{needs}<table><tr>{head}</tr>{rows}</table>"


def _row(number: int, step: Step) -> str:
    label = _text(step.label_text)
    label = f"<b>{label}</b>" if step.essential else f"<i>{label}</i>" if step.optional else label
    parts = (step.tools, step.participants, step.changes, step.alternatives)
    listed = (_labels(well_supported(step, each), len(each)) for each in parts)
    cells = (str(number), label, f"{step.support:,} ({step.probability:.0%})", *listed)
    return (
        "<tr>" + "".join(f'<td style="text-align: left; vertical-align: top">{cell}</td>' for cell in cells) + "</tr>"
    )


def _labels(parts: Sequence[Part], all_parts: int) -> str:
    """The labels of the first parts, and how many more there are."""
    shown = [_text(shown_name(part)) for part in parts[:_PARTS]]
    more = all_parts - len(shown)
    return "<br>".join([*shown, *([f"<small>{more:,} more</small>"] if more else [])])


def _text(text: str) -> str:
    return escape(printable(text))
