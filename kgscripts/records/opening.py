"""Opening the records of a graph directory. Damage is repaired first, and corrections are never lost.

A lost index is made anew of the shards, which list their content, and of the file of inputs.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow.parquet as pq

from kgscripts.records.corrections import CORRECTIONS, add_corrections
from kgscripts.records.database import DAMAGED_INDEX, INDEX, SOURCE
from kgscripts.records.inputs import Input, read_inputs
from kgscripts.records.kinds import decode
from kgscripts.records.shard_index import CORRECTION
from kgscripts.records.shards import DAMAGED_FILE, WrittenShard, read_shard, shard_path
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.errors import DamagedIndexError, GraphDirectoryError
from schemas.graph_directory import locked, remove, unwritable
from schemas.tables import table_path

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
        # Left by a call that was killed.
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


_LOG = logging.getLogger(__name__)


@contextmanager
def open_records(directory: Path, *, create: bool = True) -> Iterator[RecordStore]:
    """Lock a graph directory, and open its record store.

    A damaged index is made anew from the files of records, and a warning says what is kept. Corrections that the
    records have lost are taken from the graph.

    Raises
    ------
    GraphDirectoryError
        If the directory is locked or foreign, its records cannot be read or written, or, without `create`, it is no
        graph directory. If damage of the index is found later, the next call makes it anew.
    """
    folder = directory / "records"
    with locked(directory, create=create):
        if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(directory)):
            raise GraphDirectoryError(
                "a link leads out of the graph directory", where=str(folder), remedy="put the files themselves there"
            )
        try:
            store = RecordStore(folder)
        except DamagedIndexError as error:
            _LOG.warning("%s: %s\n  it is made anew; %s", directory, error.message, rebuild(folder))
            store = RecordStore(folder)
        with store:
            try:
                _restore_corrections(store, directory)
                if next(store.inputs.sources(), None) is None and _graph_has_sources(directory):
                    _miss_sources(directory, create)
                yield store
            except DamagedIndexError:
                # Records without an index are damage that the next call repairs.
                with suppress(OSError):
                    (folder / INDEX).replace(folder / DAMAGED_INDEX)
                raise


def _restore_corrections(store: RecordStore, directory: Path) -> None:
    """Copy the corrections of the graph into the store, if it has lost them with a file."""
    in_graph = _corrections_of_graph(directory)
    known = set(store.readings.subjects(CORRECTIONS)) if in_graph else set()
    if lost := [item for item in in_graph if item.digest not in known]:
        add_corrections(store, lost)
        _LOG.warning("%s: the records have lost corrections\n  taken from the graph: %d", directory, len(lost))


def _miss_sources(directory: Path, is_build: bool) -> None:
    problem = "which inputs the graph was made of is not known any more"
    if is_build:
        _LOG.warning("%s: %s\n  name all of them: the graph is made of those that you name", directory, problem)
    else:
        remedy = "run `kgscripts build-graph` with all of them; its corrections are kept"
        raise GraphDirectoryError(problem, where=str(directory), remedy=remedy)


def _graph_has_sources(directory: Path) -> bool:
    try:
        return bool(pq.read_metadata(directory / table_path("Source")).num_rows)
    except DAMAGED_FILE:
        return False  # the caller finds no graph


def _corrections_of_graph(directory: Path) -> list[Correction]:
    path = directory / table_path("Correction")
    if not path.is_file():
        return []
    try:
        rows = pq.read_table(path, columns=["content"], partitioning=None)["content"].to_pylist()
        return [Correction.from_json(row) for row in rows]
    except DAMAGED_FILE:
        # Assembly writes the table again; a build reports the damage.
        return []
