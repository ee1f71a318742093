"""`kgscripts needs`: the tools and supplies that a scenario needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import attrs
import typer

from kgscripts.scripts.things import list_needs
from schemas.script_graph import StoredGraph
from schemas.terminal import echo_json


def needs(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory.", show_default=False)],
    scenario: Annotated[str, typer.Argument(help="Its label, another name of it, or its IRI.", show_default=False)],
    evidence: Annotated[int, typer.Option(min=0, metavar="N", help="Show at most N passages of each.")] = 1,
    limit: Annotated[int, typer.Option(min=0, help="Keep at most this number; 0 keeps all.")] = 0,
    min_support: Annotated[int, typer.Option(min=1, help="Leave out those with fewer sources.")] = 1,
    every: Annotated[bool, typer.Option("--all", help="Show all needs, also unusual ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print what one must have for a scenario: its tools, and the supplies that it uses up, with passages as evidence.

    Lists declare them ("You will need", Ingredients), or usual steps use them. Usual needs are named by at least two
    sources and a twentieth of all, or by any if the scenario has at most two. A list counts twice.

    Example: kgscripts needs graph "bake a cake"
    """
    found = list_needs(
        StoredGraph.open(directory),
        scenario,
        limit=0 if every else limit,
        min_support=min_support,
        usual=not every,
        evidence=evidence,
    )
    if as_json:
        echo_json(attrs.asdict(found))
        return
    # Importing rich takes a tenth of a second, and JSON does not need it.
    from exports.views.needs_tree import needs_tree
    from exports.views.script_tree import print_tree

    print_tree(needs_tree(found))
