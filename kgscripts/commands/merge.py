"""`kgscripts merge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.building.configuration import read_settings
from kgscripts.commands.options import Models
from kgscripts.editing.merging import merge_graphs
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.terminal import echo, echo_json, printable


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
