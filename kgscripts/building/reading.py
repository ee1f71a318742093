"""Documents -> records: parsing and extraction, in this process or in several."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from attrs import define, field, frozen

from kgscripts.extractors.protocol import PARSE, Parse, ParsedDocument, record_kinds
from kgscripts.extractors.registry import Chosen, only_built_in
from kgscripts.records.shards import Reading, WrittenShard, write_shard
from kgscripts.text.pipeline import import_without_torch
from schemas.errors import KGScriptsError, RecordError
from schemas.records import Document, Record

_BATCHES_AHEAD = 4


@frozen
class Batch:
    """Documents, the versions of the extractors that have not read them, and what the others found.

    `known` holds the records of each document (by digest) and of each extractor that is required and has read it.
    """

    documents: Sequence[Document]
    lacking: frozenset[str]
    known: Mapping[str, Mapping[str, Sequence[Record]]] = field(factory=dict)


@define
class DocumentReader:
    """Parses with a spaCy pipeline (None: the one that ships) and runs extractors in their order."""

    extractors: Sequence[Chosen]
    spacy_model: str | None = None

    def read(self, batch: Batch) -> list[Reading]:
        """One reading for each document and extractor that is lacking.

        Raises
        ------
        RecordError
            If an extractor gives another number of readings than documents, or a kind of record that it does not name.
        """
        lacking = [chosen for chosen in self.extractors if chosen.version in batch.lacking]
        parses: Sequence[Sequence[Parse]] = [()] * len(batch.documents)
        if any(PARSE in chosen.extractor.requires for chosen in lacking):
            parses = parse_documents(batch.documents, self.spacy_model)
        found: dict[str, dict[str, Sequence[Record]]] = {
            document.digest: dict(batch.known.get(document.digest, {})) for document in batch.documents
        }
        readings: list[Reading] = []
        for chosen in lacking:
            documents = [
                ParsedDocument(document, tuple(parsed), self._required(chosen, found[document.digest]))
                for document, parsed in zip(batch.documents, parses, strict=True)
            ]
            records = chosen.extractor.read(documents)
            _check(chosen, records, len(documents))
            for document, of_document in zip(batch.documents, records, strict=True):
                found[document.digest][chosen.version] = of_document
                readings.append(Reading(document.digest, chosen.version, of_document))
        return readings

    def _required(self, chosen: Chosen, found: Mapping[str, Sequence[Record]]) -> dict[type[Record], list[Record]]:
        """The records of each required kind, by all extractors that give it."""
        return {
            kind: [
                record
                for other in self.extractors
                for record in found.get(other.version, ())
                if other is not chosen and isinstance(record, kind)
            ]
            for kind in record_kinds(chosen.extractor.requires)
        }


def _check(chosen: Chosen, records: Sequence[Sequence[Record]], documents: int) -> None:
    name, gives = chosen.extractor.name, chosen.extractor.gives
    if len(records) != documents:
        raise RecordError(f"the extractor {name!r} gave {len(records)} readings of {documents} documents")
    for record in (record for of_document in records for record in of_document):
        if not isinstance(record, gives):
            raise RecordError(
                f"the extractor {name!r} gave a record of the kind {type(record).__name__}",
                remedy="name the kind in `gives`",
            )


def parse_documents(documents: Sequence[Document], spacy_model: str | None) -> list[list[Parse]]:
    """The parses of each document's innermost passages, in text order."""
    from kgscripts.text.passages import innermost, parse_passages
    from kgscripts.text.pipeline import load_pipeline

    parses: list[list[Parse]] = [[] for _ in documents]
    texts = (
        (document.text[passage.start : passage.end], (number, passage))
        for number, document in enumerate(documents)
        for passage in innermost(document.passages)
    )
    for piece in parse_passages(load_pipeline(spacy_model), texts):
        number, passage = piece.context
        parses[number].append(Parse(passage=passage, doc=piece.doc, offset=passage.start + piece.offset))
    return parses


def read_batches(
    reader: DocumentReader, folder: Path, batches: Iterable[Batch], jobs: int
) -> Generator[tuple[Batch, WrittenShard], None, None]:
    """Read each batch and write what was found as a shard into the records `folder`, in the order of the batches.

    Other processes end at once where the caller stops before the last batch, or is interrupted.

    Raises
    ------
    KGScriptsError
        If one of several processes dies.
    """
    if jobs == 1:
        for batch in batches:
            yield batch, write_shard(folder, reader.read(batch))
        return
    context = get_context("spawn")
    until, going_on = context.Pipe(duplex=False)
    with ProcessPoolExecutor(jobs, context, initializer=_start, initargs=(jobs, reader, until)) as pool:
        waiting: deque[tuple[Batch, Future[WrittenShard]]] = deque()
        try:
            for batch in batches:
                waiting.append((batch, pool.submit(_read, folder, batch)))
                if len(waiting) >= jobs * _BATCHES_AHEAD:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
            pool.shutdown()
        except BrokenProcessPool as error:
            raise KGScriptsError(
                "a reading process died", remedy="it may have run out of memory: try again with fewer --jobs"
            ) from error
        finally:
            going_on.close()


_reader: DocumentReader
"""That of this process, one of several."""


def _read(folder: Path, batch: Batch) -> WrittenShard:
    return write_shard(folder, _reader.read(batch))


def _start(jobs: int, reader: DocumentReader, until: Connection) -> None:
    """Set up a new process, one of so many, which share the cores.

    It leaves Ctrl-C to the process that started it, and ends when that one closes the other end of `until` or is gone,
    however it ended.
    """
    global _reader
    _reader = reader
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // jobs)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if only_built_in():
        import_without_torch()
    threading.Thread(target=_end_with, args=(until,), daemon=True).start()


def _end_with(until: Connection) -> None:
    wait([until])
    os._exit(1)
