"""What each stage takes of stories: processor time and bytes on disk for a token.

Figures are of what all stories have more than a part of them, both built in one process that has done so before:
neither imports and models nor empty tables count. Networks run on one thread.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from attrs import frozen

from benchmarks.building import CHANGES, NETWORKS, SHARED, parse_alone
from benchmarks.measure import Row, measure

PART, ALL = 5, 45
READINGS: Mapping[str, tuple[str, ...]] = {
    "neither scenarios nor state changes": NETWORKS,
    "scenarios": CHANGES,
    "scenarios and state changes": (),
}
TARGETS = ("graph.nq.gz", "graph.oxigraph", "neo4j-csv:csv")


@frozen
class Built:
    """Processor seconds of the build; tokens, mentions, and nodes and relations of the graph; bytes of its files."""

    seconds: float
    tokens: int
    mentions: int
    rows: int
    sizes: Mapping[str, int]


def build(stories: Path, folder: Path, without: tuple[str, ...]) -> Callable[[], tuple[Built, Built]]:
    """Build and export the graphs of a part of the stories and of all of them."""

    def call() -> tuple[Built, Built]:
        _built(stories, PART, folder / "first", without)
        return _built(stories, PART, folder / "part", without), _built(stories, ALL, folder / "all", without)

    return call


def _built(stories: Path, limit: int, folder: Path, without: tuple[str, ...]) -> Built:
    from exports.targets import export
    from kgscripts import ScriptGraph
    from kgscripts.pipeline import build_graph
    from schemas.graph_types import NODE_TYPES, RELATION_TYPES

    start = time.process_time()
    build_graph([stories], folder / "graph", limit=limit, without=without)
    seconds = time.process_time() - start
    graph = ScriptGraph.open(folder / "graph")
    tables = _size(folder / "graph" / "nodes") + _size(folder / "graph" / "relations")
    sizes = {"records": _size(folder / "graph" / "records"), "graph": tables}
    for target in TARGETS:
        scheme, colon, path = target.rpartition(":")
        export(graph, f"{scheme}{colon}{folder / path}")
        sizes[target] = _size(folder / path)
    rows = graph.manifest.rows
    return Built(
        seconds, parse_alone(stories, limit)(), rows("REALIZES"), sum(map(rows, (*NODE_TYPES, *RELATION_TYPES))), sizes
    )


def rows() -> Iterator[Row]:
    """Measure all of it."""
    stories = SHARED / "corpora" / "mcscript"
    if not stories.is_dir():
        yield Row("stages", "no MCScript at hand")
        return
    os.environ["OMP_NUM_THREADS"] = "1"
    for what, without in READINGS.items():
        with tempfile.TemporaryDirectory() as name:
            few, many = measure(build, stories, Path(name), without).value
        tokens = many.tokens - few.tokens
        yield Row(f"{what}: build", f"{tokens / (many.seconds - few.seconds):,.0f} tokens/s of one core")
        for kind, size in many.sizes.items():
            yield Row(f"{what}: {kind}", f"{(size - few.sizes[kind]) / tokens:,.1f} bytes a token")
        yield Row(f"{what}: mentions", f"{(many.mentions - few.mentions) / tokens:.3f} a token")
        yield Row(f"{what}: nodes and relations", f"{(many.rows - few.rows) / tokens:.2f} a token")


def _size(path: Path) -> int:
    """The bytes of a file, or of all files below a folder."""
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files if file.is_file())
