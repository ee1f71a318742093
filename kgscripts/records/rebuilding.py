"""A new index of a record store, made of the shards, which list their content, and of the file of inputs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq

from kgscripts.records.corrections import CORRECTIONS, add_corrections
from kgscripts.records.database import DAMAGED_INDEX, INDEX, SOURCE
from kgscripts.records.inputs import Input
from kgscripts.records.inputs_file import read_inputs
from kgscripts.records.kinds import decode
from kgscripts.records.shard_index import CORRECTION
from kgscripts.records.shards import DAMAGED_FILE, WrittenShard, read_shard, shard_path
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.errors import DamagedIndexError
from schemas.graph_directory import remove, unwritable

_PART = "index.rebuilt"


def rebuild(folder: Path) -> str:
    """Make the index of the records in `folder` anew, and return a summary of what is kept. A damaged shard is left
    out: its content counts as unread.

    Raises
    ------
    GraphDirectoryError
        If the index or a shard cannot be written. The index stays as it was.
    """
    try:
        _remove_with_journal(folder / _PART)
        with RecordStore(folder, _PART) as store:
            kept = _fill(store)
        # A journal beside the damaged index would be applied to the new one.
        _remove_with_journal(folder / INDEX)
        remove(folder / DAMAGED_INDEX)
        (folder / _PART).replace(folder / INDEX)
    except OSError as error:
        raise unwritable(folder, error) from error
    return kept


def _remove_with_journal(path: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        remove(path.with_name(path.name + suffix))


def _fill(store: RecordStore) -> str:
    # All of them or none: the file may be damaged in the middle.
    with suppress(*DAMAGED_FILE, DamagedIndexError), store.transaction():
        for item in read_inputs(store.folder):
            if isinstance(item, Input):
                store.inputs.put(item)
            else:
                store.extractors.add(item.digest, item.name, item.role, item.models)
    # Corrections by people first, since no input gives them again.
    add_corrections(store, _all_corrections(store.folder))
    damaged = 0
    for name in sorted(_names(store.folder, "*") - _names(store.folder, CORRECTION)):
        shard = read_shard(store.folder, name)
        if shard is None:
            damaged += 1
        else:
            _enter(store, shard)
    # A reading that is in two shards, one of which was to be deleted, would count twice.
    store.drop_replaced()
    texts, corrections = (len(store.readings.subjects(extractor)) for extractor in (SOURCE, CORRECTIONS))
    kept = f"kept: texts {texts:,}, corrections {corrections:,}"
    lost = f"\n  damaged shards, whose texts are read again: {damaged:,}" if damaged else ""
    return kept + lost


def _names(folder: Path, kind: str) -> set[str]:
    return {path.stem for path in folder.glob(f"{kind}/*.parquet") if not path.parent.is_symlink()}


def _enter(store: RecordStore, shard: WrittenShard) -> None:
    known = store.extractors.all().keys()
    for digest in sorted({extractor for _, extractor in shard.completed} - known):
        # The extractor of a build that did not end. The next build with it adds its description, or it is dropped.
        store.extractors.add(digest, digest, "enricher", ())
    store.commit([shard], merge=False)


def _all_corrections(folder: Path) -> Iterator[Correction]:
    for name in sorted(_names(folder, CORRECTION)):
        if read_shard(folder, name) is not None:
            with suppress(*DAMAGED_FILE):
                table = pq.read_table(shard_path(folder, CORRECTION, name), partitioning=None)
                yield from [record for *_, record in decode(Correction, table)]
