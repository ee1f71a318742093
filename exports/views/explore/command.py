"""`kgscripts explore`: one page for a browser to look through a graph."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from exports.views.explore.page import MOST_BYTES, make_page
from kgscripts.commands.options import GraphFolder
from schemas.arguments import bytes_of
from schemas.graph_directory import graph_files
from schemas.output_files import check_outputs, new_file
from schemas.script_graph import StoredGraph
from schemas.terminal import count, echo, printable, progress_bar


def explore(
    directory: GraphFolder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.html",
            help="The page; by default the name of DIR with .html, in the working directory.",
            show_default=False,
        ),
    ] = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            help="A scenario whose script the page has; give it several times for several. By default the best "
            "supported that fit.",
            show_default=False,
        ),
    ] = None,
    max_size: Annotated[
        str, typer.Option(metavar="SIZE", help="The largest size of the page.")
    ] = f"{MOST_BYTES // 1_000_000}MB",
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Write one page to look through a graph: search, scripts, steps with their passages, tools, and a map.

    The page is one file, works offline and loads nothing.

    Example: kgscripts explore graph

    Example: kgscripts explore graph -o cake.html --scenario "bake a cake" --open
    """
    most = bytes_of("--max-size", max_size)
    graph = StoredGraph.open(directory)
    file = output or Path(f"{directory.resolve().name or 'graph'}.html")
    check_outputs(file, inputs=graph_files(directory))
    with progress_bar() as bar:
        task = bar.add_task("writing scripts", total=None)
        page = make_page(
            graph, scenario or (), most, progress=lambda done, total: bar.update(task, completed=done, total=total)
        )
    content = page.html.encode()
    with new_file(file, graph_files(directory)) as temporary:
        temporary.write_bytes(content)
    echo(f"wrote {printable(str(file))}: {len(content) / 1e6:,.1f} MB")
    if page.scripts < page.scenarios:
        echo(f"{page.scripts:,} of {count(page.scenarios, 'scenario')} are on the page")
        echo("for others, name them with --scenario or allow more with --max-size")
    else:
        echo(f"{count(page.scenarios, 'scenario')} on the page")
    if open_:
        if not webbrowser.open(file.resolve().as_uri()):
            echo("no browser was found: open the file in one")
    else:
        echo("open it in a browser; it needs no network")
