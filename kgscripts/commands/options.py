"""Options that several commands have in common, and a list under a title as they print it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from schemas.provenance import Exposure
from schemas.terminal import console, printable


def print_list(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: int, nothing: str, left_out: int = 0
) -> None:
    """Print rows below their headings, of which the first `numbers` are over numbers, or `nothing` without a row.

    `left_out` counts the rows that the option --top leaves out.
    """
    from rich.table import Table
    from rich.text import Text

    screen = console()
    screen.print(Text(printable(title), style="bold"))
    if not rows:
        screen.print(f"  {nothing}\n")
        return
    table = Table(box=None, padding=(0, 0, 0, 2))
    for column, heading in enumerate(headings):
        table.add_column(heading, justify="right" if column < numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    screen.print(table)
    screen.print(f"  {left_out:,} more: --top 0 shows all\n" if left_out else "")


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME.KEY=VALUE",
        help="A setting of an extractor or enricher, e.g. steps.model=DIR (see `kgscripts extractors list`).",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME.KEY=VALUE",
        help="The directory of a model of the graph that does not ship (steps.model=DIR), or a device.",
    ),
]
ScoresFile = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the scores as JSON.")]
PredictionsOut = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the predictions in the format of --predictions.")
]
AttachAs = Annotated[
    Exposure | None,
    typer.Option(
        help="Keep the scores with the models, for graphs: as unseen if every choice behind a model was made on other "
        "data, else as development. What is known to be development stays so; for a pretrained language model, unseen "
        "becomes unknown.",
        show_default=False,
    ),
]
Examples = Annotated[int, typer.Option(min=0, metavar="N", help="Print N items of the data, with what was found.")]
SplitName = Annotated[
    str | None, typer.Option("--split", metavar="NAME", help="What the split is called; default: after the file.")
]
Thresholds = Annotated[
    list[float] | None,
    typer.Option(
        "--threshold", min=0.02, max=0.98, help="Also with this threshold: a higher one merges less. Repeatable."
    ),
]
