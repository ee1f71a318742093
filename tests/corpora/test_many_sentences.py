"""A document of very many sentences is set aside before it costs time and memory; prose of the same length is read."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from kgscripts.corpora import formats, source
from kgscripts.corpora.formats import documents_from_strings, read_source
from kgscripts.corpora.source import MAX_RECORD_BYTES, MAX_SENTENCES, source_of
from schemas.records import Discard, DiscardReason, Document

UNITS = ("I ran. ", "I ran!\t", "He ran.I ran.", '"I ran?" ', "(I ran.) ", "a.b.c. ", "I ran.\u2028", "ran... ")


def _times(unit: str, sentences: int) -> str:
    return unit * (sentences // (2 if unit == "He ran.I ran." else 1))


@pytest.mark.parametrize("unit", UNITS)
def test_a_text_of_too_many_sentences_is_set_aside(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 3_000
    for module in (formats, source):
        monkeypatch.setattr(module, "MAX_SENTENCES", most)
    for form, start in (("text", ""), ("markdown", "# Running\n\n"), (None, "")):
        more = start + _times(unit, most + 2)
        assert len(more.encode()) * MAX_SENTENCES // most <= MAX_RECORD_BYTES
        (item,) = read_source(source_of("a.txt", io.BytesIO(more.encode())), form)
        assert isinstance(item, Discard)
        assert (item.reason, item.where) == (DiscardReason.TOO_LONG, "a.txt")
        assert item.detail == f"a document of more than {most:,} sentences; split it"
        less = start + _times(unit, most - 2)
        (item,) = read_source(source_of("a.txt", io.BytesIO(less.encode())), form)
        assert isinstance(item, Document)


def test_records_are_counted_one_by_one() -> None:
    half = _times("I ran. ", MAX_SENTENCES // 2 + 2)
    for record in ({"id": 1, "text": half * 2}, {"id": 1, "steps": [half, half]}, {"abstract": half, "concrete": half}):
        (item,) = documents_from_strings([record])
        assert isinstance(item, Discard)
        assert item.reason is DiscardReason.TOO_LONG
    lines = "\n".join(json.dumps({"id": number, "text": half}) for number in range(3))
    read = list(read_source(source_of("a.jsonl", io.BytesIO(lines.encode())), "jsonl"))
    assert [type(item) for item in read] == [Document] * 3


def test_prose_as_long_as_a_document_can_be_is_read() -> None:
    stories = Path(__file__).parents[1] / "data" / "natural_stories.jsonl"
    sentences = [text for line in stories.read_text("utf-8").splitlines() for text in json.loads(line)["sentences"]]
    prose = " ".join(sentences) + " "
    data = (prose * (MAX_RECORD_BYTES // len(prose.encode()) + 1)).encode()[:MAX_RECORD_BYTES]
    (item,) = read_source(source_of("a.txt", io.BytesIO(data)), None)
    assert isinstance(item, Document)


@pytest.mark.parametrize("text", ["3.14 " * 400_000, "a.b" * 400_000, "e.g., " * 400_000, "." * 400_000])
def test_what_ends_no_sentence_is_not_counted(text: str) -> None:
    (item,) = documents_from_strings([text])
    assert isinstance(item, Document)
