"""`kgscripts segment` from start to end on stories as one text, by the detector and by the published model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from benchmarks.building import SHARED
from benchmarks.measure import Row, at_least, at_most
from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from schemas.records import Document

_STORIES = 420
_GOAL = 120


@frozen
class _Run:
    """A run of the command: wall-clock and processor seconds, peak memory, and how many sentences it printed."""

    seconds: float
    processor: float
    peak_mib: float
    sentences: int

    @property
    def rate(self) -> float:
        """Sentences a second."""
        return self.sentences / self.seconds


def rows() -> Iterator[Row]:
    """Sentences a second of both models, of which the detector's have a goal, and memory for ten times the text."""
    corpus = SHARED / "corpora" / "mcscript" / "train-data.xml"
    if not corpus.is_file():
        yield Row("scenarios of texts", "not measured: no corpus")
        return
    stories = [item.text for file in find_files([corpus]) for item in read_file(file) if isinstance(item, Document)]
    with tempfile.TemporaryDirectory() as temporary:
        short, long = Path(temporary, "short.txt"), Path(temporary, "long.txt")
        short.write_text("\n\n".join(stories[: _STORIES // 10]), encoding="utf-8")
        long.write_text("\n\n".join(stories[:_STORIES]), encoding="utf-8")
        detector, published = _run(long, "default"), _run(long, "topic-tiling")
        more = f"{detector.rate / published.rate:.2f} x the published model; "
        more += f"{1000 * detector.processor / detector.sentences:.1f} ms of processor time a sentence"
        what = f"segment, the detector, {detector.sentences:,} sentences"
        yield at_least(what, detector.rate, _GOAL, "sentences/s", more)
        yield Row("segment, the published model", f"{published.rate:.0f} sentences/s")
        growth, peak = detector.peak_mib / _run(short, "default").peak_mib, f"{detector.peak_mib:.0f} MiB"
        yield at_most("segment, memory: ten times the text", growth, 1.5, "x", peak)


def _run(file: Path, model: str) -> _Run:
    """Raises RuntimeError if the command fails."""
    command = [sys.executable, "-m", "cli", "segment", str(file), "--model", model, "--jsonl"]
    printed = file.with_suffix(".jsonl")
    with printed.open("w") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if status:
        raise RuntimeError(f"{' '.join(command)} failed")
    last = json.loads(printed.read_text(encoding="utf-8").splitlines()[-1])
    return _Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, last["sentences"][1])
