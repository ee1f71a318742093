"""What is right and wrong with the first steps of fifteen scripts, as they were judged (``data/first_steps.tsv``).

``python -m benchmarks.first_steps`` prints the table of docs/measurements/scripts.md. Each row of the file is a step of
one pass: the kind of its texts, the activity, its number and label, the verdict (right, awkward, wrong), whether it is
in the wrong place, whether an earlier step says the same, and whether its mark (essential, optional or none) fits.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from schemas.terminal import echo

_FILE = Path(__file__).parent / "data" / "first_steps.tsv"
Row = Mapping[str, str]


def main() -> None:
    """Print the shares of each kind of texts, for each pass."""
    with _FILE.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    echo("pass  texts    steps  right  awkward  wrong  repeats  order  activities  marks")
    for number in sorted({row["pass"] for row in rows}):
        own = [row for row in rows if row["pass"] == number]
        for kind in (*dict.fromkeys(row["kind"] for row in own), "all"):
            echo(_line(number, kind, [row for row in own if kind in (row["kind"], "all")]))
    first, second = ([row["verdict"] for row in rows if row["pass"] == number] for number in "12")
    agree = sum(one == other for one, other in zip(first, second, strict=True)) / len(first)
    echo(f"the two passes agree on {agree:.2f} of the verdicts")
    echo("order: steps in the wrong place; activities: those with such a step; marks: those that do not fit")


def _line(number: str, kind: str, rows: Sequence[Row]) -> str:
    verdicts = [sum(row["verdict"] == name for row in rows) / len(rows) for name in ("right", "awkward", "wrong")]
    repeats, misplaced = (sum(row[name] == "1" for row in rows) for name in ("repeat", "misplaced"))
    activities = len({row["activity"] for row in rows if row["misplaced"] == "1"})
    marks = sum(row["mark fits"] == "no" for row in rows)
    shares = f"{verdicts[0]:5.2f}  {verdicts[1]:7.2f}  {verdicts[2]:5.2f}"
    return f"{number:4}  {kind:7}  {len(rows):5}  {shares}  {repeats:7}  {misplaced:5}  {activities:10}  {marks:5}"


if __name__ == "__main__":
    main()
