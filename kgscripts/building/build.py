"""The first half of a build: inputs -> documents -> records; only what the record store lacks is read."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from attrs import define, evolve, field, frozen

from kgscripts.building.batching import CHARACTERS_A_SHARD, batches_of
from kgscripts.building.inputs import BuildInput
from kgscripts.building.jobs import WrittenBatch, read_batches
from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.building.run import MANY, Run
from kgscripts.extractors.protocol import record_kinds
from kgscripts.records import SOURCE
from kgscripts.records.inputs import Input
from kgscripts.records.shards import Reading, write_shard
from kgscripts.records.store import RecordStore
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document, Record

_LOG = logging.getLogger(__name__)

BAD_RECORDS = frozenset(
    {
        DiscardReason.MALFORMED,
        DiscardReason.UNREADABLE,
        DiscardReason.NOT_INSTALLED,
        DiscardReason.UNDECODABLE,
        DiscardReason.DUPLICATE_ID,
        DiscardReason.EMPTY,
        DiscardReason.TOO_LONG,
        DiscardReason.MARKUP,
        DiscardReason.CODE,
        DiscardReason.LOG,
        DiscardReason.TABLE,
        DiscardReason.OTHER_LANGUAGE,
    }
)
"""The discards that are errors with `strict`: those that are faults of the input."""

_INPUTS_A_COMMIT = 1_000
_SOURCES_A_COMMIT = 100_000
_FAULTS_NAMED = 3
_BYTES_A_COMMIT = 4 << 20
_SECONDS_A_COMMIT = 10.0


@frozen
class Progress:
    """The progress of a build: the number of documents that were read, of those that some extractor has not read, and
    of words."""

    documents: int
    all_documents: int
    words: int


@define
class Build:
    """Adds inputs to a record store and runs the extractors that have not read its documents."""

    store: RecordStore
    reader: DocumentReader
    run: Run
    progress: Callable[[Progress], None]
    tried: set[tuple[str, str]] = field(factory=set, init=False)
    """Documents and versions of extractors that failed on them elsewhere: they are not tried again here."""
    _documents: list[Document] = field(factory=list, init=False)
    """Documents that are not in the store yet."""
    _waiting: set[str] = field(factory=set, init=False)
    _characters: int = field(default=0, init=False)
    _inputs: list[Input] = field(factory=list, init=False)

    def take_in(self, inputs: Iterable[BuildInput], *, strict: bool, limit: int | None) -> None:
        """Store the documents of every input that is new or has changed, each with its input.

        Raises
        ------
        InputError
            If no input could be read, or with `strict` at the first bad record; what came before is kept.
        """
        self.run.inputs_read = self.run.inputs_known = self.run.inputs_unreadable = self.run.inputs_partly_read = 0
        self.run.encodings = {}
        faults: list[Discard] = []
        try:
            self._take_in(inputs, strict, limit, faults)
        finally:
            self._flush()
        if faults and self.run.inputs_unreadable == self.run.inputs_read + self.run.inputs_known:
            raise _nothing_read(faults, self.run.inputs_unreadable)

    def _take_in(self, inputs: Iterable[BuildInput], strict: bool, limit: int | None, faults: list[Discard]) -> None:
        count = 0
        for given in inputs:
            if limit is not None and count >= limit:
                return
            fingerprint = given.fingerprint()
            if self.store.inputs.is_current(given.key, fingerprint):
                first = self.store.inputs.first_discard(given.key)
                sources = self.store.inputs.source_count(given.key)
                count += sources
                self.run.inputs_known += 1
                self._note(sources, first, faults)
                known = self.store.inputs.get(given.key) if strict else None
                for discard in known.discards if known else ():
                    _refuse_bad(discard)
                continue
            before = count
            taken = Input(given.key, fingerprint, complete=True)
            for item in given.items():
                if isinstance(item, Discard):
                    taken.add_discard(item)
                    if strict:
                        _refuse_bad(item)
                elif count == limit:
                    taken.complete = False
                    break
                else:
                    count += 1
                    if item.encoding:
                        self.run.encodings[item.encoding] = self.run.encodings.get(item.encoding, 0) + 1
                    taken.sources.append((item.digest, item.name))
                    self._add(item)
                    if len(taken.sources) >= _SOURCES_A_COMMIT:
                        self._inputs.append(evolve(taken, complete=False, discards=[], unlisted={}))
                        self._flush()
                        taken.sources.clear()
                        taken.continues = True
            self.run.inputs_read += 1
            _log_discards(taken)
            if taken.complete or count > before:
                self._note(count - before, next(iter(taken.discards), None), faults)
            self._inputs.append(taken)
            if len(self._inputs) >= _INPUTS_A_COMMIT:
                self._flush()

    def _note(self, sources: int, fault: Discard | None, faults: list[Discard]) -> None:
        """Count an input that could not be read, or only in part."""
        if fault is None:
            return
        if sources:
            self.run.inputs_partly_read += 1
        else:
            self.run.inputs_unreadable += 1
            if len(faults) < _FAULTS_NAMED:
                faults.append(fault)

    def _add(self, document: Document) -> None:
        if document.digest in self._waiting or self.store.readings.has(document.digest, SOURCE):
            return
        self._documents.append(document)
        self._waiting.add(document.digest)
        self._characters += len(document.text)
        if self._characters >= CHARACTERS_A_SHARD:
            self._flush()

    def _flush(self) -> None:
        """Commit the documents and the inputs that are complete."""
        shards = []
        if self._documents:
            readings = [Reading(document.digest, SOURCE, [document]) for document in self._documents]
            shards.append(write_shard(self.store.folder, readings))
        if shards or self._inputs:
            self.store.commit(shards, self._inputs)
        self._documents, self._inputs, self._waiting, self._characters = [], [], set(), 0

    def read(self) -> None:
        """Run on every document the extractors that have not read it; results are committed in batches. Documents on
        which an extractor failed before are tried again.

        Raises
        ------
        ExtractorError
            If the reader is strict and an extractor fails on a document; what was read before is kept.
        """
        versions = [chosen.version for chosen in self.reader.extractors]
        for chosen in self.reader.extractors:
            self.store.extractors.add(chosen.version, chosen.extractor.name, "extractor", chosen.models)
        # The whole list is fetched first, since commits change it.
        lacking = [self._untried(block) for block in self.store.readings.lacking(versions)]
        total, done = sum(map(len, lacking)), 0
        waiting: list[WrittenBatch] = []
        outcomes = Counter[tuple[str, bool]]()
        committed = time.monotonic()
        try:
            for batch, written in read_batches(self.reader, self.store.folder, self._batches(lacking), self.run.jobs):
                waiting.append(written)
                outcomes.update(_outcomes(written))
                self.run.add_spent(written.spent)
                self._log_failures(batch, written)
                read = {subject for subject, _ in written.shard.completed} if written.shard else set()
                self.run.sources_read += len(read)
                self.run.words_read += sum(len(item.text.split()) for item in batch.documents if item.digest in read)
                done += len(batch.documents)
                self.progress(Progress(done, total, self.run.words_read))
                size = sum(file.bytes for item in waiting if item.shard for file in item.shard.files)
                if size >= _BYTES_A_COMMIT or time.monotonic() - committed >= _SECONDS_A_COMMIT:
                    self._commit(waiting)
                    waiting, committed = [], time.monotonic()
        finally:
            self._commit(waiting)
        self.run.failed_throughout = {
            chosen.extractor.name: failed
            for chosen in self.reader.extractors
            if (failed := outcomes[chosen.version, False]) > MANY and not outcomes[chosen.version, True]
        }

    def _untried(self, block: Sequence[tuple[str, tuple[str, ...]]]) -> Sequence[tuple[str, tuple[str, ...]]]:
        """A block without what is in `tried`."""
        if not self.tried:
            return block
        left = ((digest, tuple(v for v in versions if (digest, v) not in self.tried)) for digest, versions in block)
        return [item for item in left if item[1]]

    def _log_failures(self, batch: Batch, written: WrittenBatch) -> None:
        documents = {document.digest: document.name for document in batch.documents}
        names = {chosen.version: chosen.extractor.name for chosen in self.reader.extractors}
        for item in written.failures:
            source, name = documents.get(item.subject, item.subject), names.get(item.extractor, item.extractor)
            _LOG.info("set aside for %s: %s: %s (%s)", name, source, item.reason.value, item.detail)

    def _commit(self, batches: Sequence[WrittenBatch]) -> None:
        self.store.commit(
            [item.shard for item in batches if item.shard],
            failures=[failure for item in batches for failure in item.failures],
        )

    def _batches(self, blocks: Iterable[Sequence[tuple[str, tuple[str, ...]]]]) -> Iterator[Batch]:
        """The documents of each block, in batches that lack the same extractors."""
        for block in blocks:
            for lacking, group in groupby(block, key=lambda item: frozenset(item[1])):
                digests = [digest for digest, _ in group]
                found = self.store.read(Document, digests)
                for batch in batches_of(found[digest][0] for digest in digests):
                    yield self._batch(batch, lacking)

    def _batch(self, documents: Sequence[Document], lacking: frozenset[str]) -> Batch:
        """A batch with the records of earlier builds that its extractors require."""
        digests = [document.digest for document in documents]
        known: dict[str, dict[str, list[Record]]] = {}
        kinds = {
            kind
            for chosen in self.reader.extractors
            if chosen.version in lacking
            for kind in record_kinds(chosen.extractor.requires)
        }
        for chosen in self.reader.extractors:
            for kind in kinds & set(chosen.extractor.gives) if chosen.version not in lacking else ():
                for digest, records in self.store.read(kind, digests, [chosen.version]).items():
                    known.setdefault(digest, {}).setdefault(chosen.version, []).extend(records)
        return Batch(list(documents), lacking, known)


def _log_discards(taken: Input) -> None:
    for item in taken.discards:
        _LOG.info("set aside: %s: %s (%s)", item.where, item.reason.value, item.detail)
    for reason, number in taken.unlisted.items():
        _LOG.info("set aside: %s: %d more: %s", taken.key, number, reason.value)


def _outcomes(written: WrittenBatch) -> Iterator[tuple[str, bool]]:
    """For each extractor its version and, by document, whether it has read it or failed on it."""
    for _, extractor in written.shard.completed if written.shard else ():
        yield extractor, True
    for failure in written.failures:
        if failure.reason is DiscardReason.EXTRACTOR_FAILED:
            yield failure.extractor, False


def _nothing_read(faults: Sequence[Discard], inputs: int) -> InputError:
    named = "\n  ".join(f"{fault.where[-200:]}: {fault.reason.value} ({fault.detail})" for fault in faults)
    more = f"\n  and {inputs - len(faults):,} more" if inputs > len(faults) else ""
    return InputError(
        f"nothing could be read\n  {named}{more}",
        remedy="name files of text, Markdown, JSON lines or another format of `kgscripts build-graph --help`",
    )


def _refuse_bad(discard: Discard) -> None:
    if discard.reason in BAD_RECORDS:
        raise InputError(
            f"{discard.reason.value}: {discard.detail}" if discard.detail else discard.reason.value,
            where=discard.where,
            remedy="mend it, or leave --strict away to set it aside",
        )
