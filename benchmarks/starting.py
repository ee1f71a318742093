"""Short commands from start to end: most of their time is imports. Median of three runs each."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.building import EXAMPLES
from benchmarks.measure import Row, at_most

_RUNS = 3


def _seconds(folder: Path, *arguments: str, without: Path | None = None) -> float:
    """The median wall-clock seconds of a command of ``kgscripts``; `without` is removed before each run."""
    taken = []
    for _ in range(_RUNS):
        if without is not None:
            shutil.rmtree(without, ignore_errors=True)
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "cli", *arguments], cwd=folder, check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def rows() -> Iterator[Row]:
    """A tiny build, the same build again, and one call of each short command; goals are in seconds."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "plant.txt").write_text(
            "How to plant a tree\n\nDig a hole with a spade. Put the tree into the hole. Water it.\n", encoding="utf-8"
        )
        build = ("build-graph", "plant.txt", "-o", "graph")
        without_changes = (*build, "--without", "state-changes")
        sparql = ("query", "graph", "--sparql", "SELECT ?tool { ?step kgs:uses ?tool }")
        cypher = ("query", "graph", "--cypher", "MATCH (tool:Tool) RETURN tool.label")
        commands: tuple[tuple[str, tuple[str, ...], float | None, Path | None], ...] = (
            ("build-graph without state changes, a text of 20 words", without_changes, 2.0, folder / "graph"),
            ("build-graph, a text of 20 words", build, None, folder / "graph"),
            ("build-graph, the same again", build, 1.0, None),
            ("query --sparql", sparql, None, None),
            ("query --cypher", cypher, None, None),
            ("align, the pairs of the examples", ("align", str(EXAMPLES / "pairs.tsv")), 4.0, None),
            ("tools 'drain the pasta'", ("tools", "drain the pasta"), 6.5, None),
        )
        for what, arguments, goal, without in commands:
            seconds = _seconds(folder, *arguments, without=without)
            yield Row(what, f"{seconds:.2f} s") if goal is None else at_most(what, seconds, goal, "s")
