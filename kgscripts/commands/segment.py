"""`kgscripts segment`: texts with their scenarios in colour."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from kgscripts.analysis.segmentation import SegmentedText, TextSegment
from kgscripts.commands.options import print_left_out
from kgscripts.corpora.formats import formats, read_inputs
from schemas.errors import ConfigurationError
from schemas.terminal import console, echo_json, printable, progress_bar

if TYPE_CHECKING:
    import rich.console


_WIDTH = 80
COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#f0e442")
"""Okabe and Ito's colours, which colour-blind people can tell apart."""
_BLANK_LINE = re.compile(r"\n\s*\n|\r\s*\r")


def print_texts(texts: Iterable[SegmentedText]) -> None:
    """Print each text by passages: the scenarios of each with their scores, then its words; last, all scenarios.

    A passage has a bar in the colours of its scenarios at its left. Without colours, its heading says the same.
    """
    screen = console()
    screen = console(width=min(_WIDTH, screen.width))
    for text in texts:
        screen.print(Text(printable(text.title or text.name), style="bold"))
        screen.print()
        legend = Legend()
        for segment in text.segments:
            _print_segment(screen, segment, legend)
        _print_legend(screen, legend)


class Legend:
    """The scenarios of a text, in the order of their first passage."""

    def __init__(self) -> None:
        self.scenarios: dict[str, tuple[int, float]] = {}
        """Scenario -> sentences, and the highest score."""
        self.sentences = 0

    def add(self, segment: TextSegment) -> None:
        """Count a segment."""
        size = len(segment.sentences)
        self.sentences += size
        for scenario, score in segment.scenarios:
            sentences, highest = self.scenarios.get(scenario, (0, 0.0))
            self.scenarios[scenario] = (sentences + size, max(highest, score))

    def place(self, scenario: str) -> int:
        """The number of a scenario, from 0."""
        return list(self.scenarios).index(scenario)

    def rows(self) -> list[tuple[str, str, str]]:
        """Scenario, highest score and number of sentences, as text."""
        return [
            (printable(scenario), f"{score:.2f}", f"{sentences:,} of {self.sentences:,} sentences")
            for scenario, (sentences, score) in self.scenarios.items()
        ]


def paragraphs(segment: TextSegment) -> Iterable[tuple[bool, str]]:
    """The paragraphs, lines and steps of a passage, each with whether a blank line is before it.

    Of what stands before the first sentence of a text, only the line that it is in is shown: the marker of a step.
    """
    lines: list[tuple[bool, str]] = []
    for number, sentence in enumerate(segment.sentences):
        gap = sentence.gap if number or segment.first else sentence.gap.rpartition("\n")[2]
        words = " ".join([*gap.split(), *sentence.text.split()])
        if lines and not sentence.is_first:
            lines[-1] = (lines[-1][0], f"{lines[-1][1]} {words}")
        else:
            lines.append((bool(_BLANK_LINE.search(gap)), words))
    return lines


def _print_segment(screen: rich.console.Console, segment: TextSegment, legend: Legend) -> None:
    legend.add(segment)
    styles = [_style(legend.place(scenario)) for scenario, _ in segment.scenarios] or [""]
    bar = Text().append(" ", style=styles[0]).append(" ", style=styles[-1]).append(" ")
    heading = Text()
    for number, (scenario, score) in enumerate(segment.scenarios):
        heading.append(", " if number else "").append(f"{printable(scenario)} {score:.2f}", style="bold")
    if not segment.scenarios:
        heading.append("no scenario", style="dim")
    screen.print(bar + heading)
    for number, (blank, line) in enumerate(paragraphs(segment)):
        if blank and number:
            screen.print(bar if segment.scenarios else "")
        body = Text(printable(line), style="" if segment.scenarios else "dim")
        for wrapped in body.wrap(screen, screen.width - 4):
            wrapped.rstrip()
            screen.print(bar + wrapped)
    screen.print()


def _print_legend(screen: rich.console.Console, legend: Legend) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=1)
    table.add_column(max_width=40)
    for _ in range(2):
        table.add_column(justify="right")
    for number, (scenario, score, sentences) in enumerate(legend.rows()):
        table.add_row(Text(" ", style=_style(number)), Text(scenario, style="bold"), score, sentences)
    screen.print(table)
    screen.print()


def _style(number: int) -> str:
    return f"on {COLOURS[number % len(COLOURS)]}"


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
        typer.Option(help=f"Format of the inputs ({', '.join(formats())}); by default detected from the content."),
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
    items = read_inputs(inputs, format)
    from kgscripts.analysis.segmentation import segment_texts
    from kgscripts.models.registry import load

    detector = load("scenarios", model)
    if scenario_list is not None:
        from kgscripts.models.scenarios.list import read_scenario_list, with_added

        detector = with_added(detector, read_scenario_list(scenario_list))
    with _progress(shown=not sys.stdout.isatty()) as progress:
        texts = segment_texts(items, detector, left_out=print_left_out, progress=progress)
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
            print_texts(texts)


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
