"""`kgscripts split-reading` and `kgscripts read-piece`: reading on many machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kgscripts.building.configuration import configured
from kgscripts.building.options import BuildOptions
from kgscripts.commands.build import NOT_IN_PIECES, OF_TAKING_IN, reading_progress
from kgscripts.commands.options import Settings, with_options
from kgscripts.distributed.plan import split_reading as split
from kgscripts.distributed.reading import read_piece as read
from schemas.errors import ConfigurationError
from schemas.terminal import echo, printable

_LEFT_OUT = (*NOT_IN_PIECES, *OF_TAKING_IN)


@with_options(BuildOptions, without=_LEFT_OUT)
def split_reading(
    options: dict[str, Any],
    inputs: Annotated[
        list[str], typer.Argument(metavar="INPUT", help="Files and folders with texts, and URLs of object stores.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The graph directory.")],
    pieces: Annotated[int, typer.Option(min=1, help="The number of pieces.")] = 10,
    share: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Share plan and pieces in an object store (s3://BUCKET/RUN), not in DIR.",
            show_default=False,
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Options of build-graph, in a TOML file.", show_default=False)
    ] = None,
    settings: Settings = None,
) -> None:
    """Plan the reading of many texts in pieces, for several processes or machines that share a folder or a bucket.

    Then `kgscripts read-piece DIR --piece N` (with --share its URL) reads one piece, from 0 on, in any order and
    anywhere, and `kgscripts build-graph -o DIR --take-in` makes the graph of the finished ones.

    Example: kgscripts split-reading stories/ -o graph --pieces 50
    """
    options = configured(config, options, settings).options
    if unused := sorted(set(options) & {"output", *_LEFT_OUT}):
        raise ConfigurationError(
            f"{unused[0].replace('_', '-')} is no option of a reading in pieces", where=str(config), remedy="remove it"
        )
    plan = split([*options.pop("inputs", []), *inputs], output, pieces=pieces, share=share, **options)
    files = len({portion.path for piece in plan.pieces for portion in piece})
    where, place = printable(str(output)), printable(plan.share or str(output))
    if not plan.pieces:
        echo("the graph has all of these inputs already")
        return
    echo(f"files {files:,} · pieces {len(plan.pieces):,}, numbered from 0 on")
    echo(f"next   kgscripts read-piece {place} --piece 0")
    echo(f"       kgscripts build-graph -o {where} --take-in")


def read_piece(
    place: Annotated[
        str, typer.Argument(metavar="DIR", help="The graph directory, or the URL of --share.", show_default=False)
    ],
    piece: Annotated[int, typer.Option(min=0, help="The number of the piece, from 0 on.", show_default=False)],
) -> None:
    """Read one piece of a plan. What is finished is not read again; an interrupted piece is read anew.

    Example: kgscripts read-piece graph --piece 7
    """
    with reading_progress() as progress:
        finished = read(place, piece, progress=progress)
    echo(f"piece {piece} · sources {finished.documents:,} · words {finished.words:,}")
