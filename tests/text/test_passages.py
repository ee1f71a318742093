"""For any text, every token is found at its offset."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from kgscripts.text.passages import MAX_CHARACTERS, MAX_TOKENS, MAX_WORD, parse_passages, readable, split_text

TEXT = st.text(st.sampled_from("ab. ,\n\r\t\0é漢🍝\u2028"), max_size=200) | st.text(max_size=60)


@pytest.fixture(scope="module")
def blank() -> Language:
    return spacy.blank("en")


@given(TEXT, st.integers(1, 30))
def test_spans_hold_all_but_space(text: str, limit: int) -> None:
    spans = list(split_text(text, limit))
    assert spans
    assert all(end - start <= limit for start, end in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
    covered = {index for start, end in spans for index in range(start, end)}
    assert all(text[index].isspace() for index in range(len(text)) if index not in covered)


@given(TEXT)
def test_readable_keeps_length_and_letters(text: str) -> None:
    seen = readable(text)
    assert len(seen) == len(text)
    assert all(a == b for a, b in zip(text, seen, strict=True) if a.isprintable())
    assert "\0" not in seen
    seen.encode("utf-8")


@given(texts=st.lists(TEXT, max_size=4))
def test_tokens_are_found_at_their_offset(blank: Language, texts: list[str]) -> None:
    for piece in parse_passages(blank, ((text, text) for text in texts)):
        for token in piece.doc:
            start = piece.offset + token.idx
            assert readable(piece.context[start : start + len(token)]) == token.text


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\x00", "\ud800", "\ufeff", "\u2028"])
def test_passages_without_words_come_back(blank: Language, text: str) -> None:
    pieces = list(parse_passages(blank, [(text, "before"), ("Peel it.", "after")]))
    assert [piece.context for piece in pieces] == ["before", "after"]


def test_paragraphs_are_read_one_by_one(blank: Language) -> None:
    text = "Bake a cake\n \nPeel the apples\nand slice them.\r\n\r\nEat."
    pieces = list(parse_passages(blank, [(text, 0)]))
    assert [piece.doc.text for piece in pieces] == ["Bake a cake", "Peel the apples and slice them.", "Eat."]


def test_an_endless_sentence_is_read_in_pieces(blank: Language) -> None:
    text = "peel the potatoes and " * 30_000
    pieces = list(parse_passages(blank, [(text, None)]))
    assert sum(len(piece.doc) for piece in pieces) == 120_000
    assert max(len(piece.doc.text) for piece in pieces) <= MAX_CHARACTERS
    assert all(piece.doc[0].text in {"peel", "the", "potatoes", "and"} for piece in pieces)


def test_a_word_longer_than_the_limit_is_cut(blank: Language) -> None:
    text = "a" * (3 * MAX_CHARACTERS + 5)
    assert "".join(piece.doc.text for piece in parse_passages(blank, [(text, None)])) == text


@pytest.mark.parametrize("word", ["(", '".', ":)", "'", "w,", "a\n", "x-(", "👍"])
def test_what_is_parsed_at_once_is_bounded(blank: Language, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """In characters of a word, tokens of a piece, and tokens of a batch, so that time is linear and memory constant."""
    batches: list[int] = []
    pipe = Language.pipe

    def counting(self: Language, docs: Iterable[Doc], **options: Any) -> Iterator[Doc]:
        docs = list(docs)
        batches.append(sum(map(len, docs)))
        assert all(len(part) <= MAX_WORD for doc in docs for part in doc.text.split())
        return pipe(self, docs, **options)

    monkeypatch.setattr(Language, "pipe", counting)
    text = word * (30_000 // len(word))
    pieces = list(parse_passages(blank, [(text, None)]))
    assert "".join(piece.doc.text for piece in pieces).replace(" ", "") == "".join(text.split())
    assert max(len(piece.doc) for piece in pieces) <= MAX_TOKENS
    assert max(batches) <= 20_000


def test_text_beyond_the_limit_of_spacy_is_read(blank: Language) -> None:
    text = "Peel the potatoes. " * 60_000
    assert len(text) > blank.max_length
    pieces = list(parse_passages(blank, [(text, None)]))
    assert all(piece.doc.text.endswith(".") for piece in pieces)
    assert sum(len(piece.doc) for piece in pieces) == 240_000


def test_passages_stream(blank: Language) -> None:
    """Texts are consumed lazily: the source may be infinite."""
    read = parse_passages(blank, ((f"Step {number}.", number) for number in itertools.count()))
    assert [piece.context for piece in itertools.islice(read, 20)] == list(range(20))
