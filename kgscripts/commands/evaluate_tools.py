"""`kgscripts evaluate tools`: whether the tools that are predicted for events are right."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile


class Split(StrEnum):
    """The parts of a list that ships."""

    DEVELOPMENT = "development"
    UNSEEN = "unseen"


def tools(
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that ships, or a checkpoint.")] = "default",
    split: Annotated[Split, typer.Option(help="Which of the gold events.")] = Split.UNSEEN,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate the tools predicted for everyday events, on lists that ship with the package.

    P@1 is the share of the answers whose first tool is right; an answer for an event that needs no tool is wrong.
    Hit@5 is the share of the events that need a tool with a right one among the first five, answered or not.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.tools.predicted import evaluate_predicted_tools
    from kgscripts.models.registry import find_checkpoint, load
    from schemas.output_files import check_outputs

    check_outputs(output, inputs=[model])
    found = evaluate_predicted_tools(load("tools", model), split.value, source=model)
    finish(
        [found],
        places={model: find_checkpoint(model, "tools")},
        attach_as=attach_as,
        output=output,
        as_json=as_json,
        examples=examples,
    )
