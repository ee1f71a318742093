"""`kgscripts build-graph` and `kgscripts remove`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar

from kgscripts import pipeline
from kgscripts.corpora.formats import FORMATS
from kgscripts.report import print_report
from schemas.vocabulary import DEFAULT_BASE_IRI


def build_graph(
    inputs: Annotated[list[Path], typer.Argument(metavar="INPUT", help="Files and folders with texts.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The graph directory.")],
    format: Annotated[
        str | None, typer.Option(help=f"Format of the inputs ({', '.join(FORMATS)}); told by content if left out.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Read at most so many sources.")] = None,
    min_support: Annotated[int, typer.Option(min=1, help="Leave out what fewer sources tell.")] = 1,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first bad record.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that parse.")] = 1,
    spacy_model: Annotated[str | None, typer.Option(help="An installed spaCy pipeline instead of ours.")] = None,
    predict_tools: Annotated[
        bool, typer.Option("--predict-tools", help="Add tools that no text names, marked as predicted.")
    ] = False,
    base_iri: Annotated[str, typer.Option(help="What the IRIs of all nodes begin with.")] = DEFAULT_BASE_IRI,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read texts and build, or extend, a graph directory.

    What was read before is not read again; after an interruption the same call goes on.

    Example: kgscripts build-graph stories/ how-tos.jsonl -o graph --jobs 2
    """
    try:
        with _progress_bar() as progress:
            found = pipeline.build_graph(
                inputs,
                output,
                format=format,
                limit=limit,
                min_support=min_support,
                strict=strict,
                jobs=jobs,
                spacy_model=spacy_model,
                base_iri=base_iri,
                predict_tools=predict_tools,
                progress=progress,
            )
    except KeyboardInterrupt:
        print("interrupted: what was read is kept, and the same command goes on from there", file=sys.stderr)
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps(found.to_dict(), indent=1, ensure_ascii=False))
    else:
        print_report(found, Console())


def remove(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The graph directory.")],
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Name, digest or id of a source, or an input file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was removed as JSON.")] = False,
) -> None:
    """Take a source, or all that an input file gave, out of a graph directory.

    Example: kgscripts remove graph stories.jsonl#12
    """
    removed = pipeline.remove_source(directory, source)
    if as_json:
        print(json.dumps({"removed": removed}, ensure_ascii=False))
    else:
        print(f"removed {', '.join(removed[:5])}" + (f" and {len(removed) - 5} more" if len(removed) > 5 else ""))


@contextmanager
def _progress_bar() -> Iterator[Callable[[pipeline.Progress], None] | None]:
    """A bar on a terminal, nothing elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with ProgressBar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def show(done: pipeline.Progress) -> None:
            bar.update(
                task,
                completed=done.inputs,
                total=done.all_inputs,
                description=f"reading: {done.sources:,} sources, {done.words:,} words",
            )

        yield show
