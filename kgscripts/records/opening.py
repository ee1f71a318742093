"""Opening the records of a graph directory. Damage is repaired first, and corrections are never lost."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow.parquet as pq

from kgscripts.records.corrections import CORRECTIONS, add_corrections
from kgscripts.records.database import DAMAGED_INDEX, INDEX
from kgscripts.records.rebuilding import rebuild
from kgscripts.records.shards import DAMAGED_FILE
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.errors import DamagedIndexError, GraphDirectoryError
from schemas.graph_directory import locked
from schemas.tables import table_path

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
