"""`kgscripts read`: what is read in a text, sentence by sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from kgscripts.commands.options import AsJson
from schemas.errors import InputError
from schemas.records import Discard, Document
from schemas.terminal import console, echo, echo_json, printable

if TYPE_CHECKING:
    import rich.console

    from kgscripts.analysis.reading import ReadSentence, SentenceEvent

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
    if not documents:
        raise InputError("there is no sentence to read", where=text[:60], remedy="give a text or a file with one")
    from kgscripts.analysis.reading import read_texts
    from kgscripts.building.reading import parse_documents
    from kgscripts.extractors.events.frames import Thresholds
    from kgscripts.models.registry import load

    found = read_texts(documents, parse_documents(documents, None), load("reader", model), Thresholds())
    if as_json:
        echo_json(
            [
                {"name": document.name, "title": document.title, "sentences": [each.to_dict() for each in sentences]}
                for document, sentences in zip(documents, found, strict=True)
            ]
        )
        return
    for document, sentences in zip(documents, found, strict=True):
        print_sentences(document.title, sentences)


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
            detail = f" ({item.detail})" if item.detail else ""
            echo(f"left out: {item.where}: {item.reason.value}{detail}", err=True)
        else:
            yield item if item.title else evolve(item, title=title)


def _is_file(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # a long text is no name
        return False


def print_sentences(title: str, sentences: Sequence[ReadSentence]) -> None:
    """Print each sentence, and below it what is read in it."""
    screen = console()
    screen = console(width=min(_WIDTH, screen.width))
    if title:
        screen.print(Text(printable(title), style="bold"), end="\n\n")
    for sentence in sentences:
        screen.print(_marked(sentence))
        if sentence.condition:
            screen.print(Text(f"  if: {printable(sentence.condition)}"))
        if sentence.needed:
            screen.print(Text(f"  needs: {printable(', '.join(sentence.needed))}"))
        for event in sentence.events:
            _print_event(screen, event)
        screen.print()


def _marked(sentence: ReadSentence) -> Text:
    """The sentence with its events in bold, and struck through where they do not enter a graph."""
    words = Text(printable(sentence.text))
    for event in sentence.events:
        style = "bold green" if event.enters else "strike"
        words.highlight_words([event.text], style)
    return words


def _print_event(screen: rich.console.Console, event: SentenceEvent) -> None:
    mark = "+" if event.enters else "-"
    condition = ", under a condition" if event.conditional else ""
    left_out = "" if event.enters else "left out: "
    line = f"  {mark} {event.text}: {left_out}{event.reality}{condition} {event.probability:.2f}"
    screen.print(Text(printable(line), style="" if event.enters else "dim"))
    if event.things:
        things = ", ".join(f"{thing.role} {thing.text} {thing.probability:.2f}" for thing in event.things)
        screen.print(Text(f"      {printable(things)}", style="" if event.enters else "dim"))
