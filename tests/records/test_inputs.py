"""Inputs: replaced whole, complemented, removed; the documents that they give; extractors and their models."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve

from kgscripts.records.database import SOURCE
from kgscripts.records.inputs import MOST_DISCARDS, Input
from kgscripts.records.joining import take_out
from kgscripts.records.shards import Reading, write_shard
from kgscripts.records.store import RecordStore
from schemas.errors import InputError, KGScriptsError, RecordError
from schemas.provenance import BenchmarkScore, Model
from schemas.records import AlignedPhrase, Discard, DiscardReason, Document
from schemas.vocabulary import DEFAULT_BASE_IRI, node_id
from tests.records.samples import EVENTS, PHRASES, add, documents, input_of, keys_of, opened, record_files, written

_BAD = Discard(reason=DiscardReason.MALFORMED, where="x:1", start=3, end=4, detail="bad \0 \u05e9")
_LONG = Discard(reason=DiscardReason.TOO_LONG, where="x:2")


def test_an_input_comes_back_as_it_went_in(tmp_path: Path) -> None:
    item = input_of("/some/where/\u05e9", documents(3))
    item.discards += [_LONG, _BAD]
    with opened(tmp_path) as records:
        records.commit([written(tmp_path, documents(3))], [item, Input("empty", "f", complete=True)])
    with RecordStore(tmp_path) as again:
        assert again.inputs.get(item.key) == item
        assert again.inputs.get("other") is None
        assert list(again.inputs.all()) == [item, Input("empty", "f", complete=True)]
        assert keys_of(again) == [item.key, "empty"]
        assert [again.inputs.source_count(key) for key in (item.key, "empty", "other")] == [3, 0, 0]


def test_an_input_is_current_if_it_was_read_whole_and_its_texts_are_here(tmp_path: Path) -> None:
    items = documents(3)
    with opened(tmp_path) as records:
        records.commit([written(tmp_path, items[:2])], [input_of("input", items)])
        assert not records.inputs.is_current("input", "fingerprint")
        records.commit([written(tmp_path, items[2:])])
        assert records.inputs.is_current("input", "fingerprint")
        assert not records.inputs.is_current("input", "other")
        assert not records.inputs.is_current("other", "fingerprint")
        records.commit([], [input_of("part", items[:1], complete=False)])
        assert not records.inputs.is_current("part", "fingerprint")


def test_an_input_takes_the_place_of_what_it_gave_before(tmp_path: Path) -> None:
    items = documents(4)
    with opened(tmp_path) as records:
        add(records, items)
        new = evolve(input_of("input", items[2:], fingerprint="new"), discards=[_BAD])
        records.commit([], [new])
        assert list(records.inputs.all()) == [new]
        assert records.inputs.documents()["name"].to_pylist() == [name for _, name in new.sources]


def test_a_limited_reading_of_the_same_contents_forgets_nothing(tmp_path: Path) -> None:
    items = documents(4)
    with opened(tmp_path) as records:
        records.commit([written(tmp_path, items)], [evolve(input_of("input", items), discards=[_BAD])])
        records.commit([], [evolve(input_of("input", items[:1], complete=False), discards=[_LONG, _BAD])])
        assert list(records.inputs.all()) == [evolve(input_of("input", items), discards=[_BAD, _LONG])]
        records.commit([], [input_of("input", items[:1], complete=False, fingerprint="new contents")])
        assert list(records.inputs.all()) == [input_of("input", items[:1], complete=False, fingerprint="new contents")]


def test_many_discards_are_counted(tmp_path: Path) -> None:
    whole = Input("input", "f", complete=True)
    for number in range(3 * MOST_DISCARDS):
        whole.add_discard(evolve(_BAD, where=f"a:{number}"))
    whole.add_discard(_LONG)
    whole.add_discard(_LONG)
    assert (len(whole.discards), whole.discards[-1]) == (MOST_DISCARDS + 1, _LONG)
    assert whole.unlisted == {_BAD.reason: 2 * MOST_DISCARDS, _LONG.reason: 1}
    part = evolve(whole, complete=False, discards=whole.discards[:5], unlisted={_BAD.reason: 7})
    with opened(tmp_path) as records:
        records.commit([], [whole])
        records.commit([], [part])
        assert list(records.inputs.all()) == [whole]
        assert list(records.inputs.unlisted_discards()) == [
            (f"a:{MOST_DISCARDS - 1}", _BAD.reason, 2 * MOST_DISCARDS),
            (_LONG.where, _LONG.reason, 1),
        ]
        records.inputs.remove("input")
        assert not [*records.inputs.discards(), *records.inputs.unlisted_discards()]


def test_records_of_a_format_before_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        records.commit([], [Input("input", "f", complete=True, discards=[_BAD])])
    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection:
        connection.executescript("PRAGMA user_version = 3")
    with pytest.raises(KGScriptsError, match="the records have the format 3; this version reads 7"):
        opened(tmp_path).__enter__()


def test_an_input_can_come_in_parts(tmp_path: Path) -> None:
    items = documents(3)
    first = input_of("input", items[:2], complete=False)
    with opened(tmp_path) as records:
        records.commit([written(tmp_path, items)], [first])
        assert not records.inputs.is_current("input", first.fingerprint)
        records.commit([], [evolve(input_of("input", items[2:]), discards=[_BAD], continues=True)])
        assert records.inputs.is_current("input", first.fingerprint)
        assert list(records.inputs.all()) == [evolve(input_of("input", items), discards=[_BAD])]


def test_a_document_goes_by_the_smallest_of_its_names(tmp_path: Path) -> None:
    (item,) = documents(1)
    with opened(tmp_path) as records:
        for number, name in enumerate(("b", "a", "c", "b")):
            records.commit([], [Input(f"input{number}", "f", sources=[(item.digest, name), (item.digest, name)])])
        assert records.inputs.documents().to_pylist() == [{"digest": item.digest, "name": "a"}]
        assert [(found.where, found.detail) for found in records.inputs.discards()] == [
            ("b", "the same text as a"),
            ("c", "the same text as a"),
        ]
        assert sorted(records.inputs.sources()) == [(item.digest, name) for name in "abc"]
        records.inputs.remove("input1")
        assert records.inputs.documents()["name"].to_pylist() == ["b"]


def test_more_documents_than_a_batch_ascend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgscripts.records.inputs._ROWS_A_BATCH", 3)
    with opened(tmp_path) as records:
        add(records, documents(10))
        table = records.inputs.documents()
    expected = sorted((item.digest, item.name) for item in documents(10))
    assert list(zip(table["digest"].to_pylist(), table["name"].to_pylist(), strict=True)) == expected


def test_removing_a_document_leaves_its_inputs_incomplete(tmp_path: Path) -> None:
    one, two, three = documents(3)
    with opened(tmp_path) as records:
        add(records, [one, two], "both")
        add(records, [one], "single")
        add(records, [three], "other")
        records.inputs.remove_source(one.digest)
        assert list(records.inputs.all()) == [input_of("both", [two], complete=False), input_of("other", [three])]
        records.inputs.remove("both")
        records.inputs.remove("unknown")
        records.inputs.remove_source("unknown")
        assert list(records.inputs.all()) == [input_of("other", [three])]


_TEN = BenchmarkScore(dataset="d", split="test", metric="m", value=0.1, unit="share", exposure="unseen")


def _model(name: str, *scores: BenchmarkScore) -> Model:
    return Model(name=name, version="1", digest="1" * 64, task="t", scores=scores)


def test_extractors_are_known_with_their_models(tmp_path: Path) -> None:
    with RecordStore(tmp_path) as records:
        records.extractors.add("a" * 64, "one", "extractor", (_model("syntax"), _model("tiny", _TEN)))
    with RecordStore(tmp_path) as again:
        source, entry = again.extractors.all().values()
        assert (source.digest, source.name, source.role, source.models) == (SOURCE, "corpora", "source", ())
        assert (entry.digest, entry.name, entry.role) == ("a" * 64, "one", "extractor")
        assert entry.models == (_model("syntax"), _model("tiny", _TEN))


def test_scores_of_a_known_model_are_brought_up_to_date(tmp_path: Path) -> None:
    with RecordStore(tmp_path) as records:
        records.extractors.add("a" * 64, "one", "extractor", (_model("syntax"), _model("tiny", _TEN)))
        records.extractors.add("b" * 64, "two", "enricher", (_model("syntax", _TEN),))
    with RecordStore(tmp_path) as again:
        models = {digest: entry.models for digest, entry in again.extractors.all().items()}
        assert models["a" * 64] == (_model("syntax", _TEN), _model("tiny", _TEN))
        again.extractors.add("a" * 64, "one", "extractor", (_model("syntax"), _model("tiny")))
        models = {digest: entry.models for digest, entry in again.extractors.all().items()}
        assert models["b" * 64] == (_model("syntax"),)


def test_compaction_drops_what_nothing_needs(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(10))
        records.inputs.remove_source(documents(1)[0].digest)
        add(records, documents(3, 20), "other")
        records.inputs.remove("other")
        records.compact()
        kept = {item.digest: [item] for item in documents(9, 1)}
        everything = [item.digest for item in documents(30)]
        assert records.read(Document, everything) == kept
        assert not records.readings.has(documents(1)[0].digest, EVENTS)
        assert list(records.extractors.all()) == [SOURCE, EVENTS]
        assert len(records.shards.files(Document)) == 1
        assert list(records.validate()) == []
    with RecordStore(tmp_path) as again:
        assert again.read(Document, everything) == kept
        again.inputs.remove("input")
        again.compact()
        assert record_files(tmp_path) == []
        assert list(again.extractors.all()) == [SOURCE]
    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection:
        assert next(connection.execute("SELECT count(*) FROM subject")) == (0,)


def test_compaction_keeps_the_version_of_an_extractor_that_was_added_last(tmp_path: Path) -> None:
    (item,) = documents(2)[1:]
    old, new = "a" * 64, "b" * 64
    phrase = AlignedPhrase(word_start=0, word_end=1, start=2, end=3, log_probability=-1)
    with opened(tmp_path) as records:
        records.extractors.add(old, "one", "extractor", ())
        records.extractors.add(new, "one", "extractor", ())
        records.extractors.add("c" * 64, "one", "enricher", ())  # Another role: no version of the same.
        records.extractors.add("d" * 64, "corpora", "extractor", ())
        written_by = [Reading(item.digest, digest, [phrase]) for digest in (old, new, "d" * 64)]
        records.commit([write_shard(tmp_path, written_by), written(tmp_path, [item])], [input_of("input", [item])])
        records.compact()
        assert [records.readings.has(item.digest, digest) for digest in (old, new, "d" * 64, SOURCE)] == [0, 1, 1, 1]
        records.extractors.add(old, "one", "extractor", ())
        records.commit([write_shard(tmp_path, written_by[:1])])
        records.extractors.add(old, "one", "extractor", ())
        records.compact()
        assert [records.readings.has(item.digest, digest) for digest in (old, new)] == [1, 0]
        assert records.read(AlignedPhrase, [item.digest], [old, new]) == {item.digest: [phrase]}


def test_compaction_keeps_what_enrichers_are_asked_for(tmp_path: Path) -> None:
    enricher = "a" * 64
    with opened(tmp_path) as records:
        records.extractors.add(enricher, "predictions", "enricher", ())
        add(records, documents(2))
        phrase = AlignedPhrase(word_start=0, word_end=1, start=2, end=3, log_probability=-1)
        records.commit([write_shard(tmp_path, [Reading(subject * 32, enricher, [phrase]) for subject in "123"])])
        records.compact([("1" * 32, enricher), ("3" * 32, enricher), ("2" * 32, EVENTS), ("4" * 32, enricher)])
        assert records.read(AlignedPhrase, ["1" * 32, "2" * 32, "3" * 32]) == {"1" * 32: [phrase], "3" * 32: [phrase]}
        records.readings.check([EVENTS])
        records.compact()
        assert not records.readings.has("1" * 32, enricher)
        assert records.readings.has(documents(1)[0].digest, EVENTS)


def test_the_files_of_killed_builds_are_deleted(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(3))
        counted = record_files(tmp_path)
        written(tmp_path, documents(3, 10))
        (tmp_path / "document" / "0123.part").write_bytes(b"half")
        (tmp_path / "document" / "0123.damaged").write_bytes(b"wrong")
        records.compact()
        assert sorted(path for path in tmp_path.glob("*/*")) == counted
        assert len(records.read(Document, [item.digest for item in documents(20)])) == 3


def test_a_name_with_a_lone_surrogate_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        with pytest.raises(RecordError, match="surrogate"):
            records.commit([], [Input("input", "f", sources=[("1" * 64, "\ud800")])])
        assert keys_of(records) == []


@pytest.mark.parametrize("by", ["key", "name", "digest", "prefix", "id", "iri"])
def test_a_document_is_taken_out_by_whatever_names_it(by: str, tmp_path: Path) -> None:
    first, second = documents(2)
    identifier = node_id("Source", "some words", first.digest)
    name = {
        "key": "one.txt",
        "name": first.name,
        "digest": first.digest,
        "prefix": first.digest[:8],
        "id": identifier,
        "iri": DEFAULT_BASE_IRI + identifier,
    }[by]
    with opened(tmp_path) as records:
        add(records, [first], "key of one.txt")
        add(records, [second], "other")
        assert take_out(records.inputs, name, DEFAULT_BASE_IRI, lambda path: f"key of {path}") == [first.name]
        assert records.inputs.documents()["name"].to_pylist() == [second.name]


def test_all_names_of_what_was_taken_out_are_given(tmp_path: Path) -> None:
    (item,) = documents(1)
    with opened(tmp_path) as records:
        records.commit([], [Input("one", "f", sources=[(item.digest, "b"), (item.digest, "a")])])
        records.commit([], [Input("nothing", "f")])
        assert take_out(records.inputs, "b", DEFAULT_BASE_IRI, str) == ["a", "b"]
        assert take_out(records.inputs, "nothing", DEFAULT_BASE_IRI, str) == ["nothing"]
        assert keys_of(records) == []


def test_what_names_nothing_or_too_much_is_refused(tmp_path: Path) -> None:
    first, second = documents(2)
    with opened(tmp_path) as records:
        add(records, [first, second])
        with pytest.raises(InputError, match="no source") as caught:
            take_out(records.inputs, "d11", DEFAULT_BASE_IRI, str)
        assert caught.value.remedy == "did you mean d1?"
        with pytest.raises(InputError, match="no source"):
            take_out(records.inputs, first.digest[:7], DEFAULT_BASE_IRI, str)
        records.commit([], [Input("twice", "f", sources=[(first.digest, "same"), (second.digest, "same")])])
        with pytest.raises(InputError, match="2 sources") as caught:
            take_out(records.inputs, "same", DEFAULT_BASE_IRI, str)
        assert first.digest[:12] in str(caught.value.remedy)


def test_an_extractor_that_read_nothing_lacks_everything(tmp_path: Path) -> None:
    with opened(tmp_path) as records:
        add(records, documents(3))
        (block,) = records.readings.lacking([EVENTS, PHRASES])
        assert {lacking for _, lacking in block} == {(PHRASES,)}
