"""``python -m benchmarks``, or some by name: measures; a missed goal ends with exit code 1."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Row

NAMES = (
    *("starting", "building", "assembling", "exporting", "reading_pages"),
    *("searching", "loading", "stages", "serving", "scaling"),
)
_WITH_SETTINGS = ("assembling", "scaling", "serving")


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, all of them when none is named; one alone can have settings after its name."""
    table = Table("what", "figure", "goal", "met")
    missed = False
    for row in _rows(arguments):
        table.add_row(row.what, row.figure, row.goal, {True: "yes", False: "NO", None: "-"}[row.met])
        missed |= row.met is False
        print(f"{row.what}: {row.figure} (goal {row.goal})", file=sys.stderr, flush=True)
    Console().print(table)
    return int(missed)


def _rows(arguments: list[str]) -> Iterator[Row]:
    if arguments and arguments[0] in _WITH_SETTINGS and not set(arguments[1:]) & set(NAMES):
        yield from import_module(f"benchmarks.{arguments[0]}").rows(arguments[1:])
        return
    for name in arguments or NAMES:
        yield from import_module(f"benchmarks.{name}").rows()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
