"""`kgscripts tools`: the tools of an event, as read by a graph and as predicted by a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import asdict

from kgscripts.commands.options import AsJson
from schemas.terminal import console, echo_json

if TYPE_CHECKING:
    from kgscripts.lookup.read_tools import ReadTool
    from schemas.records import PredictedTool


def tools(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="An instruction: 'drain the pasta'.")],
    graph: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also show what this graph has read.", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="The maximum number of tools of each kind.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Rank the tools of an event: those that a graph has read and, separately, those that a model predicts.

    The probability is that a person accepts the tool. If no tool has 50 %, the event may need none.

    Example: kgscripts tools "drain the pasta" --graph graph
    """
    from kgscripts.extractors.instructions import read_instruction
    from kgscripts.lookup.read_tools import read_tools
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
        _print(f"read in {graph}", headings, [_read(tool) for tool in read])
    title = "predicted by a model" + ("" if answered else ": none is probable, the event may need no tool")
    _print(title, ("probability", "tool"), [_predicted(tool) for tool in predicted])


def _predicted(tool: PredictedTool) -> tuple[str, ...]:
    return f"{tool.probability:.1%}", tool.lemma


def _read(tool: ReadTool) -> tuple[str, ...]:
    return (
        str(tool.support),
        f"{tool.probability:.1%}",
        f"{tool.pmi:.2f}",
        tool.lemma,
        tool.role,
        tool.step,
        tool.scenario,
    )


def _print(title: str, headings: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    from rich.table import Table

    screen = console()
    screen.print(title, style="bold")
    if not rows:
        screen.print("  nothing\n")
        return
    table = Table(box=None, padding=(0, 0, 0, 2))
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="left" if column >= headings.index("tool") else "right")
    for row in rows:
        table.add_row(*row)
    screen.print(table, "")
