"""`kgscripts show`: a graph as trees on the terminal or as a picture."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import attrs
import typer
from rich.text import Text
from rich.tree import Tree

from exports.picture import picture as draw
from exports.scripts import Scenario, Script, Step, list_scenarios, read_script
from exports.step_parts import Part, StepCorrection
from exports.tool_uses import ToolUse, read_tool_uses
from schemas.drawing.files import check_picture, save_picture
from schemas.errors import ConfigurationError
from schemas.graph_directory import graph_files
from schemas.script_graph import ScriptGraph
from schemas.terminal import console, echo, echo_json, printable

_LONGEST = 240
"""The most characters of a label or sentence."""
_MOST_PARTS = 6
"""The most tools, participants or changes that are printed of a step: many were read only once."""
_ENDLESS = 100_000
"""Width of a line, in characters, if the output is not a terminal."""


def show(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory.", show_default=False)],
    scenario: Annotated[
        str | None, typer.Argument(help="Its label, an alternative label, or its IRI.", show_default=False)
    ] = None,
    tool: Annotated[
        str | None, typer.Option("--tool", help="Show the steps that are done with this tool.", show_default=False)
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE.svg|.png", help="Draw the scenario to this file.", show_default=False),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=0, help="Keep at most this number, by support and typicality; 0 keeps all.")
    ] = 20,
    min_support: Annotated[int, typer.Option(min=1, help="Leave out those with fewer sources.")] = 1,
    every: Annotated[bool, typer.Option("--all", help="Show all steps, also unusual ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print a scenario as a tree, or the steps that use a tool. With DIR alone: list the scenarios.

    Example: kgscripts show graph "baking a cake" --picture cake.svg

    Example: kgscripts show graph --tool strainer
    """
    graph = ScriptGraph.open(directory)
    limit = 0 if every else limit
    if picture is not None:
        if scenario is None or tool is not None or as_json:
            raise ConfigurationError(
                "a picture shows one scenario",
                where="--picture",
                remedy="name a SCENARIO, and leave out --tool and --json",
            )
        check_picture(picture, graph_files(directory))
        script = read_script(graph, scenario, limit=limit, min_support=min_support, usual=not every)
        save_picture(draw(script), picture)
        drawn = _count(len(script.steps), "step")
        echo(f"wrote {printable(str(picture))} with {drawn}")
        if script.left_out:
            echo(_more(script.left_out))
        return
    if tool is not None:
        label, uses, left_out = read_tool_uses(graph, tool, scenario=scenario, limit=limit, min_support=min_support)
        content: object = {"tool": label, "uses": [attrs.asdict(use) for use in uses], "left_out": left_out}
        tree = _tool_tree(label, uses, left_out)
    elif scenario is not None:
        script = read_script(graph, scenario, limit=limit, min_support=min_support, usual=not every)
        content, tree = attrs.asdict(script), _script_tree(script)
    else:
        scenarios = list_scenarios(graph)
        enough = [each for each in scenarios if each.support >= min_support]
        kept = enough[:limit] if limit else enough
        left_out = len(scenarios) - len(kept)
        content = {"scenarios": [attrs.asdict(each) for each in kept], "left_out": left_out}
        tree = _scenarios_tree(kept, left_out)
    if as_json:
        echo_json(content)
    else:
        _print(tree)


def _print(tree: Tree) -> None:
    screen = console()
    if not screen.is_terminal:
        screen.width = _ENDLESS
    screen.print(tree)


def _scenarios_tree(scenarios: list[Scenario], left_out: int) -> Tree:
    tree = Tree(Text(_count(len(scenarios) + left_out, "scenario"), style="bold"))
    for each in scenarios:
        counts = f"{_count(each.sub_events, 'step')}, read in {_count(each.support, 'source')}"
        tree.add(_line((each.label, "bold"), (f"  {counts}", "dim")))
    if not scenarios and not left_out:
        tree.add(
            _line(("no source names one: build again with --scenario NAME, or add front matter (scenario: NAME)", ""))
        )
    _add_left_out(tree, left_out)
    return tree


def _script_tree(script: Script) -> Tree:
    scenario = script.scenario
    counts = f"{_count(scenario.sub_events, 'step')}, read in {_count(scenario.support, 'source')}"
    tree = Tree(_line((scenario.label, "bold"), (f"  {counts}", "dim")))
    for number, step in enumerate(script.steps, start=1):
        branch = tree.add(
            _line(
                (f"{number}. ", "dim"),
                (step.label, "" if step.optional else "bold"),
                (" (optional)" if step.optional else "", "italic"),
                ("" if step.usual else " (unusual)", "italic"),
                (f"  {_counts(step)}", "dim"),
            )
        )
        for kind, parts, style, between, most in (
            ("tools", step.tools, "green", ", ", _MOST_PARTS),
            ("participants", step.participants, "cyan", ", ", _MOST_PARTS),
            ("changes", step.state_changes, "magenta", "; ", _MOST_PARTS),
            ("done by", step.decomposes_into, "yellow", ", then ", len(step.decomposes_into)),
            *(
                (name.lower().replace("_", " "), parts, "green", ", ", _MOST_PARTS)
                for name, parts in step.further.items()
            ),
        ):
            if parts:
                line = _parts_line(kind, parts[:most], style, between)
                hidden = len(parts) - most
                branch.add(line.append(f"; {hidden:,} more: --json shows all" if hidden > 0 else "", style="dim"))
        if step.alternatives:
            branch.add(_line(("or: ", "dim"), (", ".join(item.label for item in step.alternatives), "yellow")))
        if step.matches:
            others = "; ".join(f"{item.scenario}: {item.label}" for item in step.matches)
            branch.add(_line(("also in ", "dim"), (others, "blue")))
        _add_corrections(branch, step.corrections)
    _add_corrections(tree, script.corrections)
    _add_left_out(tree, script.left_out)
    return tree


def _add_corrections(tree: Tree, corrections: Iterable[StepCorrection]) -> None:
    for item in corrections:
        tree.add(_line(("corrected: ", "dim"), (item.label, "red"), (f"  {item.author}, {item.time[:10]}", "dim")))


def _tool_tree(tool: str, uses: list[ToolUse], left_out: int) -> Tree:
    tree = Tree(_line((tool, "bold green"), (f"  used in {_count(len(uses) + left_out, 'step')}", "dim")))
    for scenario, group in groupby(uses, attrgetter("scenario")):
        branch = tree.add(_line((scenario, "bold") if scenario else ("of no scenario", "italic")))
        for use in group:
            leaf = branch.add(_line((use.label, ""), (f"  {use.role}, {_counts(use)}", "dim")))
            if use.evidence:
                where = f"{use.evidence.source}, characters {use.evidence.start} to {use.evidence.end}"
                leaf.add(_line((f'"{_shown(use.evidence.text)}"', "italic"), (f"  {where}", "dim")))
    _add_left_out(tree, left_out)
    return tree


def _add_left_out(tree: Tree, left_out: int) -> None:
    if left_out:
        tree.add(Text(_more(left_out), style="dim"))


def _more(left_out: int) -> str:
    return f"{left_out:,} more: --all --min-support 1 shows all"


def _parts_line(kind: str, parts: Iterable[Part], style: str, between: str) -> Text:
    line = Text(f"{kind}: ", style="dim")
    for number, part in enumerate(parts):
        details = ", ".join(filter(None, (part.role, _counts(part))))
        line.append_text(_line((between if number else "", ""), (part.label, style), (f" ({details})", "dim")))
    return line


def _counts(what: Step | Part | ToolUse) -> str:
    return f"{_count(what.support, 'source')}, {what.probability:.0%}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _line(*pieces: tuple[str, str]) -> Text:
    line = Text()
    for text, style in pieces:
        line.append(_shown(text), style=style)
    return line


def _shown(text: str) -> str:
    """`text` in one line without control characters, cut to `_LONGEST` characters."""
    line = printable(re.sub(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]+", " ", text))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
