"""`kgscripts search`: the steps, tools and scenarios of a graph that a question is about."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, GraphFolder
from kgscripts.search.entries import Found, Kind
from schemas.terminal import echo, echo_json, printable


def search(
    directory: GraphFolder,
    question: Annotated[str, typer.Argument(help="What is looked for, in any words.", show_default=False)],
    kind: Annotated[Kind | None, typer.Option(help="Find only these.", show_default=False)] = None,
    limit: Annotated[int, typer.Option(min=1, help="Find at most this number of each kind.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Find steps, tools and scenarios by their words and by their meaning, the best of each kind first.

    What has all words of the question comes first. Meanings are compared once `kgscripts prepare` has made the vectors
    of the graph.

    Example: kgscripts search graph "dry the noodles"

    Example: kgscripts search graph "something to open a bottle" --kind tool
    """
    from kgscripts.commands.options import print_list
    from kgscripts.search.searching import has_vectors
    from kgscripts.search.searching import search as find
    from schemas.script_graph import StoredGraph

    graph = StoredGraph.open(directory)
    is_prepared = has_vectors(graph)
    answer = find(graph, question, kind=kind, limit=limit, by_meaning=is_prepared)
    if as_json:
        echo_json(answer.to_dict())
        return
    for each in Kind if kind is None else (kind,):
        own = [item for item in answer.found if item.kind is each]
        headings = ("sources", each.value, *(("scenario",) if each is Kind.STEP else ()))
        rows = [(f"{item.support:,}", item.label, item.scenario)[: len(headings)] for item in own]
        print_list(f"{each.value}s for {question!r}", headings, [tuple(map(printable, row)) for row in rows], 1, "none")
    if not is_prepared:
        echo(f"Only words were compared. Meanings too: kgscripts prepare {printable(str(directory))}")
    if answer.found:
        best = max(answer.found, key=lambda item: item.score)
        echo(f"Next: {_next(directory, best)}")


def _next(directory: Path, item: Found) -> str:
    shown = f"kgscripts show {printable(str(directory))}"
    label = f'"{printable(item.label)}"'
    if item.kind is Kind.TOOL:
        return f"{shown} --tool {label}"
    if item.kind is Kind.SCENARIO:
        return f"{shown} {label}"
    return f'{shown} "{printable(item.scenario)}" {label}' if item.scenario else shown
