"""A process that changes a store again and again, and prints what is committed, until it is killed."""

from __future__ import annotations

import sys
from pathlib import Path

from kgscripts.records import store
from kgscripts.records.readings import Failure
from kgscripts.records.store import RecordStore
from schemas.records import DiscardReason
from tests.records.samples import EVENTS, PHRASES, documents, input_of, opened, written

DOCUMENTS_A_COMMIT = 4


def main(folder: Path, what: str) -> None:
    """Commit small shards, which are merged all the time; or write shards that are never committed; or compact."""
    with opened(folder) as records:
        start = records.inputs.documents().num_rows
        for number in range(start // DOCUMENTS_A_COMMIT, 10_000):
            items = documents(DOCUMENTS_A_COMMIT, number * DOCUMENTS_A_COMMIT)
            shard = written(folder, items)
            if what != "write":
                failed = [Failure(item.digest, PHRASES, DiscardReason.EXTRACTOR_FAILED, item.name) for item in items]
                records.commit([shard], [input_of(f"input{number}", items)], failed)
                print(number, flush=True)
            if what == "compact":
                again(records, number)


def again(records: RecordStore, number: int) -> None:
    """Replace the readings of the last documents, so that their shard has to be rewritten."""
    items = documents(DOCUMENTS_A_COMMIT // 2, number * DOCUMENTS_A_COMMIT)
    records.commit([written(records.folder, items, EVENTS)])
    records.compact()


if __name__ == "__main__":
    store._SHARDS_A_TIER = 2
    main(Path(sys.argv[1]), sys.argv[2])
