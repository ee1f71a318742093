"""Merging: few files, of bounded size, with small row groups in the order of their keys."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from kgscripts.records import store
from schemas.records import Document, EventMention
from tests.records.samples import EVENTS, add, documents, input_of, opened, record_files, written


def test_many_commits_leave_few_shards(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        for number in range(100):
            add(records, documents(1, number), key=f"input{number}")
            assert len(records.shards.files(Document)) <= 5
            assert len(record_files(tmp_path)) <= 15
        records.readings.check([EVENTS])
        assert records.inputs.documents()["digest"].to_pylist() == sorted(item.digest for item in documents(100))
        assert len(records.read(EventMention, records.inputs.documents()["digest"].to_pylist())) == 66


def test_large_shards_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_SMALLEST_TIER", 1)
    monkeypatch.setattr(store, "_LARGEST_TIER", 100)
    with opened(tmp_path) as records:
        for number in range(10):
            add(records, documents(1, number), key=f"input{number}")
        assert len(records.shards.files(Document)) == 10


def test_merged_shards_have_a_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as records:
        shards = [written(tmp_path, documents(3, start)) for start in range(0, 30, 3)]
        for name in ("_SMALLEST_TIER", "_LARGEST_TIER"):
            monkeypatch.setattr(store, name, 2 * sum(file.bytes for file in shards[0].files))
        records.commit(shards, [input_of("input", documents(30))])
        assert 3 <= len(records.shards.files(Document)) <= 5
        records.readings.check([EVENTS])


def test_rows_of_a_file_ascend_by_their_key_and_groups_are_small(tmp_path: Path) -> None:
    long = "x" * 5000
    items = [
        Document(name=f"d{number}", format="text", text=f"{number} {long}", passages=()) for number in range(1, 2001)
    ]
    with opened(tmp_path) as records:
        for start in range(0, 2000, 500):
            records.commit([written(tmp_path, items[start : start + 500])], [input_of(f"{start}", items[start:][:500])])
        (text_file,) = records.shards.files(Document)
        (event_file,) = records.shards.files(EventMention)
        table = pq.read_table(event_file, partitioning=None)
        keys = list(zip(*(table[name].to_pylist() for name in ("subject", "extractor", "ordinal")), strict=True))
        assert keys == sorted(set(keys))
        metadata = pq.ParquetFile(text_file).metadata
        assert 8 <= metadata.num_row_groups <= 20
        some = sorted(item.digest for item in items)[700:730]
        assert list(records.read(Document, some)) == some
