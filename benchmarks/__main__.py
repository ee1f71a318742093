"""``python -m benchmarks``, or some by name: measures; a missed goal ends with exit code 1."""

from __future__ import annotations

import sys
from importlib import import_module

from rich.console import Console
from rich.table import Table

NAMES = (
    *("starting", "building", "decomposing", "assembling", "exporting", "aligning", "scoring_changes", "composing"),
    *("segmenting", "offering", "hostile", "false_alarms", "unpunctuated", "help_times", "reading_pages", "searching"),
)


def main(names: list[str]) -> int:
    """Run the named benchmarks, all of them when none is named."""
    table = Table("what", "figure", "goal", "met")
    missed = False
    for name in names or NAMES:
        for row in import_module(f"benchmarks.{name}").rows():
            table.add_row(row.what, row.figure, row.goal, {True: "yes", False: "NO", None: "-"}[row.met])
            missed |= row.met is False
            print(f"{row.what}: {row.figure} (goal {row.goal})", file=sys.stderr, flush=True)
    Console().print(table)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
