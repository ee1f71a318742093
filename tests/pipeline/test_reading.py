"""Reading in several processes: they end when the caller wants no more."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import psutil
from attrs import define

from kgscripts.reading import Batch, DocumentReader, read_batches
from kgscripts.records.shards import Reading
from schemas.records import Document


@define
class _SlowReader(DocumentReader):
    """Reads the first batch at once and the others for ten minutes."""

    def read(self, batch: Batch) -> list[Reading]:
        if batch.documents[0].title != "first":
            time.sleep(600)
        return [Reading(batch.documents[0].digest, "slow", batch.documents)]


def _batch(title: str) -> Batch:
    document = Document(name=title, title=title, text="Boil water.", format="text", passages=())
    return Batch([document], frozenset())


def _readers() -> Sequence[psutil.Process]:
    return [process for process in psutil.Process().children() if "spawn_main" in " ".join(process.cmdline())]


def test_who_stops_early_does_not_wait_for_batches_that_are_being_read(tmp_path: Path) -> None:
    before = {process.pid for process in _readers()}
    batches = read_batches(_SlowReader([]), tmp_path, map(_batch, ["first", *"abcdefghij"]), jobs=2)
    batch, _ = next(batches)
    assert batch.documents[0].title == "first"
    readers = [process for process in _readers() if process.pid not in before]
    assert readers
    batches.close()
    assert not psutil.wait_procs(readers, timeout=60)[1]
