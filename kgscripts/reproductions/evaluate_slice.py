"""`kgscripts evaluate slice`: whether models still predict what they predicted."""

from __future__ import annotations

from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile
from schemas.output_files import check_outputs


def small_slice(
    model: Annotated[list[str], typer.Option(metavar="NAME|DIR", help="A model that ships or a checkpoint directory.")],
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Scores of models on a small sample that ships, to compare with those on the model card."""
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.reproductions.slice import evaluate_on_slice

    check_outputs(output, inputs=model)
    found = [evaluation for name in model for evaluation in evaluate_on_slice(name)]
    places = {name: find_checkpoint(name) for name in model}
    finish(found, places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
