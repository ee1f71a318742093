"""`kgscripts align`: alignments of pairs."""

from __future__ import annotations

from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from attrs import frozen

from kgscripts.commands.options import AsJson
from schemas.terminal import console, echo_json

if TYPE_CHECKING:
    from kgscripts.corpora.pairs.pair import Pair
    from kgscripts.models.alignment.lattice import Alignment


@frozen
class _AlignedPair:
    """A pair and its alignment."""

    pair: Pair
    alignment: Alignment

    @property
    def stretches(self) -> list[tuple[int, int, int]]:
        """(abstract word, start, end) for each run of concrete tokens aligned to one word, in text order."""
        runs = [list(run) for _, run in groupby(range(len(self.alignment.path)), key=self.alignment.path.__getitem__)]
        return [(self.alignment.path[run[0]], run[0], run[-1] + 1) for run in runs]


def align(
    pairs: Annotated[list[Path], typer.Argument(metavar="PAIRS...", help="Pairs: TSV, JSON lines or templates.")],
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="An aligner or a transducer: one that ships, or its checkpoint.")
    ] = "aligner",
    free: Annotated[bool, typer.Option("--free", help="Align each word independently, in any order.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="The maximum number of pairs.")] = None,
    as_json: AsJson = False,
) -> None:
    """Align pairs of abstract and concrete text, and print the concrete text that realises each abstract word.

    Example: kgscripts align pairs.tsv --limit 3

    Example: kgscripts align pairs.tsv --model transducer
    """
    from kgscripts.corpora.pairs.loading import load_pairs
    from kgscripts.models.alignment.aligner import free_aligner
    from kgscripts.models.registry import load

    every = load_pairs(pairs)
    chosen = list(islice(every, limit))
    aligner = load("alignment", model)
    alignments = free_aligner(aligner, model).align_freely(chosen) if free else aligner.align(chosen)
    aligned = [_AlignedPair(pair, alignment) for pair, alignment in zip(chosen, alignments, strict=True)]
    if as_json:
        echo_json([_fields(item) for item in aligned])
    else:
        for item in aligned:
            _print(item)


def _fields(item: _AlignedPair) -> dict[str, Any]:
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


def _print(item: _AlignedPair) -> None:
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
