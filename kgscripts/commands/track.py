"""`kgscripts track`: the state table of a procedure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import print_left_out
from schemas.changes import Level
from schemas.errors import InputError
from schemas.terminal import console, echo_json, printable

if TYPE_CHECKING:
    from kgscripts.analysis.tracking import StateTable
    from kgscripts.corpora.procedures import Procedure


def track(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Steps: numbered or bulleted text, Markdown or JSON lines.")
    ],
    id: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this procedure of the file.", show_default=False)
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A model that ships, or the directory of one.")
    ] = "default",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one procedure a line.")] = False,
) -> None:
    """Print the state table of a procedure: what each step changes, and which states remain.

    Example: kgscripts track how_to_make_tea.md
    """
    from kgscripts.analysis.tracking import track as track_procedures

    procedures = _procedures(file, id)
    # An input without procedures is refused before a model is loaded.
    first = next(procedures)
    for table in track_procedures(chain([first], procedures), model):
        if as_json:
            echo_json(table.to_dict(), indent=None)
        else:
            _print(table)


def _procedures(file: Path, id: str | None) -> Iterator[Procedure]:
    """The procedures of a file, or the one of that id; what is none is reported on standard error.

    Raises InputError if there are none.
    """
    from kgscripts.corpora.procedures import read_procedures
    from schemas.records import Discard

    is_there = False
    for item in read_procedures(file):
        if isinstance(item, Discard):
            print_left_out(item)
        elif id is None or item.id == id:
            is_there = True
            yield item
    if not is_there:
        wanted = "no procedure" if id is None else f"no procedure {id!r}"
        raise InputError(wanted, where=str(file), remedy="write one step a line, numbered or with bullets")


_NAMES, _COLUMN = 18, 13
"""Widths, in characters, of the names of attributes and of a step."""


def _print(table: StateTable) -> None:
    """Print as many steps beside each other as fit, and below them the attributes that they change."""
    from rich.table import Table
    from rich.text import Text

    screen = console()
    procedure, rows = table.procedure, table.rows()
    screen.print(Text(printable(procedure.title or procedure.id), style="bold"))
    screen.print()
    side_by_side = max(1, (screen.width - _NAMES) // (_COLUMN + 2))
    for first in range(0, len(procedure.steps), side_by_side):
        steps = range(first, min(first + side_by_side, len(procedure.steps)))
        listed = Table.grid(padding=(0, 1))
        listed.add_column(justify="right", style="bold")
        listed.add_column(overflow="fold")
        for step in steps:
            nothing = "" if table.steps[step].changes else "  (no change)"
            listed.add_row(str(step + 1), Text(printable(procedure.steps[step])).append(nothing, style="dim"))
        screen.print(listed, "")
        shown = [row for row in rows if any(row.changes[step] for step in steps)]
        if not shown:
            continue
        cells = Table(box=None, padding=(0, 2, 0, 0))
        cells.add_column(width=_NAMES - 2, overflow="fold")
        for step in steps:
            cells.add_column(str(step + 1), width=_COLUMN, overflow="fold")
        entity = ""
        for row in shown:
            if row.entity != entity:
                entity = row.entity
                cells.add_row(Text(printable(entity), style="bold"))
            texts = (Text(printable(row.cell(step, "->")), style="" if row.changes[step] else "dim") for step in steps)
            cells.add_row(f"  {row.attribute}", *texts)
        screen.print(cells, "")
    if any(rated.level is Level.LIKELY for step in table.steps for rated in step.changes):
        screen.print("? likely; the other changes are certain", style="dim")
