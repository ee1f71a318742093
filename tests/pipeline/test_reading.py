"""Reading: several processes end when the caller wants no more, and no parse is kept for longer than its batch."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
from attrs import define
from spacy.tokens import Doc

from kgscripts.building.jobs import read_batches
from kgscripts.building.reading import Batch, BatchReading, DocumentReader
from kgscripts.extractors.registry import choose
from kgscripts.records.shards import Reading
from kgscripts.text.pipeline import describe_pipeline
from schemas.records import Document, Passage, PassageKind


@define
class _SlowReader(DocumentReader):
    """Reads the first batch at once and the others for ten minutes."""

    def read(self, batch: Batch) -> BatchReading:
        if batch.documents[0].title != "first":
            time.sleep(600)
        return BatchReading([Reading(batch.documents[0].digest, "slow", batch.documents)], [])


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


def test_no_parse_is_kept_for_longer_than_its_batch() -> None:
    text = "The zebras washed the pan."
    passage = Passage(kind=PassageKind.STEP, start=0, end=len(text))
    document = Document(name="one", text=text, format="text", passages=[passage])
    chosen = choose(["events", "sentences"], (), describe_pipeline)
    readings = (
        DocumentReader(chosen, strict=True).read(Batch([document], frozenset(item.version for item in chosen))).readings
    )
    assert [len(reading.records) for reading in readings] == [1, 1]
    gc.collect()
    assert not [kept for kept in gc.get_objects() if type(kept) is Doc and "zebras" in kept.text]
