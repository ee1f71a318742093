"""`kgscripts compare`: the texts of a scenario held against its written script."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import AsJson, GraphFolder
from schemas.terminal import console, count, echo_json, printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

    from kgscripts.analysis.conformance import Conformance, TextConformance

_WIDTH = 80


def compare(
    directory: GraphFolder,
    scenario: Annotated[str, typer.Argument(help="Its label, another name of it, or its IRI.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Compare the texts of a scenario with its written script: the steps that each leaves out, adds, or tells in
    another order. The script is an input of the build, or one that ships (`build-graph --also everyday`).

    Fitness is the share of the script's essential steps that a text tells, precision the share of the text's steps that
    the script has.

    Example: kgscripts compare graph "making tea"
    """
    from kgscripts.analysis.conformance import conformance_of
    from schemas.script_graph import StoredGraph

    conformance = conformance_of(StoredGraph.open(directory), scenario)
    if as_json:
        echo_json(conformance.to_dict())
        return
    screen = console()
    if not screen.is_terminal:
        screen.width = _WIDTH
    screen.print(_tree(conformance))
    screen.print(_steps(conformance))


def _tree(conformance: Conformance) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    texts = count(len(conformance.texts), "text")
    tree = Tree(
        Text(f"{printable(conformance.scenario)}: {texts} against {printable(', '.join(conformance.scripts))}", "bold")
    )
    for text in conformance.texts:
        branch = tree.add(Text(f"{printable(text.source)}  {_shares(text)}"))
        for line in _differences(text):
            branch.add(Text(printable(line)))
    return tree


def _shares(text: TextConformance) -> str:
    shares = (("fitness", text.fitness), ("precision", text.precision))
    return ", ".join(f"{name} {value:.0%}" for name, value in shares if value is not None)


def _differences(text: TextConformance) -> Iterator[str]:
    if text.left_out:
        yield f"leaves out: {', '.join(text.left_out)}"
    if text.added:
        yield f"adds: {', '.join(text.added)}"
    for first, pairs in groupby(text.out_of_order, attrgetter("told_first")):
        yield f"order: {first}, before {', '.join(pair.should_precede for pair in pairs)}"
    if not (text.left_out or text.added or text.out_of_order):
        yield "follows the script"


def _steps(conformance: Conformance) -> Table:
    """The steps with the number of texts that tell each."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("step", overflow="fold")
    table.add_column("in the script")
    table.add_column("texts", justify="right")
    for step in conformance.steps:
        place = "essential" if step.written and step.essential else "yes" if step.written else "no"
        table.add_row(printable(step.label), place, f"{step.texts} of {len(conformance.texts)}")
    return table
