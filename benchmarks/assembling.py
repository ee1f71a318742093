"""Assembly alone, out of core: synthetic mentions, by default ten million of them, and a tenth.

``python -m benchmarks assembling --mentions N [--folder DIR]`` assembles another number and its tenth.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attrs import frozen

from benchmarks.measure import Measurement, Row, at_most, measure
from benchmarks.synthetic_records import fill
from kgscripts.assembly.assemble import assemble
from kgscripts.records.opening import open_records
from schemas.vocabulary import DEFAULT_BASE_IRI

MENTIONS = 10_000_000
MEMORY = 3 << 30
MINUTES = 20
_MOST_GROWTH = 10.5
_WITH_CHANGES, _CHANGES = 100_000, 5
_CHANGES_MINUTES = 2


@frozen
class Assembling:
    """One assembly, whose value is its processor time in seconds, and the bytes of its graph and of its records."""

    run: Measurement
    graph: int
    records: int


def generate(directory: Path, mentions: int, changes: int = 0) -> Callable[[], str]:
    """Fill the records (in a process of its own, whose memory does not count)."""
    return lambda: fill(directory, mentions, changes)


def assemble_all(directory: Path) -> Callable[[], float]:
    """Assemble the records of a directory into its graph, and return the seconds of processor time."""

    def call() -> float:
        before = time.process_time()
        with open_records(directory) as store:
            versions = [digest for digest, entry in store.extractors.all().items() if entry.role == "extractor"]
            assemble(store, directory, versions, base_iri=DEFAULT_BASE_IRI, memory=MEMORY)
        return time.process_time() - before

    return call


def rows(arguments: Sequence[str] = ()) -> Iterator[Row]:
    """Measure mentions with state changes, then mentions alone and a tenth of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks assembling")
    parser.add_argument("--mentions", type=int, default=MENTIONS, metavar="N", help="how many mentions")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the files lie meanwhile")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        yield from _with_changes(Path(name) / "changes")
        yield from _growth_rows(Path(name), given.mentions)


def _with_changes(directory: Path) -> Iterator[Row]:
    measure(generate, directory, _WITH_CHANGES, _CHANGES)
    run = measure(assemble_all, directory)
    what = f"assembly of {_WITH_CHANGES:,} mentions with {_CHANGES} state changes each"
    yield at_most(what, run.seconds / 60, _CHANGES_MINUTES, "min")
    yield at_most(f"{what}: memory", run.peak_mib, MEMORY >> 20, "MiB")


def _growth_rows(folder: Path, mentions: int) -> Iterator[Row]:
    tenth = _assembling(folder / "tenth", mentions // 10)
    whole = _assembling(folder / "whole", mentions)
    yield at_most(f"assembly of {mentions:,} mentions", whole.run.seconds / 60, MINUTES * mentions / MENTIONS, "min")
    part = f"{tenth.run.peak_mib:,.0f} MiB for a tenth"
    yield at_most("assembly: memory of the process", whole.run.peak_mib, MEMORY >> 20, "MiB", part)
    yield _growth("time", whole.run.seconds, tenth.run.seconds, "s")
    yield _growth("processor time", whole.run.value, tenth.run.value, "s")
    records = f", records {whole.records >> 20:,} MiB"
    yield _growth("graph on disk", whole.graph >> 20, tenth.graph >> 20, "MiB", records)


def _growth(what: str, whole: float, tenth: float, unit: str, more: str = "") -> Row:
    figure = f"{whole:,.0f} {unit}, {tenth:,.0f} for a tenth{more}"
    return at_most(f"assembly: {what}, ten times the mentions", whole / tenth, _MOST_GROWTH, "x", figure)


def _assembling(directory: Path, mentions: int) -> Assembling:
    measure(generate, directory, mentions)
    run = measure(assemble_all, directory)
    graph = _size(directory / "nodes") + _size(directory / "relations")
    return Assembling(run, graph, _size(directory / "records"))


def _size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
