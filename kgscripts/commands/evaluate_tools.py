"""`kgscripts evaluate tools`: whether the tools that are predicted for events are right."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs
from schemas.terminal import echo, echo_json


class Split(StrEnum):
    """The parts of the gold events."""

    DEVELOPMENT = "development"
    UNSEEN = "unseen"


def tools(
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that ships, or a checkpoint.")] = "default",
    split: Annotated[Split, typer.Option(help="Which of the gold events.")] = Split.UNSEEN,
    attach_as: AttachAs = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate the tools predicted for everyday events, on lists that ship with the package.

    P@1 is the share of the answers whose first tool is right; an answer for an event that needs no tool is wrong.
    Hit@5 is the share of the events that need a tool with a right one among the first five, answered or not.
    """
    from attrs import asdict

    from kgscripts.evaluation.tools.predicted import benchmark_scores, evaluate_predicted_tools, tool_events
    from kgscripts.models.checkpoint import attach_scores
    from kgscripts.models.registry import find_checkpoint, load

    found = evaluate_predicted_tools(load("tools", model), tool_events(split.value))
    if attach_as:
        attach_scores(find_checkpoint(model, "tools"), benchmark_scores(found[0], split.value, attach_as))
    if as_json:
        echo_json({"split": split.value, "methods": [asdict(scores) for scores in found]})
        return
    echo(f"{'':<28}{'events':>8}{'answered':>10}{'P@1':>7}{'hit@5':>7}{'needless':>10}")
    for scores in found:
        echo(f"{scores.method}: {scores.candidates:.0%} of the right tools are candidates")
        for name, part in scores.parts.items():
            echo(
                f"  {name:<26}{part.events:8}{part.share_answered:10.2f}{part.precision:7.2f}{part.hit:7.2f}"
                f"{part.needless:10}"
            )
