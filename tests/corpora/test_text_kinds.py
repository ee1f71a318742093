"""What is no prose is set aside with a reason; everything else is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import documents_from_strings, read_file, read_inputs
from kgscripts.corpora.text_kinds import other_kind
from schemas.records import Discard, DiscardReason, Document
from tests.corpora.documents import read
from tests.corpora.other_kinds import OTHER, PROSE


@pytest.mark.parametrize("name", OTHER)
def test_other_kinds(name: str) -> None:
    reason, text = OTHER[name]
    found = other_kind(text)
    assert found is not None
    assert found.reason is reason
    assert found.detail.startswith("looks like ")
    assert "; " in found.detail


@pytest.mark.parametrize("name", PROSE)
def test_prose(name: str) -> None:
    assert other_kind(PROSE[name]) is None


READ_BY_THEIR_FORMAT = ("JSON lines", "a JSON array", "minified JSON", "a web page")


@pytest.mark.parametrize("name", [name for name in OTHER if name not in READ_BY_THEIR_FORMAT])
@pytest.mark.parametrize("suffix", [".txt", ".md", ""])
def test_files_of_other_kinds(tmp_path: Path, name: str, suffix: str) -> None:
    reason, text = OTHER[name]
    documents, (discard,) = read(tmp_path, f"a{suffix}", "\ufeff" + text)
    assert not documents
    assert discard.reason is reason
    assert discard.where == f"a{suffix}:1"


@pytest.mark.parametrize("name", [name for name in PROSE if name not in ("blank", "cloze templates", "pairs")])
def test_files_of_prose(tmp_path: Path, name: str) -> None:
    documents, discards = read(tmp_path, "a.txt", PROSE[name])
    assert documents
    assert not discards


def test_a_format_that_is_given_is_read(tmp_path: Path) -> None:
    documents, discards = read(tmp_path, "a.txt", OTHER["CSV with a header"][1], "text")
    assert len(documents) == 1
    assert not discards


def test_one_reason_for_a_file(tmp_path: Path) -> None:
    """And not one for each of its lines."""
    documents, discards = read(tmp_path, "a.json", OTHER["JSON"][1])
    assert not documents
    assert [discard.reason for discard in discards] == [OTHER["JSON"][0]]


def test_only_the_record_is_set_aside(tmp_path: Path) -> None:
    texts = [PROSE["commas"], OTHER["a part of a web page"][1], PROSE["one tag"]]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"t{n}", "text": text}) for n, text in enumerate(texts)))
    first, other, last = read_file(InputFile(path, "a.jsonl"))
    assert isinstance(first, Document)
    assert isinstance(last, Document)
    assert isinstance(other, Discard)
    assert (other.reason, other.where) == (DiscardReason.MARKUP, "a.jsonl#t1")


def test_texts_in_memory() -> None:
    found = list(documents_from_strings([OTHER["CSS"][1], {"text": OTHER["YAML"][1]}, {"steps": ["Boil it."]}]))
    assert [item.reason if isinstance(item, Discard) else "" for item in found] == ["code or data, not prose"] * 2 + [
        ""
    ]


def test_a_long_log_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(OTHER["an Apache log"][1] * 15_000)
    (item,) = read_inputs([str(path)])
    assert isinstance(item, Discard)
    assert item.reason is DiscardReason.LOG


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"])), st.integers(1, 50))
def test_judging_never_fails(text: str, times: int) -> None:
    found = other_kind(text * times)
    assert found is None or found.detail.startswith("looks like ")


@given(st.lists(st.text(st.sampled_from("abc ,.'I"), min_size=1, max_size=40), min_size=1, max_size=2))
def test_short_texts_are_prose(lines: list[str]) -> None:
    assert other_kind("\n".join(lines)) is None
