"""Sheets of statements drawn at random from graphs, each judged twice: how they are written, kept and scored.

Two judges put 1 (right) or 0 (wrong) into a column of their own, independently. The sheets in ``data`` were judged by a
language model in two passes, each without the verdicts of the other; no person judged them.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from attrs import AttrsInstance, asdict

from kgscripts.corpora.scenarios.agreement import cohens_kappa
from kgscripts.wilson import lower_bound
from schemas.script_graph import ScriptGraph

JUDGES = ("first", "second")
"""The columns of a sheet for the verdicts: 1 is right, 0 is wrong, empty is not judged yet."""
Sheet = Annotated[Path, typer.Argument(metavar="SHEET", help="A sheet with verdicts.")]
Seed = Annotated[int, typer.Option(help="Of the random numbers: the same seed draws the same rows.")]


def commands(doc: str | None, *, by: str = "") -> typer.Typer:
    """The commands of a kind of sheet, which adds ``draw`` to them; ``score`` divides the rows by the column `by`."""
    app = typer.Typer(help=doc, add_completion=False, rich_markup_mode=None)

    @app.command("score")
    def _score(sheet: Sheet) -> None:
        """Print the share that each judge finds right, with Wilson's 95 % interval, and their agreement."""
        print_lines(scored(read_sheet(sheet), by))

    return app


def print_lines(lines: Iterable[str]) -> None:
    """Print lines to standard output as they come."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def sheet(drawn: Sequence[AttrsInstance]) -> Iterator[str]:
    """The lines of a sheet without verdicts: the columns are the fields of what was drawn."""
    rows = [asdict(item) for item in drawn]
    yield "\t".join((*JUDGES, *rows[0]))
    for row in rows:
        yield "\t".join(("", "", *(" ".join(str(value).split()) for value in row.values())))


def read_sheet(file: Path) -> list[dict[str, str]]:
    """The rows of a sheet: values separated by tabs, with a heading."""
    with file.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def scored(rows: Sequence[Mapping[str, str]], by: str = "") -> Iterator[str]:
    """What the judges find, in words: of the rows with each value of the column `by`, if there is one, and of all.

    Raises
    ------
    ValueError
        If none of the judges judged the rows, or one judged some of them only.
    """
    if by:
        for value in dict.fromkeys(row[by] for row in rows):
            yield from (f"{value}, {line}" for line in scored([row for row in rows if row[by] == value]))
        yield from (f"all, {line}" for line in scored(rows))
        return
    given = {judge: [row[judge] for row in rows] for judge in JUDGES if any(row[judge] for row in rows)}
    if not given or not all({*column} <= {"0", "1"} for column in given.values()):
        raise ValueError("each row needs the verdict 1 or 0 of the first judge, of the second, or of both")
    for judge, column in given.items():
        yield f"{judge} judge: {share(column.count('1'), len(column))}"
    if len(given) == len(JUDGES):
        pairs = list(zip(*given.values(), strict=True))
        agreed = sum(one == other for one, other in pairs)
        kappa = cohens_kappa(pairs)
        in_words = "undefined" if kappa is None else f"{kappa:.3f}"
        yield f"agreement: {agreed} of {len(rows)}, {agreed / len(rows):.3f}; Cohen's kappa {in_words}"


def share(right: int, number: int) -> str:
    """A share with Wilson's 95 % interval."""
    low, high = lower_bound(right, number), 1 - lower_bound(number - right, number)
    return f"{right} of {number}: {right / number:.3f} (95 % {low:.3f} to {high:.3f})"


def evidence_of(graph: ScriptGraph, steps: Collection[str], chance: random.Random) -> dict[str, tuple[str, str]]:
    """For the id of each step the words of one of its mentions, drawn at random, and the sentence that they are in."""
    mentions: dict[str, list[str]] = {step: [] for step in steps}
    for row in graph.rows("REALIZES", ["from_id", "to_id"], {"to_id": steps}):
        mentions[row["to_id"]].append(row["from_id"])
    chosen = {step: chance.choice(sorted(mentions[step])) for step in sorted(steps)}
    wider = graph.rows("WITHIN", ["from_id", "to_id"], {"from_id": chosen.values()})
    within = {row["from_id"]: row["to_id"] for row in wider}
    passages = graph.rows("Passage", ["id", "text"], {"id": [*chosen.values(), *within.values()]})
    texts = {row["id"]: row["text"] for row in passages}
    return {step: (texts[mention], texts.get(within[mention], "")) for step, mention in chosen.items()}
