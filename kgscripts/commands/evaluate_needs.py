"""`kgscripts evaluate needs`: whether the needs of a graph's scenarios are right and complete."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, Examples, ScoresFile
from schemas.output_files import check_outputs


def needs(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory.")],
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
) -> None:
    """Evaluate what scenarios need, on lists for everyday activities that ship with the package.

    Recall is the share of the necessary things that the graph has, precision the share of its needs that the lists
    accept. Scenarios that the graph does not have are left out.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.needs import evaluate_needs
    from schemas.script_graph import StoredGraph

    check_outputs(output, inputs=[directory])
    found = evaluate_needs(StoredGraph.open(directory))
    finish([found], places={}, attach_as=None, output=output, as_json=as_json, examples=examples)
