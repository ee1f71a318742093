"""``python -m benchmarks``, or some by name: measures; a missed goal ends with exit code 1."""

from __future__ import annotations

import sys
from importlib import import_module

from rich.console import Console
from rich.table import Table

NAMES = ("starting", "building", "assembling", "exporting", "searching")
_WITH_SETTINGS = ("assembling",)


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, all of them when none is named; one alone can have settings after its name."""
    table = Table("what", "figure", "goal", "met")
    missed = False
    names: list[str] = arguments or list(NAMES)
    settings: list[list[str]] = []
    if names[0] in _WITH_SETTINGS and not set(names[1:]) & set(NAMES):
        names, settings = names[:1], [names[1:]]
    for row in (row for name in names for row in import_module(f"benchmarks.{name}").rows(*settings)):
        table.add_row(row.what, row.figure, row.goal, {True: "yes", False: "NO", None: "-"}[row.met])
        missed |= row.met is False
        print(f"{row.what}: {row.figure} (goal {row.goal})", file=sys.stderr, flush=True)
    Console().print(table)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
