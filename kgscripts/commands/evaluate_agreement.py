"""`kgscripts evaluate agreement`: what two extractors of a graph agree on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, Examples, ScoresFile
from schemas.output_files import check_outputs


def agreement(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory.")],
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
) -> None:
    """Say what every two extractors of a graph agree on, without gold: mentions, tools, changes, scenarios, needs.

    Only texts that both have read count. --examples prints mentions that one of them has read alone.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.agreement import evaluate_agreement

    check_outputs(output, inputs=[directory])
    found = evaluate_agreement(directory)
    finish([found], places={}, attach_as=None, output=output, as_json=as_json, examples=examples)
