"""How long each command takes to start: ``kgscripts COMMAND --help``, and the imports that it is made of."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import Row
from cli import COMMANDS

_RUNS = 3


def _processor_seconds(*arguments: str) -> float:
    """The least processor time of a Python process, which other processes of the machine change less than the clock."""
    taken = []
    for _ in range(_RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(taken)


def rows() -> Iterator[Row]:
    """Python itself, the package, the list of commands, and each command."""
    starts: dict[str, tuple[str, ...]] = {
        "python -c pass": ("-c", "pass"),
        "import kgscripts": ("-c", "import kgscripts"),
        "kgscripts --help": ("-m", "cli", "--help"),
        **{f"kgscripts {name} --help": ("-m", "cli", name, "--help") for name in COMMANDS},
    }
    for what, arguments in starts.items():
        yield Row(what=what, figure=f"{_processor_seconds(*arguments):.2f} s", goal="-", met=None)
