"""`kgscripts evaluate search`: whether a search of a graph finds what a question means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.evaluate_tools import Split
from kgscripts.commands.options import AsJson, Examples, ScoresFile


def search(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph of MCScript's texts.", show_default=False)],
    split: Annotated[Split, typer.Option(help="Which of the questions.")] = Split.UNSEEN,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
) -> None:
    """Evaluate search by words and meaning beside either alone, on questions that ship with the package.

    MRR is the mean reciprocal rank of the first right step, tool or scenario; one after the tenth counts 0.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.search import evaluate_search
    from schemas.output_files import check_outputs
    from schemas.script_graph import StoredGraph

    check_outputs(output, inputs=[directory])
    found = evaluate_search(StoredGraph.open(directory), split.value)
    finish([found], places={}, attach_as=None, output=output, as_json=as_json, examples=examples)
