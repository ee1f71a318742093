"""`kgscripts tools` and `kgscripts changes`: the tools of an event, and what a step changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from attrs import asdict

from kgscripts.commands.options import AsJson, print_list
from schemas.errors import ConfigurationError
from schemas.terminal import echo_json

if TYPE_CHECKING:
    from schemas.changes import RatedChange


def changes(
    step: Annotated[str, typer.Argument(metavar="STEP", help="A step of a procedure: 'drain the pasta'.")],
    context: Annotated[
        list[str] | None,
        typer.Option("--context", metavar="STEP", help="An earlier step; repeat it in order.", show_default=False),
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="The goal of the procedure.", show_default=False)] = "",
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A model that ships, or the directory of one.")
    ] = "default",
    top: Annotated[int, typer.Option(min=1, help="The maximum number of changes of each kind.")] = 10,
    as_json: AsJson = False,
) -> None:
    """List the changes of a step that a model predicts.

    Example: kgscripts changes "drain the pasta" --context "boil the pasta"
    """
    from kgscripts.analysis.tracking import StepReader, change_fields
    from kgscripts.corpora.procedures import Procedure
    from schemas.changes import ProcedureStep

    text = " ".join(step.split())
    if not text:
        raise ConfigurationError("the step is empty", remedy="write an instruction, for example: 'drain the pasta'")
    earlier = [words for item in context or () if (words := " ".join(item.split()))]
    ProcedureStep(text=text, context=tuple(earlier), title=title)  # Raises InputError for what no model can read.
    procedure = Procedure(id="step", title=title, steps=(*earlier, text))
    [read_steps] = StepReader(model).read([procedure])
    predicted = read_steps[-1].changes[:top]
    if as_json:
        echo_json({"step": text, "predicted": [change_fields(item) for item in predicted]})
        return
    headings = ("probability", "level", "entity", "attribute", "before", "after")
    print_list(f"predicted by {model}", headings, [_predicted(item) for item in predicted], 1, "no change")


def _predicted(item: RatedChange) -> tuple[str, ...]:
    change = item.change
    return f"{item.probability:.0%}", item.level, change.entity, change.attribute, change.before, change.after


def tools(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="An instruction: 'drain the pasta'.")],
    top: Annotated[int, typer.Option(min=1, help="The maximum number of tools of each kind.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Rank the tools of an event, as a model predicts them.

    The probability is the one that a person accepts the tool. If no tool has 50 %, the event may need none.

    Example: kgscripts tools "drain the pasta"
    """
    from kgscripts.extractors.events.instructions import read_instruction
    from kgscripts.models.registry import load
    from kgscripts.models.tools.ranker import LEAST_PROBABILITY

    instruction = read_instruction(event)
    predicted = load("tools", "default").rank([" ".join(instruction.words)])[0][:top]
    answered = any(tool.probability >= LEAST_PROBABILITY for tool in predicted)
    if as_json:
        rows = [asdict(tool) for tool in predicted]
        echo_json({"event": instruction.action.label, "predicted": rows, "answered": answered})
        return
    title = "predicted by a model" + ("" if answered else ": none is probable, the event may need no tool")
    shown = [(f"{tool.probability:.1%}", tool.lemma) for tool in predicted]
    print_list(title, ("probability", "tool"), shown, 1, "nothing")
