"""Reading texts by the extractor, with the stub as the server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kgscripts.building.reading import Batch, BatchReading, DocumentReader
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.llm.extractor import LanguageModelExtractor
from kgscripts.extractors.llm.settings import LanguageModelSettings
from kgscripts.extractors.registry import choose
from kgscripts.text.pipeline import describe_pipeline
from schemas.records import Document, Record
from tests.extractors.llm.stub_server import Stub

PASTA = "# How to cook pasta\n\n1. Fill a pot with water.\n2. Drain the pasta with a strainer.\n"


def extractor(stub: Stub, folder: Path, **settings: Any) -> LanguageModelExtractor:
    """The extractor, which keeps answers in the folder and sends one request at a time."""
    own = {"endpoint": stub.address, "model": "tiny", "cache": str(folder / "answers"), "concurrency": 1}
    return LanguageModelExtractor(settings=LanguageModelSettings(**{**own, **settings}))


def read(by: LanguageModelExtractor, *texts: str) -> BatchReading:
    """What the extractor reads in texts, all at once."""
    chosen = choose([by], [], describe_pipeline)
    documents = [item for item in documents_from_strings(texts) if isinstance(item, Document)]
    return DocumentReader(chosen).read(Batch(documents, frozenset(item.version for item in chosen)))


def records(found: BatchReading) -> Sequence[Record]:
    """All records; no document has failed."""
    assert not found.failures, found.failures
    return [record for reading in found.readings for record in reading.records]


def failure(found: BatchReading) -> str:
    """Why the only document has failed."""
    (only,) = found.failures
    assert not found.readings
    return only.detail
