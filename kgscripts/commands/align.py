"""`kgscripts align`: the alignment of concrete text with the abstract words."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscripts.commands.aligned_pair import AlignedPair
from kgscripts.commands.options import AsJson
from schemas.drawing.files import check_picture, save_picture
from schemas.errors import ConfigurationError
from schemas.terminal import console, echo, echo_json, printable

if TYPE_CHECKING:
    from kgscripts.corpora.pairs.pair import Pair

MOST_IN_A_PICTURE = 12


def align(
    pairs: Annotated[list[Path], typer.Argument(metavar="PAIRS...", help="Pairs: TSV, JSON lines or templates.")],
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg|.png", help="Draw the alignments to this file.", show_default=False),
    ] = None,
    free: Annotated[bool, typer.Option("--free", help="Align each word independently, in any order.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="The maximum number of pairs.")] = None,
    as_json: AsJson = False,
) -> None:
    """Align pairs of abstract and concrete text, and print the concrete text that realises each abstract word.

    Example: kgscripts align pairs.tsv --limit 3 --picture pairs.svg
    """
    if picture is not None:
        check_picture(picture, pairs)
    from kgscripts.corpora.pairs.loading import load_pairs
    from kgscripts.models.registry import load

    corpus = load_pairs(pairs)
    chosen = list(islice(corpus.pairs, limit))
    if picture is not None and len(chosen) > MOST_IN_A_PICTURE:
        raise ConfigurationError(
            f"a picture shows at most {MOST_IN_A_PICTURE} pairs, and there are {len(chosen)}",
            where="--picture",
            remedy=f"draw the first of them with --limit {MOST_IN_A_PICTURE}",
        )
    aligner = load("alignment", "aligner")
    alignments = aligner.align_freely(chosen) if free else aligner.align(chosen)
    aligned = [AlignedPair(pair, alignment) for pair, alignment in zip(chosen, alignments, strict=True)]
    if picture is not None:
        from kgscripts.commands.alignment_picture import draw_alignments

        save_picture(draw_alignments(aligned), picture)
        echo(f"wrote {printable(str(picture))}", err=True)
    if as_json:
        echo_json([_fields(item) for item in aligned])
    else:
        for item in aligned:
            _print(item)


def _fields(item: AlignedPair) -> dict[str, Any]:
    pair, alignment = item.pair, item.alignment
    return {
        "where": pair.where,
        "abstract": pair.abstract,
        "concrete": pair.concrete,
        "path": alignment.path,
        "posterior": [round(value, 4) for value in alignment.posterior],
        "log_probability": round(alignment.log_probability, 4),
        "stretches": [
            {"word": pair.abstract[word], "place": word, "start": start, "end": end, "text": _text(pair, start, end)}
            for word, start, end in item.stretches
        ],
    }


def _print(item: AlignedPair) -> None:
    """Print the abstract words in a column, each with the text aligned to it."""
    from rich.padding import Padding
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(justify="right", style="bold")
    table.add_column(overflow="fold")
    for index, word in enumerate(item.pair.abstract):
        aligned = [_text(item.pair, start, end) for owner, start, end in item.stretches if owner == index]
        table.add_row(word, " … ".join(aligned))
    screen = console()
    screen.print(f"{item.pair.where}  log probability {item.alignment.log_probability:.2f}", style="dim")
    screen.print(Padding(table, (0, 0, 1, 2)))


def _text(pair: Pair, start: int, end: int) -> str:
    return " ".join(pair.concrete[start:end])
