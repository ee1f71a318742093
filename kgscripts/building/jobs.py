"""Batches of documents -> shards of records: in this process or in several."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from attrs import evolve, field, frozen

from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.building.run import added
from kgscripts.lean_imports import hide_pandas_from_pyarrow, keep_lean
from kgscripts.records.readings import Failure
from kgscripts.records.shards import WrittenShard, write_shard
from schemas.errors import KGScriptsError, RecordError
from schemas.operating_system import most_processes
from schemas.records import Document

CHARACTERS_A_SHARD = 4_000_000
"""The characters of documents that are stored together."""
_DOCUMENTS_A_BATCH = 64
_CHARACTERS_A_BATCH = 16_000


def batches_of(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Documents in batches that the extractors read at once."""
    return in_parts(documents, _CHARACTERS_A_BATCH, _DOCUMENTS_A_BATCH)


def in_parts(documents: Iterable[Document], most_characters: int, most: int) -> Iterator[list[Document]]:
    """Documents in lists that end with so many characters or documents."""
    batch: list[Document] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += len(document.text)
        if characters >= most_characters or len(batch) >= most:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


# Of each process: none waits for the slowest, and results do not pile up.
_BATCHES_AHEAD = 4


@frozen
class WrittenBatch:
    """The result of a batch: a shard, or None if nothing was read, the failures, and what extractors have spent."""

    shard: WrittenShard | None
    failures: tuple[Failure, ...]
    spent: Mapping[str, Mapping[str, float]] = field(factory=dict)


def read_batches(
    reader: DocumentReader, folder: Path, batches: Iterable[Batch], jobs: int
) -> Generator[tuple[Batch, WrittenBatch], None, None]:
    """Run the extractors on each batch and write the records as shards into `folder`, in the order of the batches.

    The other processes end at once if the caller stops before the last batch, or is interrupted.

    Raises
    ------
    ExtractorError
        If the reader is strict and an extractor fails on a document.
    KGScriptsError
        If one of several processes dies, or for another error that is not about a document.
    """
    if jobs == 1:
        for batch in batches:
            yield batch, _written(reader, folder, batch)
        return
    jobs = most_processes(jobs)
    # A process that is forked off one with threads, such as those of torch, may hang.
    context = get_context("spawn")
    until, going_on = context.Pipe(duplex=False)
    with ProcessPoolExecutor(jobs, context, initializer=_start, initargs=(jobs, reader, until)) as pool:
        waiting: deque[tuple[Batch, Future[WrittenBatch]]] = deque()
        try:
            for batch in batches:
                waiting.append((batch, pool.submit(_read, folder, batch)))
                if len(waiting) >= jobs * _BATCHES_AHEAD:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
            # Before the pipe is closed: that ends them at once.
            pool.shutdown()
        except BrokenProcessPool as error:
            raise KGScriptsError(
                "a reading process died", remedy="it may have run out of memory: try again with fewer --jobs"
            ) from error
        finally:
            going_on.close()


_reader: DocumentReader
"""The function that reads a batch in this process."""


def _read(folder: Path, batch: Batch) -> WrittenBatch:
    return _written(_reader, folder, batch)


def _written(reader: DocumentReader, folder: Path, batch: Batch) -> WrittenBatch:
    reading = reader.read(batch)
    try:
        shard = write_shard(folder, reading.readings) if reading.readings else None
    # A record cannot be stored. Read again with a check of each document, so that only that one fails.
    except RecordError:
        before = reading.spent
        reading = evolve(reader, storable=True).read(batch)
        shard = write_shard(folder, reading.readings) if reading.readings else None
        # Both readings were paid for.
        spent = {name: added(before.get(name, {}), reading.spent.get(name, {})) for name in {**before, **reading.spent}}
        return WrittenBatch(shard, tuple(reading.failures), spent)
    return WrittenBatch(shard, tuple(reading.failures), reading.spent)


def _start(jobs: int, reader: DocumentReader, until: Connection) -> None:
    """Set up a new process, one of `jobs`, which share the cores.

    Ctrl-C is left to the process that started it. It ends when that process closes the other end of `until` or has
    ended.
    """
    global _reader
    _reader = reader
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // jobs)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hide_pandas_from_pyarrow()
    keep_lean()
    threading.Thread(target=_end_with, args=(until,), daemon=True).start()


def _end_with(until: Connection) -> None:
    wait([until])
    # `sys.exit` would end this thread alone.
    os._exit(1)
