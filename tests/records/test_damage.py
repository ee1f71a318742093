"""Damaged or lost files, older layouts and full disks: an error with a remedy, and nothing else is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from attrs import evolve, frozen

from kgscripts.records.shards import Reading, WrittenShard, write_shard
from kgscripts.records.store import RecordStore
from schemas.errors import GraphDirectoryError
from schemas.records import Document, EventMention
from tests.conftest import without_privileges
from tests.disk import small_disk
from tests.records.samples import (
    EVENTS,
    add,
    documents,
    found,
    input_of,
    keys_of,
    opened,
    readings,
    record_files,
    written,
)


def _damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"x")


@pytest.mark.parametrize("harm", [_damage, Path.unlink])
@pytest.mark.parametrize("by", ["read", "files", "compact"])
def test_a_damaged_shard_is_set_aside_and_counts_as_unread(
    harm: Callable[[Path], None], by: str, tmp_path: Path
) -> None:
    lost, kept = documents(3), documents(3, 10)
    with opened(tmp_path) as records:
        add(records, lost, "lost")
        add(records, kept, "kept")
        (name,) = {path.stem for path in record_files(tmp_path)} - {
            shard.stem for shard in _files_with(records, kept[0].digest)
        }
    harm(tmp_path / "document" / f"{name}.parquet")
    with RecordStore(tmp_path) as again:
        assert again.inputs.is_current("lost", "fingerprint")  # Nothing was opened yet.
        again.readings.check([EVENTS])
        with pytest.raises(GraphDirectoryError, match=r"damaged|missing") as caught:
            _use(again, by, lost)
        assert caught.value.where == str(tmp_path / "document" / f"{name}.parquet")
        assert "same build again" in str(caught.value.remedy)
        assert not any(again.readings.has(item.digest, EVENTS) for item in lost)
        assert not again.inputs.is_current("lost", "fingerprint")
        assert again.inputs.is_current("kept", "fingerprint")
        with pytest.raises(GraphDirectoryError, match="damaged or lost") as caught:
            again.readings.check([EVENTS])
        assert "build again from lost," in str(caught.value)
        assert {path.stem for path in tmp_path.glob("*/*.damaged")} == {name}
        assert {path.stem for path in record_files(tmp_path)}.isdisjoint({name})
        add(again, lost, "lost")
        again.readings.check([EVENTS])
        again.compact()
        assert list(tmp_path.glob("*/*.damaged")) == []
        assert again.read(EventMention, [item.digest for item in [*lost, *kept]]) == {
            item.digest: found(item)[::2] for item in [*lost, *kept] if found(item)
        }


def _use(records: RecordStore, by: str, items: list[Document]) -> None:
    if by == "read":
        records.read(Document, [item.digest for item in items])
    elif by == "files":
        records.shards.files(Document)
    else:
        records.inputs.remove_source(items[0].digest)
        records.compact()


def _files_with(records: RecordStore, digest: str) -> list[Path]:
    return [
        path
        for path in records.shards.files(Document)
        if digest in pq.read_table(path, partitioning=None)["subject"].to_pylist()
    ]


def test_check_names_three_inputs_and_counts_the_rest(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        records.commit([], [input_of(f"input{number}", documents(1, number)) for number in range(5)])
        with pytest.raises(GraphDirectoryError, match=r"input0, input1, input2 and 2 more"):
            records.readings.check([])
        records.commit([written(tmp_path, documents(4), "0" * 64)])
        with pytest.raises(GraphDirectoryError, match=r"from input4, or"):
            records.readings.check([])
        with pytest.raises(GraphDirectoryError, match=r"and 2 more"):
            records.readings.check([EVENTS])


@pytest.mark.parametrize(
    "content",
    [b"", b"no database at all", b"SQLite format 3\0" + b"x" * 4096],
    ids=["empty", "foreign", "overwritten"],
)
def test_a_damaged_index_is_an_error_with_a_remedy(content: bytes, tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(3))
    (tmp_path / "index.sqlite").write_bytes(content)
    with pytest.raises(GraphDirectoryError, match="index of the records is damaged") as caught:
        RecordStore(tmp_path)
    assert "the index anew" in str(caught.value.remedy)


@pytest.mark.parametrize("page", range(1, 12))
def test_a_damaged_page_of_the_index_is_found(page: int, tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(200))
    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection:
        ((size,),) = connection.execute("PRAGMA page_size")
        pages = (tmp_path / "index.sqlite").stat().st_size // size
    assert pages > 12
    with (tmp_path / "index.sqlite").open("r+b") as stream:
        stream.seek(page * size)
        stream.write(b"\xa5" * size)
    with RecordStore(tmp_path) as again:
        assert _problems(again) != []


def _problems(records: RecordStore) -> list[str]:
    try:
        return list(records.validate())
    except GraphDirectoryError as error:
        return [error.message]


def test_an_index_that_is_gone_is_not_made_anew_over_records(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(3))
    (tmp_path / "index.sqlite").unlink()
    with pytest.raises(GraphDirectoryError, match="it is missing"):
        RecordStore(tmp_path)
    assert record_files(tmp_path) != []


def test_a_store_that_was_killed_when_made_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "index.part").write_bytes(b"half an index")
    with opened(tmp_path) as records:
        add(records, documents(1))
    assert not (tmp_path / "index.part").exists()


@pytest.mark.parametrize("name", ["index.parquet", "readers.json", "0123456789abcdef.parquet"])
def test_an_older_layout_is_refused_with_a_remedy(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(GraphDirectoryError, match="older version") as caught:
        RecordStore(tmp_path)
    assert "new directory" in str(caught.value.remedy)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_another_format_is_refused_with_a_remedy(tmp_path: Path) -> None:
    RecordStore(tmp_path).close()
    with sqlite3.connect(tmp_path / "index.sqlite") as connection:
        connection.execute("PRAGMA user_version = 77")
    with pytest.raises(GraphDirectoryError, match="format 77") as caught:
        RecordStore(tmp_path)
    assert "new directory" in str(caught.value.remedy)


def test_a_kind_has_the_same_columns_in_all_shards(tmp_path: Path) -> None:
    @frozen
    class Document:
        """Another version of a kind."""

        text: str

    with opened(tmp_path) as records:
        add(records, documents(3))
        with pytest.raises(GraphDirectoryError, match="the kind document") as caught:
            records.commit([write_shard(tmp_path, [Reading("s", EVENTS, [Document("x")])])])
        assert caught.value.remedy == "build into a new directory"
        for use in (lambda: records.shards.files(Document), lambda: records.read(Document, [documents(1)[0].digest])):
            with pytest.raises(GraphDirectoryError, match="the kind document"):
                use()
        assert len(records.shards.files("document")) == 1


def test_validate_names_every_file_that_is_not_what_was_committed(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(3))
        assert list(records.validate()) == []
        phrases, texts, events, _ = record_files(tmp_path)
        content = phrases.read_bytes()
        _damage(phrases)
        texts.unlink()
        assert list(records.validate()) == [f"{phrases}: the file is damaged", f"{texts}: the file is missing"]
        assert phrases.exists()
        assert records.readings.has(documents(1)[0].digest, EVENTS)
        phrases.write_bytes(content)
        shard = write_shard(tmp_path, readings(documents(3, 10)))
        wrong = tuple(evolve(file, rows=file.rows + (file.kind == "event_mention")) for file in shard.files)
        records.commit([WrittenShard(shard.name, wrong, shard.completed)])
        missing, rows = sorted(records.validate(), key=lambda message: "missing" not in message)
        assert "missing" in missing
        assert rows == f"{events.with_stem(shard.name)}: the file has other rows or columns than the index says"


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(3))
        before = record_files(tmp_path)
        with small_disk(), pytest.raises(GraphDirectoryError, match="cannot be written") as caught:
            written(tmp_path, documents(300))
        assert "make room" in str(caught.value.remedy)
        assert record_files(tmp_path) == before
        assert list(tmp_path.glob("*/*.part")) == []
        shard = written(tmp_path, documents(2000, 100))
        with small_disk(100_000), pytest.raises(GraphDirectoryError, match="cannot be written") as caught:
            records.commit([shard], [input_of("more", documents(2000, 100))])
        assert "make room" in str(caught.value.remedy)
        assert keys_of(records) == ["input"]
        assert len(records.inputs.documents()) == 3
        records.readings.check([EVENTS])
        records.commit([shard], [input_of("more", documents(2000, 100))])
        assert len(records.inputs.documents()) == 2003
        assert list(records.validate()) == []


def test_a_new_store_on_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with small_disk(), pytest.raises(GraphDirectoryError, match="cannot be written"):
        RecordStore(tmp_path / "records")
    assert list((tmp_path / "records").glob("*")) == []
    RecordStore(tmp_path / "records").close()


def test_a_store_that_cannot_be_written_can_be_read(open_folder: Path) -> None:
    with opened(open_folder) as records:
        add(records, documents(3))
    with without_privileges():
        with RecordStore(open_folder) as records:
            assert len(records.read(Document, records.inputs.documents()["digest"].to_pylist())) == 3
            for change in (lambda: records.inputs.remove("input"), lambda: written(open_folder, documents(1))):
                with pytest.raises(GraphDirectoryError, match="cannot be written"):
                    change()
        with pytest.raises(GraphDirectoryError, match="cannot be written"):
            RecordStore(open_folder / "new")


def test_a_damaged_file_of_a_store_that_cannot_be_written_is_an_error_all_the_same(open_folder: Path) -> None:
    with opened(open_folder) as records:
        add(records, documents(3))
        _damage(records.shards.files(Document)[0])
    with without_privileges(), RecordStore(open_folder) as records, pytest.raises(GraphDirectoryError, match="damaged"):
        records.shards.files(Document)


def test_a_store_that_another_process_writes_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgscripts.records.database._SECONDS_TO_WAIT", 0.1)
    with opened(tmp_path) as one, RecordStore(tmp_path) as two, one.transaction():
        one.inputs.remove("input")
        with pytest.raises(GraphDirectoryError, match="another process"):
            two.inputs.remove("input")


def test_a_damaged_file_that_is_to_be_merged_loses_nothing_else(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        for number in range(3):
            add(records, documents(1, number), f"input{number}")
        _damage(records.shards.files(Document)[0])
    with opened(tmp_path) as again:
        with pytest.raises(GraphDirectoryError, match="damaged"):
            add(again, documents(1, 3), "input3")  # The fourth shard: they are merged.
        assert again.readings.has(documents(1, 3)[0].digest, EVENTS)
        add(again, documents(4), "input3")
        assert len(again.read(Document, again.inputs.documents()["digest"].to_pylist())) == 4
