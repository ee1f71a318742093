"""`kgscripts merge` and `kgscripts diff`: graphs merged without reading texts again, and what differs between two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer
from attrs import asdict

from kgscripts.analysis.graph_diff import GraphDifference, ScenarioDifference, counted, diff_graphs
from kgscripts.building.configuration import read_settings
from kgscripts.commands.options import Models
from kgscripts.editing.merging import merge_graphs
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import StoredGraph
from schemas.terminal import echo, echo_json, printable

_WIDTH = 80


def diff(
    one: Annotated[Path, typer.Argument(metavar="A", help="A graph directory.", show_default=False)],
    other: Annotated[Path, typer.Argument(metavar="B", help="Another one.", show_default=False)],
    limit: Annotated[
        int, typer.Option(min=1, help="The maximum number of scenarios, and of changes of each kind.")
    ] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print what graph B has and A lacks, and what B lacks and A has; the largest changes come first.

    Example: kgscripts diff graph-of-may graph
    """
    difference = diff_graphs(StoredGraph.open(one), StoredGraph.open(other))
    if as_json:
        echo_json(asdict(difference))
        return
    for line in _lines(difference, limit):
        echo(line)


def _lines(difference: GraphDifference, limit: int) -> Iterator[str]:
    before, after = difference.sources
    yield f"{before:,} sources, now {after:,}" if before != after else f"{after:,} sources in both"
    if not difference.scenarios:
        yield "no difference"
    for item in difference.scenarios[:limit]:
        yield from _scenario_lines(item, limit)
    if rest := difference.scenarios[limit:]:
        numbers = counted(change for item in rest for change in item.changes)
        whole = [
            f"{sum(item.status == status for item in rest):,} scenarios {status}" for status in ("added", "removed")
        ]
        listed = [text for text in whole if not text.startswith("0 ")]
        listed += [f"{kind} {number:,}" for kind, number in numbers.items()]
        yield from _wrapped(f"{len(rest):,} more scenarios: {', '.join(listed)}", "")


def _scenario_lines(item: ScenarioDifference, limit: int) -> Iterator[str]:
    label = item.scenario or "steps of no scenario"
    before, after = item.steps
    if item.status:
        yield from _wrapped(f"{label}: {item.status}, {before + after:,} steps", "")
        return
    yield from _wrapped(f"{label}: {before:,} steps, now {after:,}" if before != after else f"{label}", "")
    for kind, group in groupby(item.changes, attrgetter("kind")):
        changes = list(group)
        for change in changes[:limit]:
            yield from _wrapped(f"{kind}: {change.text}", "  ")
        if len(changes) > limit:
            yield f"  {kind}: {len(changes) - limit:,} more"


def _wrapped(text: str, indent: str) -> list[str]:
    return wrap(printable(text), _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ")


def merge(
    graphs: Annotated[
        list[Path], typer.Argument(metavar="GRAPH...", help="Two or more graph directories.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The new graph directory.", show_default=False)
    ],
    models: Models = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts of the graph as JSON.")] = False,
) -> None:
    """Merge graphs into a new one, as one build of all their inputs; no text is read again.

    Example: kgscripts merge stories how-tos -o both
    """
    merged = merge_graphs(graphs, output, settings=read_settings(models or ())).manifest
    nodes, relations = (sum(map(merged.rows, types)) for types in (NODE_TYPES, RELATION_TYPES))
    if as_json:
        echo_json({"sources": merged.sources, "nodes": nodes, "relations": relations, "build_id": merged.build_id})
    else:
        echo(f"{printable(str(output))}: {merged.sources:,} sources, {nodes:,} nodes, {relations:,} relations")
