"""`kgscripts tools` and `kgscripts changes`: the tools of an event, and what a step changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import asdict

from kgscripts.commands.options import AsJson, print_list
from schemas.errors import ConfigurationError
from schemas.terminal import echo_json

if TYPE_CHECKING:
    from kgscripts.analysis.step_statements import ReadChange, ReadTool
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
    from kgscripts.extractors.events.instructions import read_instruction
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
        print_list(f"read in {graph}", headings, [_read_changes(item) for item in read], 3, "no change")


_CHANGE = ("entity", "attribute", "before", "after")


def _predicted(item: RatedChange) -> tuple[str, ...]:
    change = item.change
    return f"{item.probability:.0%}", item.level, change.entity, change.attribute, change.before, change.after


def _read_changes(item: ReadChange) -> tuple[str, ...]:
    step = f"{item.step} ({item.scenario})" if item.scenario else item.step
    numbers = (str(item.support), f"{item.probability:.0%}", f"{item.pmi:.1f}")
    return (*numbers, item.level, item.entity, item.attribute, item.before, item.after, step)


def tools(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="An instruction: 'drain the pasta'.")],
    graph: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also show the tools that this graph has read.", show_default=False),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="The maximum number of tools of each kind.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Rank the tools of an event: those that a graph has read and, separately, those that a model predicts.

    The probability is the one that a person accepts the tool. If no tool has 50 %, the event may need none.

    Example: kgscripts tools "drain the pasta" --graph graph
    """
    from kgscripts.analysis.step_statements import read_tools
    from kgscripts.extractors.events.instructions import read_instruction
    from kgscripts.models.registry import load
    from kgscripts.models.tools.ranker import LEAST_PROBABILITY

    instruction = read_instruction(event)
    read = read_tools(graph, instruction.action)[:top] if graph is not None else None
    predicted = load("tools", "default").rank([" ".join(instruction.words)])[0][:top]
    answered = any(tool.probability >= LEAST_PROBABILITY for tool in predicted)
    if as_json:
        content: dict[str, Any] = {"event": instruction.action.label}
        if read is not None:
            content["read"] = [asdict(tool) for tool in read]
        echo_json(content | {"predicted": [asdict(tool) for tool in predicted], "answered": answered})
        return
    if read is not None:
        headings = ("sources", "share", "PMI", "tool", "role", "step", "scenario")
        print_list(f"read in {graph}", headings, [_read_tools(tool) for tool in read], 3, "nothing")
    title = "predicted by a model" + ("" if answered else ": none is probable, the event may need no tool")
    shown = [(f"{tool.probability:.1%}", tool.lemma) for tool in predicted]
    print_list(title, ("probability", "tool"), shown, 1, "nothing")


def _read_tools(tool: ReadTool) -> tuple[str, ...]:
    numbers = (str(tool.support), f"{tool.probability:.1%}", f"{tool.pmi:.2f}")
    role = f"{tool.role}, inferred" if tool.inferred else tool.role
    return (*numbers, tool.lemma, role, tool.step, tool.scenario)
