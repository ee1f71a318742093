"""`kgscripts read`: what is read in a text, sentence by sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from kgscripts.commands.options import AsJson, print_left_out
from schemas.errors import InputError
from schemas.records import Discard, Document
from schemas.terminal import console, echo_json, printable

if TYPE_CHECKING:
    from kgscripts.analysis.reading import TextReading

_WIDTH = 80


def read(
    text: Annotated[str, typer.Argument(metavar="TEXT|FILE", help="A text, a file, or - for standard input.")],
    title: Annotated[str, typer.Option(help="The title of a text that has none.")] = "",
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A reader that ships, or the directory of one.")
    ] = "default",
    as_json: AsJson = False,
) -> None:
    """Show what is read in a text: the events of each sentence, the things with a part in them, each with its
    probability, and what does not enter a graph, and why.

    Example: kgscripts read "Before touching the old fuse, let it cool."
    """
    documents = list(_documents(text, title))
    from kgscripts.analysis.reading import read_documents
    from kgscripts.extractors.events.frames import Thresholds

    readings = read_documents(documents, model, Thresholds())
    if not readings:
        raise InputError("there is no sentence to read", where=text[:60], remedy="give a text or a file with one")
    if as_json:
        echo_json([reading.to_dict() for reading in readings])
        return
    for reading in readings:
        _print(reading)


def _documents(text: str, title: str) -> Iterator[Document]:
    from attrs import evolve

    from kgscripts.corpora.files import find_files
    from kgscripts.corpora.formats import documents_from_strings, read_file

    if text == "-":
        items = documents_from_strings([sys.stdin.read()])
    elif _is_file(text):
        items = (item for file in find_files([text]) for item in read_file(file))
    else:
        items = documents_from_strings([text])
    for item in items:
        if isinstance(item, Discard):
            print_left_out(item)
        else:
            yield item if item.title else evolve(item, title=title)


def _is_file(text: str) -> bool:
    try:
        return bool(text.strip()) and Path(text).exists()
    except (OSError, ValueError):  # a long text is no name
        return False


def _print(reading: TextReading) -> None:
    """Print each sentence, and below it what is read in it."""
    screen = console()
    screen = console(width=min(_WIDTH, screen.width))
    if reading.title:
        screen.print(Text(printable(reading.title), style="bold"), end="\n\n")
    for sentence in reading.sentences:
        words = Text(printable(" ".join(sentence.text.split())))
        for event in sentence.events:
            words.highlight_words([event.text], "bold green" if event.enters else "strike")
        screen.print(words)
        for depth, line in sentence.lines():
            screen.print(Padding(Text(printable(line)), (0, 0, 0, 2 + 4 * depth)))
        screen.print()
