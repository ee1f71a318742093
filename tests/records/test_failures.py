"""Documents that an extractor could not read: neither read nor merely not read yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.records.joining import join
from kgscripts.records.opening import rebuild
from kgscripts.records.readings import Failure, FailureCount
from kgscripts.records.store import RecordStore
from schemas.errors import GraphDirectoryError
from schemas.records import DiscardReason, Document
from tests.records.samples import EVENTS, PHRASES, add, documents, input_of, opened, written


def _failure(item: Document, extractor: str = PHRASES, detail: str = "ValueError: no luck") -> Failure:
    return Failure(item.digest, extractor, DiscardReason.EXTRACTOR_FAILED, detail)


def _failed(store: RecordStore, *extractors: str) -> list[tuple[str, str, str]]:
    found = store.failures.all(extractors or (EVENTS, PHRASES))
    return [(item.document, item.name, item.failure.detail) for item in found]


def test_what_failed_is_not_read_and_not_lost(tmp_path: Path) -> None:
    one, other = documents(2)
    with opened(tmp_path) as records:
        add(records, [one, other])
        with pytest.raises(GraphDirectoryError, match="damaged or lost"):
            records.readings.check([EVENTS, PHRASES])
        records.commit([written(tmp_path, [one], PHRASES)], failures=[_failure(other)])
        assert not records.readings.has(other.digest, PHRASES)
        assert list(records.readings.lacking([EVENTS, PHRASES])) == [[(other.digest, (PHRASES,))]]
        records.readings.check([EVENTS, PHRASES])
        assert _failed(records) == [("d1", "phrases", "ValueError: no luck")]
        assert _failed(records, EVENTS) == []


def test_what_is_read_is_no_failure_any_more(tmp_path: Path) -> None:
    items = documents(3)
    with opened(tmp_path) as records:
        add(records, items)
        records.commit(failures=[_failure(item, extractor) for item in items for extractor in (EVENTS, PHRASES)])
        assert _failed(records) == [(f"d{number}", "phrases", "ValueError: no luck") for number in range(3)]
        records.commit([written(tmp_path, items[:2], PHRASES)], failures=[_failure(items[2], detail="another")])
        assert _failed(records) == [("d2", "phrases", "another")]


def test_the_same_failure_again_changes_nothing(tmp_path: Path) -> None:
    (item,) = documents(1)
    with opened(tmp_path) as records:
        add(records, [item])
        records.commit(failures=[_failure(item)])
        before = records.digest()
        records.commit(failures=[_failure(item)])
        assert records.digest() == before
        records.commit(failures=[_failure(item, detail="another")])
        assert records.digest() != before


def test_failures_are_kept_as_long_as_their_documents_and_their_extractor(tmp_path: Path) -> None:
    one, other = documents(2)
    with opened(tmp_path) as records:
        add(records, [one, other])
        records.commit(failures=[_failure(one), _failure(other)])
        records.compact()
        assert [name for name, *_ in _failed(records)] == ["d0", "d1"]
        records.inputs.remove_source(other.digest)
        assert [name for name, *_ in _failed(records)] == ["d0"]
        records.compact()
        add(records, [other], "again")
        assert [name for name, *_ in _failed(records)] == ["d0"]
    with RecordStore(tmp_path) as records:
        records.extractors.add("c" * 64, "phrases", "extractor", ())
        records.compact(used=[PHRASES])
        assert [name for name, *_ in _failed(records)] == ["d0"]
        records.extractors.add("c" * 64, "phrases", "extractor", ())
        records.compact()
        assert _failed(records) == []
        assert PHRASES not in records.extractors.all()


def test_failures_are_counted_by_extractor_and_reason(tmp_path: Path) -> None:
    items = documents(4)
    with opened(tmp_path) as records:
        records.commit([written(tmp_path, items, "0" * 64)], [input_of("input", items)])
        missing = Failure(items[3].digest, EVENTS, DiscardReason.REQUIRED_MISSING, "it requires phrases")
        records.commit(failures=[*(_failure(item, detail=item.name) for item in items[::-1]), missing])
        assert records.failures.counts([EVENTS, PHRASES]) == [
            FailureCount("events", DiscardReason.REQUIRED_MISSING, 1, "it requires phrases"),
            FailureCount("phrases", DiscardReason.EXTRACTOR_FAILED, 4, "d0"),
        ]


@pytest.mark.parametrize("first", [0, 1])
def test_joined_stores_fail_on_what_neither_has_read(first: int, tmp_path: Path) -> None:
    one, other, third = documents(3)
    with opened(tmp_path / "a") as a, opened(tmp_path / "b") as b, RecordStore(tmp_path / "both") as both:
        for store, items, name in ((a, [one, other], "a"), (b, [one, other, third], "b")):
            add(store, items, name)
        a.commit([written(a.folder, [one], PHRASES)], failures=[_failure(other)])
        missing = Failure(other.digest, PHRASES, DiscardReason.REQUIRED_MISSING, "it requires events")
        b.commit(failures=[_failure(one), missing, _failure(third)])
        for store in (a, b)[:: 1 - 2 * first]:
            join(both, store, [EVENTS, PHRASES])
        assert _failed(both) == [(f"d{number}", "phrases", "ValueError: no luck") for number in (1, 2)]
        both.readings.check([EVENTS, PHRASES])


def test_a_new_index_counts_failed_documents_as_unread(tmp_path: Path) -> None:
    (item,) = documents(1)
    with opened(tmp_path) as records:
        add(records, [item])
        records.commit(failures=[_failure(item)])
        records.compact()
    rebuild(tmp_path)
    with RecordStore(tmp_path) as records:
        assert _failed(records) == []
        assert list(records.readings.lacking([EVENTS, PHRASES])) == [[(item.digest, (PHRASES,))]]
