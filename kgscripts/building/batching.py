"""How many documents are read at once, and how many are stored together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.records import Document

CHARACTERS_A_SHARD = 4_000_000
"""The characters of documents that are stored together."""
_DOCUMENTS_A_BATCH = 64
_CHARACTERS_A_BATCH = 16_000


def batches_of(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Documents in batches that the extractors read at once."""
    batch: list[Document] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += len(document.text)
        if characters >= _CHARACTERS_A_BATCH or len(batch) >= _DOCUMENTS_A_BATCH:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
