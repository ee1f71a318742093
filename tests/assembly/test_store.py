"""The record store: readings by source and reader, inputs replaced whole, few files, nothing lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from attrs import evolve

from kgscripts.assembly import store as store_module
from kgscripts.assembly.index import Input
from kgscripts.assembly.shards import Shard, encode, merged
from kgscripts.assembly.store import RecordStore
from schemas.errors import GraphDirectoryError
from schemas.records import Discard, DiscardReason, Document
from tests.assembly.tiny_reader import TinyReader, read_tiny, tiny_document

_READER = TinyReader()


def _documents(count: int, first: int = 0) -> list[Document]:
    return [
        tiny_document(f"boil the water{number} with the spoon. not eat.", name=f"d{number}")
        for number in range(first, first + count)
    ]


def _add(store: RecordStore, documents: Sequence[Document], key: str = "input") -> str:
    reader = store.add_reader(_READER.models())
    store.add_readings(encode(documents, [[read_tiny(document)] for document in documents], reader))
    sources = {(document.digest, document.name): reader for document in documents}
    store.add_input(Input(key, "fingerprint", complete=True, sources=sources))
    return reader


def _table(documents: Sequence[Document], reader: str) -> pa.Table:
    return pa.Table.from_batches([encode(documents, [[read_tiny(item)] for item in documents], reader)])


def _digests(store: RecordStore, rows: int = 256) -> list[str]:
    return [digest for batch in store.batches(rows) for digest in batch["digest"].to_pylist()]


def test_what_was_committed_is_there_for_the_next_store(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    documents = _documents(5)
    reader = _add(store, documents)
    store.inputs["input"].discards.append(Discard(reason=DiscardReason.MALFORMED, where="x:1", detail="bad"))
    store.commit()
    again = RecordStore(tmp_path)
    assert again.inputs == store.inputs
    assert again.readers == {reader: _READER.models()}
    assert again.is_current("input", "fingerprint", reader)
    assert not again.is_current("input", "other", reader)
    assert not again.is_current("input", "fingerprint", "other")
    assert _digests(again) == sorted(document.digest for document in documents)


def test_what_was_not_committed_is_not(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    _add(store, _documents(1))
    assert store.pending_bytes > 0
    assert RecordStore(tmp_path).inputs == {}


def test_a_record_comes_back_as_it_went_in(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    document = tiny_document("we boil the \U0001f35d in the pot.\0\r\n", name="\u05e9", scenario="cooking pasta")
    _add(store, [document])
    store.commit()
    (batch,) = store.batches()
    (row,) = batch.to_pylist()
    (batch,) = [encode([document], [[read_tiny(document)]], row["reader"])]
    assert batch.to_pylist() == [row]
    assert (row["text"], row["scenario"]) == (document.text, "cooking pasta")


@pytest.mark.parametrize("rows", [1, 3, 256])
def test_rows_ascend_whatever_the_shards_and_batches(rows: int, tmp_path: Path) -> None:
    documents = _documents(20)
    reader = "r"
    shards = [Shard.write(tmp_path, _table(documents[start::3] + documents[:2], reader)) for start in range(3)]
    wanted = {document.digest: reader for document in documents[:15]}
    batches = list(merged(shards, wanted, rows))
    assert [digest for batch in batches for digest in batch["digest"].to_pylist()] == sorted(wanted)
    assert all(batch.num_rows <= rows for batch in batches)


def test_many_commits_leave_few_shards(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    for number in range(100):
        _add(store, _documents(1, number), key=f"input{number}")
        store.commit()
        assert len(list(tmp_path.glob("*.parquet"))) <= 5
    assert len(_digests(RecordStore(tmp_path))) == 100


def test_large_shards_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_SMALLEST_TIER", 1)
    monkeypatch.setattr(store_module, "_LARGEST_TIER", 100)
    store = RecordStore(tmp_path)
    for number in range(10):
        _add(store, _documents(1, number), key=f"input{number}")
        store.commit()
    assert len(list(tmp_path.glob("*.parquet"))) == 11


def test_compaction_drops_what_no_input_needs(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    _add(store, _documents(10))
    store.commit()
    store.remove_source(_documents(1)[0].digest)
    _add(store, _documents(3, 20), key="other")
    store.commit()
    store.remove_input("other")
    store.commit()
    store.compact()
    kept = sorted(document.digest for document in _documents(9, 1))
    assert _digests(store) == kept
    again = RecordStore(tmp_path)
    assert _digests(again) == kept
    (shard,) = [path for path in tmp_path.glob("*.parquet") if path.name != "index.parquet"]
    assert [digest for digest, _ in Shard.open(shard).keys] == kept
    again.remove_input("input")
    again.commit()
    again.compact()
    assert [path.name for path in tmp_path.glob("*.parquet")] == ["index.parquet"]
    assert RecordStore(tmp_path).readers == {}


def test_a_shard_that_was_merged_but_not_deleted_does_no_harm(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    reader = _add(store, _documents(4))
    store.commit()
    Shard.write(tmp_path, _table(_documents(2), reader))
    again = RecordStore(tmp_path)
    assert len(_digests(again)) == 4
    again.compact()
    shards = [path for path in tmp_path.glob("*.parquet") if path.name != "index.parquet"]
    assert sum(len(Shard.open(shard).keys) for shard in shards) == 4
    assert len(_digests(RecordStore(tmp_path))) == 4


def test_a_damaged_shard_is_set_aside_and_its_sources_count_as_unread(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    reader = _add(store, _documents(4))
    store.commit()
    (shard,) = [path for path in tmp_path.glob("*.parquet") if path.name != "index.parquet"]
    shard.write_bytes(shard.read_bytes()[:-1] + b"x")
    again = RecordStore(tmp_path)
    assert not again.is_current("input", "fingerprint", reader)
    assert not again.has(_documents(1)[0].digest, reader)
    with pytest.raises(GraphDirectoryError, match="damaged or lost") as caught:
        again.check()
    assert "build again from input" in str(caught.value)
    assert [path.suffix for path in tmp_path.glob("*.damaged")] == [".damaged"]
    _add(again, _documents(4))
    again.commit()
    again.check()


def test_a_limited_reading_of_the_same_contents_forgets_nothing(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    reader = _add(store, _documents(4))
    first = _documents(1)[0]
    store.add_input(Input("input", "fingerprint", sources={(first.digest, first.name): reader}))
    assert len(store.wanted()) == 4
    store.add_input(Input("input", "new contents", sources={(first.digest, first.name): reader}))
    assert len(store.wanted()) == 1


def test_scores_of_a_known_model_are_brought_up_to_date(tmp_path: Path) -> None:
    store = RecordStore(tmp_path)
    syntax, tiny = _READER.models()
    store.add_reader((syntax, tiny))
    _, other = TinyReader(version="2").models()
    measured = evolve(syntax, scores=tiny.scores)
    store.add_reader((measured, other))
    assert [models[0].scores for models in RecordStore(tmp_path).readers.values()] == [tiny.scores, tiny.scores]
