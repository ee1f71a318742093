"""Assembly alone, out of core: synthetic mentions, by default ten million of them, and a tenth.

``python -m benchmarks assembling --mentions N [--minutes M] [--disk GB] [--folder DIR]`` assembles this number alone,
as far as the limits go, and says how far that is. The minutes are those of the assembly; the disk is that of records,
graph and scratch together, below the folder. Ctrl-C ends it; whatever it has written is removed.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import evolve, frozen

from benchmarks.limited import Limits, Reached, Stage, run_within, size
from benchmarks.measure import Row, at_most, measure
from benchmarks.synthetic_records import fill
from kgscripts.assembly import step
from kgscripts.assembly.assemble import assemble
from kgscripts.records.opening import open_records
from schemas.graph_directory import NEXT
from schemas.vocabulary import DEFAULT_BASE_IRI

MENTIONS = 10_000_000
MEMORY = 3 << 30
MINUTES = 20
_MOST_GROWTH = 10.5
_WITH_CHANGES, _CHANGES = 100_000, 5
_CHANGES_MINUTES = 2
_NO_LIMITS = Limits()


@frozen
class Assembling:
    """One assembly, and the bytes of its graph and of its records."""

    run: Reached
    graph: int
    records: int


class _Steps(logging.Handler):
    """Takes the stage of a call from what the plan of assembly logs."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._stage = stage

    def emit(self, record: logging.LogRecord) -> None:
        self._stage.name = record.getMessage()


def generate(directory: Path, mentions: int, changes: int = 0) -> Callable[[], str]:
    """Fill the records (in a process of its own, whose memory does not count)."""
    return lambda: fill(directory, mentions, changes)


def generate_within(directory: Path, mentions: int) -> Callable[[Stage], object]:
    """Fill the records, as far as limits go."""

    def call(stage: Stage) -> None:
        stage.name = "the records were made"
        fill(directory, mentions)

    return call


def assemble_all(directory: Path) -> Callable[[], str]:
    """Assemble the records of a directory into its graph."""

    def call() -> str:
        with open_records(directory) as store:
            versions = [digest for digest, entry in store.extractors.all().items() if entry.role == "extractor"]
            made = assemble(store, directory, versions, base_iri=DEFAULT_BASE_IRI, memory=MEMORY)
        return made.graph.build_id

    return call


def assemble_within(directory: Path) -> Callable[[Stage], object]:
    """Assemble the records of a directory, as far as limits go; the stage is the step of the plan."""

    def call(stage: Stage) -> None:
        log = logging.getLogger(step.__name__)
        log.setLevel(logging.DEBUG)
        log.addHandler(_Steps(stage))
        assemble_all(directory)()

    return call


def rows(arguments: Sequence[str] = ()) -> Iterator[Row]:
    """Measure mentions with state changes, then mentions alone; or, with arguments, one number of mentions."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks assembling")
    parser.add_argument("--mentions", type=int, metavar="N", help="this number alone")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="M", help="at most, for the assembly")
    parser.add_argument("--disk", type=float, default=float("inf"), metavar="GB", help="at most, for all files")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the files lie meanwhile")
    given = parser.parse_args(arguments)
    limits = Limits(seconds=60 * given.minutes, disk=given.disk * 10**9)
    if given.mentions is None and limits != _NO_LIMITS:
        parser.error("limits need --mentions")
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        if given.mentions is None:
            yield from _with_changes(Path(name) / "changes")
            yield from _growth_rows(Path(name))
        else:
            yield from _as_far_as(Path(name), given.mentions, limits)


def _with_changes(directory: Path) -> Iterator[Row]:
    measure(generate, directory, _WITH_CHANGES, _CHANGES)
    run = measure(assemble_all, directory)
    what = f"assembly of {_WITH_CHANGES:,} mentions with {_CHANGES} state changes each"
    yield at_most(what, run.seconds / 60, _CHANGES_MINUTES, "min")
    yield at_most(f"{what}: memory", run.peak_mib, MEMORY >> 20, "MiB")


def _growth_rows(folder: Path) -> Iterator[Row]:
    tenth = _assembling(folder / "tenth", MENTIONS // 10)
    whole = _assembling(folder / "whole", MENTIONS)
    yield at_most(f"assembly of {MENTIONS:,} mentions", whole.run.seconds / 60, MINUTES, "min")
    part = f"{tenth.run.peak_mib:,.0f} MiB for a tenth"
    yield at_most("assembly: memory of the process", whole.run.peak_mib, MEMORY >> 20, "MiB", part)
    yield _growth("time", whole.run.seconds, tenth.run.seconds, "s")
    yield _growth("processor time", whole.run.processor, tenth.run.processor, "s")
    yield _growth("graph on disk", whole.graph >> 20, tenth.graph >> 20, "MiB", f", records {_mib(whole.records)}")
    scratch = whole.run.disk / whole.graph
    yield at_most("assembly: scratch on disk, beside the graph", scratch, 2, "x", _mib(whole.run.disk))


def _growth(what: str, whole: float, tenth: float, unit: str, more: str = "") -> Row:
    figure = f"{whole:,.0f} {unit}, {tenth:,.0f} for a tenth{more}"
    return at_most(f"assembly: {what}, ten times the mentions", whole / tenth, _MOST_GROWTH, "x", figure)


def _mib(number: int) -> str:
    return f"{number >> 20:,} MiB"


def _assembling(directory: Path, mentions: int) -> Assembling:
    """Assemble mentions without limits; the disk of the run is its scratch."""
    measure(generate, directory, mentions)
    run = run_within(_NO_LIMITS, directory / NEXT / "scratch", assemble_within, directory)
    graph = size(directory / "nodes") + size(directory / "relations")
    return Assembling(run, graph, size(directory / "records"))


def _as_far_as(folder: Path, mentions: int, limits: Limits) -> Iterator[Row]:
    """One number of mentions: what was reached, and what it took."""
    directory = folder / "graph"
    what = f"records of {mentions:,} mentions"
    run = run_within(evolve(limits, seconds=float("inf")), directory, generate_within, directory, mentions)
    yield _outcome(what, run)
    yield Row(f"{what}: disk at most", _mib(run.disk))
    if run.stopped_by:
        return
    what = f"assembly of {mentions:,} mentions"
    run = run_within(limits, directory, assemble_within, directory)
    yield _outcome(what, run)
    yield Row(f"{what}: processor time", f"{run.processor:,.0f} s")
    yield at_most(f"{what}: memory at most", run.peak_mib, MEMORY >> 20, "MiB")
    yield Row(f"{what}: disk at most", _mib(run.disk))
    rows_of = directory / NEXT if run.stopped_by else directory
    yield Row(f"{what}: rows of finished tables", f"{_finished_rows(rows_of):,}")


def _outcome(what: str, run: Reached) -> Row:
    seconds = f"{run.seconds:,.0f} s"
    figure = f"the limit of {run.stopped_by} after {seconds}: {run.stage}" if run.stopped_by else seconds
    return Row(what, figure, "to the end", not run.stopped_by)


def _finished_rows(directory: Path) -> int:
    """The rows of the graph's tables that are written to their end."""
    found = 0
    for path in (*directory.glob("nodes/*.parquet"), *directory.glob("relations/*.parquet")):
        try:
            found += pq.read_metadata(path).num_rows
        except pa.ArrowInvalid:  # It has no end yet.
            continue
    return found
