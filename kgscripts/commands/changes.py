"""`kgscripts changes`: the state changes of a step, as predicted by a model and as read by a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import asdict

from kgscripts.commands.options import AsJson, print_list
from schemas.errors import ConfigurationError
from schemas.terminal import echo_json

if TYPE_CHECKING:
    from kgscripts.analysis.step_statements import ReadChange
    from schemas.changes import RatedChange


def changes(
    step: Annotated[str, typer.Argument(metavar="STEP", help="A step of a procedure: 'drain the pasta'.")],
    context: Annotated[
        list[str] | None,
        typer.Option("--context", metavar="STEP", help="An earlier step; repeat it in order.", show_default=False),
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="The goal of the procedure.", show_default=False)] = "",
    graph: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also show the changes that this graph has read.", show_default=False),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A model that ships, or the directory of one.")
    ] = "default",
    top: Annotated[int, typer.Option(min=1, help="The maximum number of changes of each kind.")] = 10,
    as_json: AsJson = False,
) -> None:
    """List the changes of a step: those that a model predicts and, separately, those that a graph has read.

    Example: kgscripts changes "drain the pasta" --context "boil the pasta" --graph graph
    """
    from kgscripts.analysis.step_statements import read_changes
    from kgscripts.analysis.tracking import StepReader, change_fields
    from kgscripts.corpora.procedures import Procedure
    from kgscripts.extractors.realis.instructions import read_instruction
    from kgscripts.models.registry import load
    from schemas.changes import ProcedureStep

    text = " ".join(step.split())
    if not text:
        raise ConfigurationError("the step is empty", remedy="write an instruction, for example: 'drain the pasta'")
    earlier = [words for item in context or () if (words := " ".join(item.split()))]
    ProcedureStep(text=text, context=tuple(earlier), title=title)  # Raises InputError for what no model can read.
    procedure = Procedure(id="step", title=title, steps=(*earlier, text))
    read = read_changes(graph, read_instruction(text).action)[:top] if graph is not None else None
    [found] = StepReader(load("state-changes", model)).read([procedure])
    predicted = found[-1].changes[:top]
    if as_json:
        content: dict[str, Any] = {"step": text, "predicted": [change_fields(item) for item in predicted]}
        if read is not None:
            content["read"] = [asdict(item) for item in read]
        echo_json(content)
        return
    shown = [_predicted(item) for item in predicted]
    print_list(f"predicted by {model}", ("probability", "level", *_CHANGE), shown, 1, "no change")
    if read is not None:
        headings = ("sources", "share", "PMI", "level", *_CHANGE, "step")
        print_list(f"read in {graph}", headings, [_read(item) for item in read], 3, "no change")


_CHANGE = ("entity", "attribute", "before", "after")


def _predicted(item: RatedChange) -> tuple[str, ...]:
    change = item.change
    return f"{item.probability:.0%}", item.level, change.entity, change.attribute, change.before, change.after


def _read(item: ReadChange) -> tuple[str, ...]:
    step = f"{item.step} ({item.scenario})" if item.scenario else item.step
    numbers = (str(item.support), f"{item.probability:.0%}", f"{item.pmi:.1f}")
    return (*numbers, item.level, item.entity, item.attribute, item.before, item.after, step)
