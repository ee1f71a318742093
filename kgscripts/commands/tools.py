"""`kgscripts tools`: the tools of an event, as read by a graph and as predicted by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import asdict

from kgscripts.commands.options import AsJson, print_list
from schemas.terminal import echo_json

if TYPE_CHECKING:
    from kgscripts.analysis.step_statements import ReadTool


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
    from kgscripts.extractors.realis.instructions import read_instruction
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
        print_list(f"read in {graph}", headings, [_read(tool) for tool in read], 3, "nothing")
    title = "predicted by a model" + ("" if answered else ": none is probable, the event may need no tool")
    shown = [(f"{tool.probability:.1%}", tool.lemma) for tool in predicted]
    print_list(title, ("probability", "tool"), shown, 1, "nothing")


def _read(tool: ReadTool) -> tuple[str, ...]:
    numbers = (str(tool.support), f"{tool.probability:.1%}", f"{tool.pmi:.2f}")
    role = f"{tool.role}, inferred" if tool.inferred else tool.role
    return (*numbers, tool.lemma, role, tool.step, tool.scenario)
