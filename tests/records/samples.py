"""Documents, readings and inputs to put into a store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from kgscripts.records.database import SOURCE
from kgscripts.records.inputs import Input
from kgscripts.records.shards import Reading, WrittenShard, write_shard
from kgscripts.records.store import RecordStore
from schemas.records import Action, AlignedPhrase, Document, EventMention

EVENTS = "e" * 64
PHRASES = "f" * 64


def document(number: int) -> Document:
    return Document(name=f"d{number}", format="text", text=f"boil the water {number}", passages=())


def documents(count: int, first: int = 0) -> list[Document]:
    return [document(number) for number in range(first, first + count)]


def found(item: Document, extractor: str = EVENTS) -> list[Any]:
    """What an extractor finds: in every third document nothing, else one record and a second one of another kind."""
    number = int(item.name[1:])
    if number % 3 == 0:
        return []
    event = EventMention(action=Action(predicate=f"boil{extractor[0]}", object="water"), start=0, end=len(item.text))
    phrase = AlignedPhrase(word_start=0, word_end=1, start=2, end=3 + number, log_probability=-0.5)
    return [event, phrase, event] if extractor == EVENTS else [phrase]


def readings(items: Iterable[Document], extractors: Sequence[str] = (SOURCE, EVENTS)) -> list[Reading]:
    return [
        Reading(item.digest, extractor, [item] if extractor == SOURCE else found(item, extractor))
        for item in items
        for extractor in extractors
    ]


def written(folder: Path, items: Iterable[Document], *extractors: str) -> WrittenShard:
    return write_shard(folder, readings(items, extractors or (SOURCE, EVENTS)))


def input_of(key: str, items: Iterable[Document], *, complete: bool = True, fingerprint: str = "fingerprint") -> Input:
    return Input(key, fingerprint, complete, sorted((item.digest, item.name) for item in items))


def opened(folder: Path) -> RecordStore:
    """The store in `folder`, with two extractors."""
    store = RecordStore(folder)
    store.extractors.add(EVENTS, "events", "extractor", ())
    store.extractors.add(PHRASES, "phrases", "extractor", ())
    return store


def add(store: RecordStore, items: Sequence[Document], key: str = "input") -> None:
    """Read documents by one extractor and enter them as an input."""
    store.commit([written(store.folder, items)], [input_of(key, items)])


def record_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.parquet"))


def keys_of(records: RecordStore) -> list[str]:
    """The keys of all inputs."""
    return [item.key for item in records.inputs.all()]
