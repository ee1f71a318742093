"""`kgscripts evaluate step-changes`: whether the changes that are read in everyday steps are right and complete."""

from __future__ import annotations

from typing import Annotated

import typer

from kgscripts.commands.evaluate_tools import Split
from kgscripts.commands.options import AsJson, Examples, ScoresFile


def step_changes(
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that ships, or a checkpoint.")] = "default",
    split: Annotated[Split, typer.Option(help="Which of the steps.")] = Split.UNSEEN,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
) -> None:
    """Evaluate the changes that are read at each level, on everyday steps that ship with the package.

    Recall is the share of the changes that people name, "named" the share of what is read that they name, and
    "non-changes" the share of what does not change that is read. The unseen steps have judged candidates as well:
    precision is the share of true ones.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.changes.everyday import evaluate_step_changes
    from kgscripts.models.registry import load
    from schemas.output_files import check_outputs

    check_outputs(output, inputs=[model])
    found = evaluate_step_changes(load("state-changes", model), split.value, source=model)
    finish([found], places={}, attach_as=None, output=output, as_json=as_json, examples=examples)
