"""Any sequence of changes gives what a plain dictionary gives."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kgscripts.records.database import SOURCE
from kgscripts.records.inputs import Input
from kgscripts.records.readings import Failure
from kgscripts.records.shards import Reading, write_shard
from kgscripts.records.store import RecordStore
from schemas.errors import GraphDirectoryError
from schemas.records import AlignedPhrase, DiscardReason, Document
from tests.records.samples import EVENTS, PHRASES, documents, opened

_ENRICHER = "a" * 64
_EXTRACTORS = (SOURCE, EVENTS, PHRASES, _ENRICHER)
_ITEMS = documents(8)
_some = st.lists(st.integers(0, 7), max_size=5, unique=True)


class StoreMachine(RuleBasedStateMachine):
    """The model: (subject, extractor) -> records, or why they are missing; key -> input."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.readings: dict[tuple[str, str], Sequence[object]] = {}
        self.failures: dict[tuple[str, str], str] = {}
        self.inputs: dict[str, tuple[str, bool, set[tuple[str, str]]]] = {}

    @initialize()
    def open(self) -> None:
        self.store = opened(Path(self.folder.name))
        self.store.extractors.add(_ENRICHER, "enricher", "enricher", ())

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(numbers=_some, extractor=st.sampled_from(_EXTRACTORS), count=st.integers(0, 2), word=st.integers(0, 5))
    def read(self, numbers: list[int], extractor: str, count: int, word: int) -> None:
        phrase = AlignedPhrase(word_start=word, word_end=word + 1, start=0, end=1, log_probability=-1)
        new: dict[tuple[str, str], Sequence[object]] = {
            (_ITEMS[number].digest, extractor): [_ITEMS[number]] if extractor == SOURCE else [phrase] * count
            for number in numbers
        }
        shard = write_shard(self.store.folder, [Reading(*key, records) for key, records in new.items()])
        self.store.commit([shard])
        self.readings |= new
        self.failures = {key: detail for key, detail in self.failures.items() if key not in new}

    @rule(numbers=_some, extractor=st.sampled_from((EVENTS, PHRASES)), detail=st.sampled_from("ab"))
    def fail(self, numbers: list[int], extractor: str, detail: str) -> None:
        keys = [(_ITEMS[number].digest, extractor) for number in numbers if _ITEMS[number].digest in self._live()]
        failed = DiscardReason.EXTRACTOR_FAILED
        self.store.commit(failures=[Failure(*key, failed, detail) for key in keys])
        self.failures |= {key: detail for key in keys if key not in self.readings}

    @rule(key=st.sampled_from("xyz"), fingerprint=st.sampled_from("fg"), complete=st.booleans(), numbers=_some)
    def give(self, key: str, fingerprint: str, complete: bool, numbers: list[int]) -> None:
        sources = {(_ITEMS[number].digest, f"{key}{number % 3}") for number in numbers}
        self.store.commit([], [Input(key, fingerprint, complete, sorted(sources))])
        known = self.inputs.get(key)
        if known is not None and not complete and known[0] == fingerprint:
            complete, sources = known[1], sources | known[2]
        self.inputs[key] = (fingerprint, complete, sources)

    @rule(key=st.sampled_from("xyz"))
    def remove_input(self, key: str) -> None:
        self.store.inputs.remove(key)
        self.inputs.pop(key, None)

    @rule(number=st.integers(0, 7))
    def remove_source(self, number: int) -> None:
        digest = _ITEMS[number].digest
        self.store.inputs.remove_source(digest)
        for key, (fingerprint, _, sources) in list(self.inputs.items()):
            kept = {source for source in sources if source[0] != digest}
            if kept != sources:
                self.inputs[key] = (fingerprint, False, kept)
                if not kept:
                    del self.inputs[key]

    @rule(numbers=_some)
    def compact(self, numbers: list[int]) -> None:
        enriched = {(_ITEMS[number].digest, _ENRICHER) for number in numbers}
        self.store.compact(enriched)
        live = self._live()
        self.readings = {
            key: records
            for key, records in self.readings.items()
            if (key in enriched if key[1] == _ENRICHER else key[0] in live)
        }
        self.failures = {key: detail for key, detail in self.failures.items() if key[0] in live}
        for digest in (EVENTS, PHRASES, _ENRICHER):
            self.store.extractors.add(digest, digest[0], "enricher" if digest == _ENRICHER else "extractor", ())
        files = [file for kind in (Document, AlignedPhrase) for file in self.store.shards.files(kind)]
        assert sum(pq.read_metadata(file).num_rows for file in files) == sum(map(len, self.readings.values()))
        assert list(self.store.validate()) == []

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = RecordStore(Path(self.folder.name))

    def _live(self) -> set[str]:
        return {digest for _, _, sources in self.inputs.values() for digest, _ in sources}

    @invariant()
    def is_as_the_model(self) -> None:
        if not hasattr(self, "store"):
            return
        digests = [item.digest for item in _ITEMS]
        for digest in digests:
            for extractor in _EXTRACTORS:
                assert self.store.readings.has(digest, extractor) == ((digest, extractor) in self.readings)
        for kind, extractors in ((Document, (SOURCE,)), (AlignedPhrase, sorted(_EXTRACTORS[1:]))):
            expected = {
                digest: [item for extractor in extractors for item in self.readings.get((digest, extractor), [])]
                for digest in digests
            }
            assert self.store.read(kind, digests) == {digest: found for digest, found in expected.items() if found}
        assert {item.key: (item.fingerprint, item.complete, set(item.sources)) for item in self.store.inputs.all()} == (
            self.inputs
        )
        live = sorted(self._live())
        assert self.store.inputs.documents()["digest"].to_pylist() == live
        lacking = {
            digest: missing
            for digest in live
            if (digest, SOURCE) in self.readings
            and (missing := tuple(e for e in (EVENTS, PHRASES) if (digest, e) not in self.readings))
        }
        assert dict(pair for block in self.store.readings.lacking([EVENTS, PHRASES], 2) for pair in block) == lacking
        failed = {key: detail for key, detail in self.failures.items() if key[0] in live}
        found = (item.failure for item in self.store.failures.all([EVENTS, PHRASES]))
        assert {(item.subject, item.extractor): item.detail for item in found} == failed
        settled = self.readings.keys() | failed.keys()
        lost = any((digest, SOURCE) not in self.readings or (digest, EVENTS) not in settled for digest in live)
        with pytest.raises(GraphDirectoryError) if lost else nullcontext():
            self.store.readings.check([EVENTS])
        for key, (fingerprint, complete, sources) in self.inputs.items():
            whole = complete and all((digest, SOURCE) in self.readings for digest, _ in sources)
            assert self.store.inputs.is_current(key, fingerprint) == whole


TestStore = StoreMachine.TestCase
TestStore.settings = settings(max_examples=15, stateful_step_count=25)
