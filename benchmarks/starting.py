"""Short commands from start to end, beside the import of spaCy alone: most of their time is imports.

Medians of three runs each.
"""

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
from benchmarks.measure import Row, ratio

_RUNS = 3


def _seconds(folder: Path, *arguments: str, without: Path | None = None) -> float:
    """The median wall-clock seconds of a run of Python; `without` is removed before each."""
    taken = []
    for _ in range(_RUNS):
        if without is not None:
            shutil.rmtree(without, ignore_errors=True)
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], cwd=folder, check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def rows() -> Iterator[Row]:
    """A tiny build, the same build again, and one call of each short command."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "plant.txt").write_text(
            "How to plant a tree\n\nDig a hole with a spade. Put the tree into the hole. Water it.\n", encoding="utf-8"
        )
        build = ("build-graph", "plant.txt", "-o", "graph")
        sparql, cypher = "SELECT ?tool { ?step kgs:uses ?tool }", "MATCH (tool:Tool) RETURN tool.label"
        commands: tuple[tuple[str, tuple[str, ...], Path | None], ...] = (
            ("build-graph without state changes", (*build, "--without", "state-changes"), folder / "graph"),
            ("build-graph, a text of 20 words", build, folder / "graph"),
            ("build-graph, the same again", build, None),
            ("query --sparql", ("query", "graph", "--sparql", sparql), None),
            ("query --cypher", ("query", "graph", "--cypher", cypher), None),
            ("align, the pairs of the examples", ("align", str(EXAMPLES / "pairs.tsv")), None),
            ("tools 'drain the pasta'", ("tools", "drain the pasta"), None),
        )
        spacy = _seconds(folder, "-c", "import spacy")
        for what, arguments, without in commands:
            yield ratio(
                f"{what}, against import spacy", _seconds(folder, "-m", "cli", *arguments, without=without), spacy
            )
