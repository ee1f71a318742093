"""Corrections in a record store: the latest one of each key. Reading and removing texts does not change them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from kgscripts.records.shards import Reading, write_shard
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction

CORRECTIONS = hashlib.sha256(b"corrections").hexdigest()
"""The pseudo extractor of people, which gives a `Correction` for each key."""


def read_corrections(store: RecordStore) -> list[Correction]:
    """All corrections, the oldest first, including withdrawn ones.

    Raises
    ------
    GraphDirectoryError
        If their file is damaged or missing.
    """
    by_key = store.read(Correction, store.readings.subjects(CORRECTIONS), [CORRECTIONS])
    return sorted((correction for of_key in by_key.values() for correction in of_key), key=lambda item: item.age)


def add_corrections(store: RecordStore, corrections: Iterable[Correction]) -> list[Correction]:
    """Add corrections to the store; of several with one key the latest is kept. Return those that were added. All are
    in one shard, so that damage to other records does not affect them.
    """
    known = {correction.digest: correction for correction in read_corrections(store)}
    latest = dict(known)
    for correction in corrections:
        if correction.digest not in latest or correction.age > latest[correction.digest].age:
            latest[correction.digest] = correction
    new = [correction for digest, correction in latest.items() if known.get(digest) != correction]
    if new:
        store.extractors.add(CORRECTIONS, "corrections", "source", ())
        readings = [Reading(digest, CORRECTIONS, [correction]) for digest, correction in latest.items()]
        store.commit([write_shard(store.folder, readings)])
    return new
