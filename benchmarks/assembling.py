"""Assembly alone, out of core: synthetic mentions, by default ten million of them, and a tenth.

``python -m benchmarks assembling --mentions N [--folder DIR]`` assembles another number and its tenth.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.measure import Measurement, Row, measure, ratio
from benchmarks.synthetic_records import fill
from kgscripts.assembly.assemble import assemble
from kgscripts.records.opening import open_records
from schemas.vocabulary import DEFAULT_BASE_IRI

MENTIONS = 10_000_000
MEMORY = 3 << 30
_MOST_GROWTH = 10.5


def generate(directory: Path, mentions: int) -> Callable[[], str]:
    """Fill the records."""
    return lambda: fill(directory, mentions)


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
    """Measure mentions and a tenth of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks assembling")
    parser.add_argument("--mentions", type=int, default=MENTIONS, metavar="N", help="how many mentions")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the files lie meanwhile")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        tenth = _assembled(Path(name, "tenth"), options.mentions // 10)
        whole = _assembled(Path(name, "whole"), options.mentions)
    what = f"assembly of {options.mentions:,} mentions against a tenth"
    yield ratio(f"{what}: time", whole.seconds, tenth.seconds, most=_MOST_GROWTH)
    yield ratio(f"{what}: processor time", whole.value, tenth.value, most=_MOST_GROWTH)


def _assembled(directory: Path, mentions: int) -> Measurement:
    measure(generate, directory, mentions)
    return measure(assemble_all, directory)
