"""Indexes and folders made by others: nothing outside of the folder of records is read, written, renamed or deleted."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from kgscripts.records.opening import open_records
from kgscripts.records.shards import shard_path
from kgscripts.records.store import RecordStore
from schemas.errors import DamagedIndexError, GraphDirectoryError, KGScriptsError
from tests.records.samples import add, documents, opened

VICTIM = "0" * 32


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A graph directory beside folders with files that are named like those of shards."""
    directory = tmp_path / "graph"
    with open_records(directory):
        pass
    with opened(directory / "records") as store:
        add(store, documents(3))
        store.compact()
    for folder in ("victim", "graph/victim"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{VICTIM}.parquet").write_bytes(b"precious")
    return directory


def _outside(graph: Path) -> dict[Path, bytes]:
    files = [path for path in graph.parent.rglob("*") if path.is_file() and not path.is_symlink()]
    return {path: path.read_bytes() for path in files if path.suffix == ".parquet" and "records" not in path.parts}


def _use(graph: Path) -> None:
    """All that a build does with a store, as often as it takes."""
    for _ in range(3):
        with suppress(KGScriptsError), open_records(graph) as store:
            store.shards.verify()
            list(store.shards.all())
            store.shards.files("document")
            add(store, documents(2, 50), "more")
            store.compact()
    with suppress(KGScriptsError), RecordStore(graph / "records") as store:
        list(store.validate())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(
            ("kind", kind)
            for kind in ("../../victim", "../victim", "/victim", "..", ".", "", "a/b", "a.b", "reading list")
        ),
        *(("name", name) for name in (f"../../victim/{VICTIM}", VICTIM[1:], "G" * 32, "", "..", VICTIM + "\n")),
        *(("kind", value) for value in (5, b"../../victim")),
        *(("name", value) for value in (5, 1.5, b"x")),
    ],
)
def test_names_that_no_shard_has(column: str, value: object, graph: Path) -> None:
    before = _outside(graph)
    assert len(before) == 2
    rows = {"kind": "shard_file SET kind = ? WHERE kind = 'document'", "name": "shard SET name = ?"}[column]
    with closing(sqlite3.connect(graph / "records" / "index.sqlite")) as index:
        index.execute(f"UPDATE {rows}", (value,))
        index.commit()
    with RecordStore(graph / "records") as store, pytest.raises(DamagedIndexError):
        store.shards.verify()
    _use(graph)
    assert _outside(graph) == before
    with open_records(graph) as store:
        assert store.inputs.documents().num_rows == 5


@pytest.mark.parametrize("link", ["records", "records/document", "records/correction", "records/reading-list"])
def test_links_that_lead_out(link: str, graph: Path) -> None:
    before = _outside(graph)
    path = graph / link
    if path.exists():
        shutil.copytree(path, graph.parent / "moved")
        shutil.rmtree(path)
    else:
        shutil.copytree(graph.parent / "victim", graph.parent / "moved")
    before |= _outside(graph)
    path.symlink_to(graph.parent / "moved")
    _use(graph)
    assert _outside(graph) == before


@pytest.mark.parametrize("name", ["inputs.part", "index.part", "index.rebuilt", "index.sqlite-journal"])
def test_nothing_is_written_through_a_link(name: str, graph: Path) -> None:
    victim = graph.parent / "victim" / f"{VICTIM}.parquet"
    (graph / "records" / name).symlink_to(victim)
    _use(graph)
    (graph / "records" / "index.sqlite").unlink()
    _use(graph)
    assert victim.read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("kind", "name"), [("document", "0" * 31), ("document", "0" * 33), ("../document", "0" * 32), ("", "0" * 32)]
)
def test_paths_of_shards_lie_below_their_folder(kind: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(DamagedIndexError, match="names the shard"):
        shard_path(tmp_path, kind, name)
    (tmp_path / "event").symlink_to("/tmp")
    with pytest.raises(GraphDirectoryError, match="leads out"):
        shard_path(tmp_path, "event", "0" * 32)
    assert shard_path(tmp_path, "aligned_phrase", "0" * 32).name == f"{'0' * 32}.parquet"
