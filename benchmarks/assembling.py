"""Assembly alone, out of core: ten million synthetic mentions, and a tenth of them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import frozen

from benchmarks.measure import Measurement, Row, at_most, measure
from benchmarks.synthetic_records import fill
from kgscripts.assembly.assemble import assemble
from kgscripts.records.opening import open_records
from schemas.graph_directory import NEXT
from schemas.vocabulary import DEFAULT_BASE_IRI

MENTIONS = 10_000_000
MEMORY = 3 << 30
MINUTES = 20
_MOST_GROWTH = 11
_WITH_CHANGES, _CHANGES = 100_000, 5
_CHANGES_MINUTES = 2


@frozen
class Assembling:
    """One assembly, and the bytes of its graph, of its records and, at most, of what it put aside meanwhile."""

    run: Measurement
    graph: int
    records: int
    scratch: int


def generate(directory: Path, mentions: int, changes: int = 0) -> Callable[[], str]:
    """Fill the records (in a process of its own, whose memory does not count)."""
    return lambda: fill(directory, mentions, changes)


def assemble_all(directory: Path) -> Callable[[], str]:
    """Assemble the records of a directory into its graph."""

    def call() -> str:
        with open_records(directory) as store:
            versions = [digest for digest, entry in store.extractors.all().items() if entry.role == "extractor"]
            made = assemble(store, directory, versions, base_iri=DEFAULT_BASE_IRI, memory=MEMORY)
        return made.graph.build_id

    return call


def rows() -> Iterator[Row]:
    """Measure mentions with state changes, then mentions alone."""
    yield from _with_changes()
    with tempfile.TemporaryDirectory() as name:
        tenth = _assembling(Path(name) / "tenth", MENTIONS // 10)
        whole = _assembling(Path(name) / "whole", MENTIONS)
    yield at_most(f"assembly of {MENTIONS:,} mentions", whole.run.seconds / 60, MINUTES, "min")
    part = f"{tenth.run.peak_mib:,.0f} MiB for a tenth"
    yield at_most("assembly: memory of the process", whole.run.peak_mib, MEMORY >> 20, "MiB", part)
    yield _growth("time", whole.run.seconds / tenth.run.seconds, f"{tenth.run.seconds:.0f} s for a tenth")
    yield _growth("graph on disk", whole.graph / tenth.graph, f"{_mib(whole.graph)}, records {_mib(whole.records)}")
    scratch = whole.scratch / whole.graph
    yield at_most("assembly: scratch on disk, beside the graph", scratch, 2, "x", _mib(whole.scratch))


def _with_changes() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        measure(generate, Path(name), _WITH_CHANGES, _CHANGES)
        run = measure(assemble_all, Path(name))
    what = f"assembly of {_WITH_CHANGES:,} mentions with {_CHANGES} state changes each"
    yield at_most(what, run.seconds / 60, _CHANGES_MINUTES, "min")
    yield at_most(f"{what}: memory", run.peak_mib, MEMORY >> 20, "MiB")


def _growth(what: str, ratio: float, figure: str) -> Row:
    return at_most(f"assembly: {what}, ten times the mentions", ratio, _MOST_GROWTH, "x", figure)


def _mib(size: int) -> str:
    return f"{size >> 20:,} MiB"


def _assembling(directory: Path, mentions: int) -> Assembling:
    measure(generate, directory, mentions)
    ended = threading.Event()
    sizes = [0]

    def watch() -> None:
        while not ended.wait(1):
            sizes.append(_size(directory / NEXT / "scratch"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        run = measure(assemble_all, directory)
    finally:
        ended.set()
        watcher.join()
    graph = _size(directory / "nodes") + _size(directory / "relations")
    return Assembling(run, graph, _size(directory / "records"), max(sizes))


def _size(folder: Path) -> int:
    """The bytes of the files in a folder, some of which may be deleted at this moment."""
    size = 0
    for path in folder.rglob("*"):
        try:
            size += path.stat().st_size
        except FileNotFoundError:
            continue
    return size
