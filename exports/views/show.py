"""`kgscripts show`: scenarios, scripts, steps and tools of a graph, as trees or as JSON; and `kgscripts needs`: the
tools and supplies that a scenario needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from kgscripts.commands.options import GraphFolder
from kgscripts.scripts.reading import MOST_STEPS, list_scenarios, read_script, read_step
from kgscripts.scripts.steps import with_derived
from kgscripts.scripts.things import list_needs, read_tool_uses
from schemas.errors import ConfigurationError
from schemas.script_graph import StoredGraph
from schemas.terminal import echo_json

if TYPE_CHECKING:
    from rich.tree import Tree

_PASSAGES = 3
"""The most passages of a step, and of each of its parts, if the option does not say it."""


def show(
    directory: GraphFolder,
    scenario: Annotated[
        str | None, typer.Argument(help="Its label, another name of it, or its IRI.", show_default=False)
    ] = None,
    step: Annotated[
        str | None, typer.Argument(help="A step of it: its number, its label or other words.", show_default=False)
    ] = None,
    tool: Annotated[
        str | None, typer.Option("--tool", help="Show the steps that are done with this tool.", show_default=False)
    ] = None,
    evidence: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help=f"Show at most N passages of each step; with STEP, also of all that belongs to it (then {_PASSAGES} "
            "by default).",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Keep at most this number of steps, by support and typicality; 0 keeps all. "
            f"By default {MOST_STEPS}, all of one or two texts.",
            show_default=False,
        ),
    ] = None,
    min_support: Annotated[int, typer.Option(min=1, help="Leave out those with fewer sources.")] = 1,
    every: Annotated[bool, typer.Option("--all", help="Show all steps, also unusual ones.")] = False,
    derived: Annotated[
        bool, typer.Option("--derived", help="Show of steps also what follows from their changes, by rules.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the script of a scenario, a step of it with the passages and the models behind it, or the steps that use a
    tool. With DIR alone: list the scenarios, or print the script of the only one.

    The JSON of a scenario and of a step is described by `kgscripts schema script`.

    Example: kgscripts show graph "bake a cake"

    Example: kgscripts show graph "bake a cake" 3

    Example: kgscripts show graph --tool strainer
    """
    _check(scenario, step, tool, evidence)
    graph = StoredGraph.open(directory)
    limit = 0 if every else limit
    chosen: dict[str, Any] = {"limit": limit, "min_support": min_support, "usual": not every}
    if tool is not None:
        most = MOST_STEPS if limit is None else limit
        label, uses, left_out = read_tool_uses(graph, tool, scenario=scenario, limit=most, min_support=min_support)
        content = {"tool": label, "uses": [attrs.asdict(use) for use in uses], "left_out": left_out}
        _print(as_json, content, lambda trees: trees.tool_tree(label, uses, left_out))
    elif scenario is None:
        scenarios = list_scenarios(graph)
        enough = [each for each in scenarios if each.support >= min_support]
        left_out = len(scenarios) - len(enough)
        content = {"scenarios": [attrs.asdict(each) for each in enough], "left_out": left_out}
        if len(scenarios) == 1 and not as_json:
            # Who has read one text wants to see what is in it.
            script = read_script(graph, scenarios[0].iri, **chosen)
            _print(as_json, content, lambda trees: trees.script_tree(script))
        else:
            _print(as_json, content, lambda trees: trees.scenarios_tree(enough, left_out))
    elif step is not None:
        most = _PASSAGES if evidence is None else evidence
        label, read = read_step(graph, scenario, step, evidence=most, causes=True, **chosen)
        read = with_derived(read) if derived else read
        _print(as_json, attrs.asdict(read), lambda trees: trees.step_tree(label, read))
    else:
        script = read_script(graph, scenario, evidence=evidence or 0, **chosen)
        if derived:
            script = attrs.evolve(script, steps=[with_derived(read) for read in script.steps])
        _print(as_json, script.to_dict(), lambda trees: trees.script_tree(script))


def _print(as_json: bool, content: object, tree: Callable[[Any], Tree]) -> None:
    """Print the content as JSON, or the tree that a function of `exports.views.script_tree` makes."""
    if as_json:
        echo_json(content)
        return
    # Importing rich takes a tenth of a second, and JSON does not need it.
    from exports.views import script_tree

    script_tree.print_tree(tree(script_tree))


def _check(scenario: str | None, step: str | None, tool: str | None, evidence: int | None) -> None:
    if step is not None and tool is not None:
        raise ConfigurationError(
            "either a step or the steps of a tool are shown", where="--tool", remedy="leave out STEP or --tool"
        )
    if evidence is not None and (scenario is None or tool is not None):
        raise ConfigurationError(
            "passages are shown of the steps of one scenario",
            where="--evidence",
            remedy="name a SCENARIO, and leave out --tool, which shows a passage of each step anyway",
        )


def needs(
    directory: GraphFolder,
    scenario: Annotated[str, typer.Argument(help="Its label, another name of it, or its IRI.", show_default=False)],
    evidence: Annotated[int, typer.Option(min=0, metavar="N", help="Show at most N passages of each.")] = 1,
    limit: Annotated[int, typer.Option(min=0, help="Keep at most this number; 0 keeps all.")] = 0,
    min_support: Annotated[int, typer.Option(min=1, help="Leave out those with fewer sources.")] = 1,
    every: Annotated[bool, typer.Option("--all", help="Show all needs, also unusual ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print what one must have for a scenario: its tools, and the supplies that it uses up, with passages as evidence.

    Lists declare them ("You will need", Ingredients), or usual steps use them. Usual needs are named by at least two
    sources and a twentieth of all, or by any if the scenario has at most two. A list counts twice.

    Example: kgscripts needs graph "bake a cake"
    """
    of_scenario = list_needs(
        StoredGraph.open(directory),
        scenario,
        limit=0 if every else limit,
        min_support=min_support,
        usual=not every,
        evidence=evidence,
    )
    _print(as_json, attrs.asdict(of_scenario), lambda trees: trees.needs_tree(of_scenario))
