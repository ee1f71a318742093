"""The store: what was read by whom, and readings that come back, from few files."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kgscripts.records import shard_index
from kgscripts.records.database import SOURCE
from kgscripts.records.shards import READING, Reading, WrittenShard, write_shard
from kgscripts.records.store import RecordStore
from schemas.errors import GraphDirectoryError, RecordError
from schemas.graph_directory import file_digest
from schemas.records import AlignedPhrase, Document, EventMention
from tests.records.samples import (
    EVENTS,
    PHRASES,
    add,
    documents,
    found,
    input_of,
    opened,
    readings,
    record_files,
    written,
)


def test_what_was_committed_is_there_for_the_next_store(tmp_path: Path) -> None:
    items = documents(5)
    with opened(tmp_path / "records") as first:
        add(first, items)
    with RecordStore(tmp_path / "records") as again:
        digests = [item.digest for item in items]
        assert again.read(Document, digests) == {item.digest: [item] for item in items}
        events = {item.digest: found(item)[::2] for item in items if found(item)}
        assert again.read(EventMention, digests) == events
        assert list(again.read(EventMention, digests[:2])) == digests[1:2]
        assert all(again.readings.has(digest, EVENTS) for digest in digests)
    assert [path.name for path in (tmp_path / "records").iterdir() if path.is_file()] == ["index.sqlite"]


def test_what_was_not_committed_is_not(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        written(tmp_path, documents(3))
        assert not records.readings.has(documents(1)[0].digest, SOURCE)
        assert records.shards.files(Document) == []
        records.compact()
    assert record_files(tmp_path) == []


def test_not_read_differs_from_found_nothing(tmp_path: Path) -> None:
    nothing, something = documents(2)
    with opened(tmp_path) as records:
        records.commit([written(tmp_path, [nothing, something], SOURCE)], [input_of("input", [nothing, something])])
        assert not records.readings.has(nothing.digest, EVENTS)
        records.commit([written(tmp_path, [nothing], EVENTS)])
        assert records.readings.has(nothing.digest, EVENTS)
        assert not records.readings.has(something.digest, EVENTS)
        assert records.read(EventMention, [nothing.digest]) == {}
        assert list(records.readings.lacking([EVENTS])) == [[(something.digest, (EVENTS,))]]


def test_records_of_several_extractors_are_ordered_by_extractor_and_ordinal(tmp_path: Path) -> None:
    item = documents(2)[1]
    with opened(tmp_path) as records:
        records.commit([written(tmp_path, [item], PHRASES), written(tmp_path, [item])])
        phrases = records.read(AlignedPhrase, [item.digest])
        assert phrases == {item.digest: [found(item)[1], *found(item, PHRASES)]}
        assert records.read(AlignedPhrase, [item.digest], [PHRASES]) == {item.digest: found(item, PHRASES)}


def test_lacking_names_what_is_missing_of_live_documents_in_blocks(tmp_path: Path) -> None:
    items = documents(10)
    with opened(tmp_path) as records:
        add(records, items[:8])
        records.commit([written(tmp_path, items[8:])])  # No input gives these.
        records.commit([written(tmp_path, items[:3], PHRASES)])
        blocks = list(records.readings.lacking([EVENTS, PHRASES, "a" * 64], rows=3))
    assert [len(block) for block in blocks] == [3, 3, 2]
    assert dict(pair for block in blocks for pair in block) == {
        item.digest: ("a" * 64,) if number < 3 else (PHRASES, "a" * 64) for number, item in enumerate(items[:8])
    }


def test_documents_that_lack_come_in_the_order_of_their_shards(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        for start in (0, 10, 20):
            records.commit(
                [written(tmp_path, documents(10, start), SOURCE)], [input_of(str(start), documents(10, start))]
            )
        (block,) = records.readings.lacking([EVENTS])
    expected = [sorted(item.digest for item in documents(10, start)) for start in (0, 10, 20)]
    assert [digest for digest, _ in block] == [digest for digests in expected for digest in digests]


def test_what_is_committed_meanwhile_does_not_come_again(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        items = documents(9)
        records.commit([written(tmp_path, items, SOURCE)], [input_of("input", items)])
        by_digest = {item.digest: item for item in items}
        seen: list[str] = []
        for block in records.readings.lacking([EVENTS], rows=2):
            seen += [digest for digest, _ in block]
            todo = {by_digest[digest] for digest, _ in block} | set(items[:4])
            records.commit([written(tmp_path, sorted(todo, key=lambda item: item.name), EVENTS)])
        assert list(records.readings.lacking([EVENTS])) == []
    assert len(seen) == len(set(seen))
    assert len(seen) <= 9


def test_another_extractor_leaves_the_files_of_the_others_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(10))
        before = {path: path.read_bytes() for path in record_files(tmp_path)}
        records.commit([written(tmp_path, documents(10), PHRASES)])
        records.compact()
        assert {path: path.read_bytes() for path in before} == before
        new = {path.parent.name for path in record_files(tmp_path) if path not in before}
        assert new == {"aligned_phrase", READING}


def test_a_reading_that_is_there_already_is_replaced(tmp_path: Path) -> None:
    items = documents(5)
    with opened(tmp_path) as records:
        add(records, items)
        other = found(items[2])[:1]
        records.commit([write_shard(tmp_path, [Reading(item.digest, EVENTS, other) for item in items[:3]])])
        for _ in range(2):
            texts = records.read(EventMention, [item.digest for item in items])
            assert texts == {
                **{item.digest: other for item in items[:3]},
                items[4].digest: found(items[4])[::2],
            }
            assert list(records.read(AlignedPhrase, [item.digest for item in items])) == [items[4].digest]
            records.compact()
        rows = sum(pq.ParquetFile(path).metadata.num_rows for path in records.shards.files(EventMention))
        assert rows == 5


def test_the_same_shard_twice_is_one(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        shard = written(tmp_path, documents(5))
        assert written(tmp_path, list(reversed(documents(5)))) == shard
        for _ in range(3):
            records.commit([shard, shard])
            records.commit([written(tmp_path, documents(2))])
        assert len(records.shards.files(Document)) == 2
        assert len(records.read(Document, [item.digest for item in documents(9)])) == 5
        assert list(records.validate()) == []


def _write(folder: Path, first: int) -> WrittenShard:
    return written(folder, documents(20, first))


def test_processes_write_shards_side_by_side(tmp_path: Path) -> None:
    with opened(tmp_path) as records, ProcessPoolExecutor(2, get_context("forkserver")) as pool:
        shards = pool.map(_write, [tmp_path] * 6, [0, 20, 40, 60, 80, 0])
        records.commit(shards, [input_of("input", documents(100))])
        records.readings.check([EVENTS])
        digests = [item.digest for item in documents(100)]
        assert records.read(Document, digests) == {item.digest: [item] for item in documents(100)}
        records.compact()
        assert list(records.validate()) == []


def test_opening_reads_no_shard_and_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as records:
        for start in range(0, 1000, 100):
            add(records, documents(100, start), key=str(start))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file is opened")

    for owner, name in ((pq, "ParquetFile"), (pq, "read_table"), (Path, "open")):
        monkeypatch.setattr(owner, name, refuse)
    statements: list[str] = []
    connect = sqlite3.connect

    def traced(*values: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*values, **options)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    RecordStore(tmp_path).close()
    assert statements == ["PRAGMA user_version"]


def test_only_the_shards_that_hold_a_document_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Path] = []

    def noted_digest(path: Path) -> str:
        checked.append(path)
        return file_digest(path)

    monkeypatch.setattr(shard_index, "file_digest", noted_digest)
    with opened(tmp_path) as records:
        add(records, documents(10), "one")
        add(records, documents(10, 10), "two")
        records.read(Document, [documents(1)[0].digest])
        assert len(checked) == 1
        records.shards.files(Document)
        assert len(checked) == 2, "each is checked once"


def test_a_reading_by_an_unknown_extractor_is_refused_whole(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        with pytest.raises(RecordError, match="aaaa"):
            records.commit([written(tmp_path, documents(3)), written(tmp_path, documents(3), "a" * 64)])
        assert not records.readings.has(documents(1)[0].digest, SOURCE)


def test_a_shard_whose_file_is_gone_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        shard = written(tmp_path, documents(3))
        record_files(tmp_path)[0].unlink()
        with pytest.raises(GraphDirectoryError, match="missing"):
            records.commit([shard])
        assert not records.readings.has(documents(1)[0].digest, SOURCE)


def test_nothing_is_written_for_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        assert write_shard(tmp_path, []).completed == ()
        records.commit([write_shard(tmp_path, [])])
        records.commit()
        assert records.shards.files(Document) == []
        assert records.inputs.documents().num_rows == 0
        assert list(records.readings.lacking([EVENTS])) == []


def test_of_two_readings_of_one_document_the_last_counts(tmp_path: Path) -> None:
    item = documents(2)[1]
    with opened(tmp_path) as records:
        both = [Reading(item.digest, EVENTS, []), *readings([item])]
        records.commit([write_shard(tmp_path, both)])
        assert len(records.read(EventMention, [item.digest])[item.digest]) == 2


def test_files_are_not_replaced_inside_a_transaction(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        for number in range(3):
            add(records, documents(1, number), key=f"input{number}")
        files = record_files(tmp_path)
        with records.transaction():
            add(records, documents(1, 3), key="input3")
            assert set(files) < set(record_files(tmp_path)), "merging waits, since the transaction may be undone"
            with pytest.raises(RuntimeError):
                records.compact()
        assert len(records.inputs.documents()) == 4
        add(records, documents(1, 4), key="input4")
        assert len(record_files(tmp_path)) < len(files)
        assert list(records.validate()) == []


def test_a_removal_is_undone_by_an_error(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(3))

        def remove_and_fail() -> None:
            with records.transaction():
                records.inputs.remove("input")
                raise ZeroDivisionError(len(records.inputs.documents()))

        with pytest.raises(ZeroDivisionError, match="0"):
            remove_and_fail()
        assert len(records.inputs.documents()) == 3


def test_the_index_is_one_file_after_close(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(3))
    assert {path.name for path in tmp_path.iterdir()} == {
        *("aligned_phrase", "document", "event_mention"),
        *(READING, "index.sqlite"),
    }
