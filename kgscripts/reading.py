"""Documents -> readings: parsing and extraction, in this process or in several."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
from attrs import define

from kgscripts.assembly.shards import encode
from schemas.errors import KGScriptsError
from schemas.provenance import Model
from schemas.records import Document, Passage, Reading

if TYPE_CHECKING:
    from kgscripts.extractors.protocol import Extractor

_BATCHES_AHEAD = 4


class Reader(Protocol):
    """Reads documents. It is pickled to other processes before its first use."""

    def models(self) -> tuple[Model, ...]:
        """The model that prepares the text, then each extractor's."""

    def read(self, documents: Sequence[Document]) -> list[Sequence[Reading]]:
        """For each document one reading an extractor."""


@define
class TextReader:
    """Parses with a spaCy pipeline (None: the one that ships) and reads with every installed extractor."""

    spacy_model: str | None = None

    def models(self) -> tuple[Model, ...]:
        """See `Reader`."""
        from kgscripts.text.pipeline import describe_pipeline

        return (describe_pipeline(self.spacy_model), *(extractor.model for extractor in _extractors(self.spacy_model)))

    def read(self, documents: Sequence[Document]) -> list[Sequence[Reading]]:
        """See `Reader`."""
        from kgscripts.extractors.protocol import Parse, ParsedDocument
        from kgscripts.text.passages import parse_passages
        from kgscripts.text.pipeline import load_pipeline

        parses: list[list[Parse]] = [[] for _ in documents]
        texts = (
            (document.text[passage.start : passage.end], (number, passage))
            for number, document in enumerate(documents)
            for passage in innermost(document.passages)
        )
        for piece in parse_passages(load_pipeline(self.spacy_model), texts):
            number, passage = piece.context
            parses[number].append(Parse(passage=passage, doc=piece.doc, offset=passage.start + piece.offset))
        parsed = [ParsedDocument(document, tuple(found)) for document, found in zip(documents, parses, strict=True)]
        return list(zip(*(extractor.read(parsed) for extractor in _extractors(self.spacy_model)), strict=True))


@cache
def _extractors(spacy_model: str | None) -> list[Extractor]:
    from kgscripts.extractors.registry import load_extractors
    from kgscripts.text.pipeline import describe_pipeline

    return load_extractors(describe_pipeline(spacy_model))


def innermost(passages: Sequence[Passage]) -> list[Passage]:
    """The passages that hold no other one: what is parsed, so that nothing is read twice."""
    return [
        passage
        for passage, following in zip(passages, (*passages[1:], None), strict=True)
        if following is None or following.end > passage.end or following.start >= passage.end
    ]


def read_batches(
    reader: Reader, digest: str, batches: Iterable[Sequence[Document]], jobs: int
) -> Iterator[pa.RecordBatch]:
    """What the reader (with the digest `digest`) found in each batch, as records, in the order of the batches.

    Raises
    ------
    KGScriptsError
        If one of several processes dies.
    """
    if jobs == 1:
        for batch in batches:
            yield _read(reader, digest, batch)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_start, initargs=(jobs,)) as pool:
        waiting: deque[Future[pa.RecordBatch]] = deque()
        try:
            for batch in batches:
                waiting.append(pool.submit(_read, reader, digest, batch))
                if len(waiting) >= jobs * _BATCHES_AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise KGScriptsError(
                "a reading process died", remedy="it may have run out of memory: try again with fewer --jobs"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _read(reader: Reader, digest: str, batch: Sequence[Document]) -> pa.RecordBatch:
    return encode(batch, reader.read(batch), digest)


def _start(jobs: int) -> None:
    """In a new process, one of so many, which share the cores; it leaves Ctrl-C to the one that started it, and ends
    when that one is gone, however it ended."""
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // jobs)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
