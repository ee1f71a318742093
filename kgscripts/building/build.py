"""The second part of a build: documents -> records; only what the record store lacks is read."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from attrs import define, field, frozen

from kgscripts.building.jobs import WrittenBatch, batches_of, read_batches
from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.building.run import Run
from kgscripts.extractors.protocol import record_kinds
from kgscripts.records.store import RecordStore
from schemas.records import Document, Record

_LOG = logging.getLogger(__name__)

# Whichever comes first: a commit waits for the disk, and what is not committed is lost with a kill.
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
    """Runs the extractors that have not read the documents of a record store."""

    store: RecordStore
    reader: DocumentReader
    run: Run
    progress: Callable[[Progress], None]
    tried: set[tuple[str, str]] = field(factory=set, init=False)
    """Documents and versions of extractors that failed on them elsewhere: they are not tried again here."""

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
        committed = time.monotonic()
        try:
            for batch, written in read_batches(self.reader, self.store.folder, self._batches(lacking), self.run.jobs):
                waiting.append(written)
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
            withdraw=True,  # a document is read again where records were missing that are there now
        )

    def _batches(self, blocks: Iterable[Sequence[tuple[str, tuple[str, ...]]]]) -> Iterator[Batch]:
        """The documents of each block, in batches that lack the same extractors."""
        for block in blocks:
            for lacking, group in groupby(block, key=lambda item: frozenset(item[1])):
                digests = [digest for digest, _ in group]
                documents = self.store.read(Document, digests)
                for batch in batches_of(documents[digest][0] for digest in digests):
                    yield self._batch(batch, lacking)

    def _batch(self, documents: Sequence[Document], lacking: frozenset[str]) -> Batch:
        """A batch with the records of earlier builds that its extractors require."""
        digests = [document.digest for document in documents]
        known: dict[str, dict[str, list[Record]]] = {}
        kinds = {kind for chosen in self.reader.concerned(lacking) for kind in record_kinds(chosen.extractor.requires)}
        for chosen in self.reader.extractors:
            for kind in kinds & set(chosen.extractor.gives) if chosen.version not in lacking else ():
                for digest, records in self.store.read(kind, digests, [chosen.version]).items():
                    known.setdefault(digest, {}).setdefault(chosen.version, []).extend(records)
        return Batch(list(documents), lacking, known)
