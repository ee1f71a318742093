"""`kgscripts plan`: the script of a scenario as a plan, in words, as JSON or in PDDL."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, GraphFolder
from kgscripts.planning.plan import Plan, print_plan
from kgscripts.planning.scripts import plan_of_script
from kgscripts.scripts.reading import read_script
from schemas.errors import ConfigurationError
from schemas.graph_directory import graph_files
from schemas.script_graph import StoredGraph
from schemas.terminal import count, echo, echo_json, printable


def plan(
    directory: GraphFolder,
    scenario: Annotated[str, typer.Argument(help="Its label, another name of it, or its IRI.", show_default=False)],
    pddl: Annotated[
        Path | None,
        typer.Option(
            "--pddl",
            metavar="FILE.pddl",
            help="Write the domain to FILE.pddl, and the problem to FILE-problem.pddl beside it.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Keep at most this number of steps, by support and typicality; 0 keeps all. By default as show.",
            show_default=False,
        ),
    ] = None,
    min_support: Annotated[int, typer.Option(min=1, help="Leave out steps with fewer sources.")] = 1,
    every: Annotated[bool, typer.Option("--all", help="Keep all steps, also unusual ones.")] = False,
    likely: Annotated[
        bool, typer.Option("--likely", help="Plan with likely changes too, not only certain ones.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the script of a scenario as a plan: what one needs, what must hold before each step, which step brings it
    about, and what is true after it. Contradictions are left out of the plan and listed with their passages.

    Example: kgscripts plan graph "make tea"

    Example: kgscripts plan graph "make tea" --pddl tea.pddl
    """
    if pddl is not None and as_json:
        raise ConfigurationError("either JSON or PDDL is written", where="--pddl", remedy="leave out --json or --pddl")
    graph = StoredGraph.open(directory)
    if pddl is not None:
        from kgscripts.planning.pddl import check_pddl

        check_pddl(pddl, graph_files(directory))
    limit = 0 if every else limit
    script = read_script(graph, scenario, limit=limit, min_support=min_support, usual=not every, evidence=1)
    planned = plan_of_script(script, likely=likely)
    if as_json:
        echo_json(planned.to_dict())
        return
    if pddl is not None:
        from kgscripts.planning.pddl import problem_file, save_pddl

        save_pddl(planned, pddl)
        echo(f"wrote {printable(str(pddl))} (domain)")
        echo(f"wrote {printable(str(problem_file(pddl)))} (problem)")
    else:
        print_plan(planned)
    if script.left_out:
        echo(f"{count(len(script.left_out), 'more step')} left out: --all --min-support 1 keeps all")
    echo(f"next   {_next(planned, pddl)}")


def _next(planned: Plan, pddl: Path | None) -> str:
    if pddl is not None:
        return "give both files to a planner; comments of the domain say what names mean"
    if planned.contradictions:
        return "`kgscripts correct` rejects wrong changes, --pddl FILE.pddl writes PDDL"
    return "--pddl FILE.pddl writes the plan for a planner"
