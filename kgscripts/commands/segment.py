"""`kgscripts segment`: texts with their scenarios in colour."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.corpora.formats import FORMATS
from schemas.errors import ConfigurationError
from schemas.terminal import echo, echo_json, progress_bar

if TYPE_CHECKING:
    from schemas.records import Discard


def segment(
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT", help="Files and folders with texts; - is standard input.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A model of scenarios that ships, or the directory of one.")
    ] = "default",
    scenario_list: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help='Detect these scenarios too: lines with a name, or with {"scenario": "...", "sentences": ["..."]}.',
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(help=f"Format of the inputs ({', '.join(FORMATS)}); by default detected from the content."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all texts as one JSON document.")] = False,
    as_jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Print JSON, one segment a line, as soon as it is found.")
    ] = False,
) -> None:
    """Show which everyday scenario each passage of a text is about.

    Example: kgscripts segment story.txt
    """
    if as_json and as_jsonl:
        raise ConfigurationError("more than one kind of output", remedy="choose --json or --jsonl")
    # spaCy and the model are imported only for inputs that exist.
    from kgscripts.corpora.long_texts import read_inputs

    items = read_inputs(inputs, format)
    from kgscripts.analysis.segmentation import segment_texts
    from kgscripts.models.registry import load

    found = load("scenarios", model)
    if scenario_list is not None:
        from kgscripts.models.scenarios.list import read_scenario_list, with_added

        found = with_added(found, read_scenario_list(scenario_list))
    with _progress(shown=not sys.stdout.isatty()) as progress:
        texts = segment_texts(items, found, left_out=_report, progress=progress)
        if as_json:
            echo_json(
                [
                    {"name": text.name, "title": text.title, "segments": [part.to_dict() for part in text.segments]}
                    for text in texts
                ]
            )
        elif as_jsonl:
            for text in texts:
                for part in text.segments:
                    echo_json({"name": text.name, **part.to_dict()}, indent=None)
                    sys.stdout.flush()
        else:
            from kgscripts.commands.segment_view import print_texts

            print_texts(texts)


def _report(discard: Discard) -> None:
    detail = f" ({discard.detail})" if discard.detail else ""
    echo(f"left out: {discard.where}: {discard.reason.value}{detail}", err=True)


@contextmanager
def _progress(*, shown: bool) -> Iterator[Callable[[int], None]]:
    """A count of sentences on standard error; not where the texts themselves appear on the same terminal."""
    if not shown:
        yield lambda _: None
        return
    with progress_bar() as bar:
        task = bar.add_task("reading", total=None)
        total = 0

        def show(sentences: int) -> None:
            nonlocal total
            total += sentences
            bar.update(task, description=f"segmenting: {total:,} sentences")

        yield show
