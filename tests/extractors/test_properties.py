"""Properties for any text: spans are valid, no tool is an object, and extraction is deterministic."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.text.lexicon import is_tool
from schemas.records import PassageKind
from tests.extractors.parses import Found, read_text

WORDS = (
    *(
        "I",
        "he",
        "they",
        "the",
        "a",
        "it",
        "them",
        "and",
        "or",
        "to",
        "with",
        "in",
        "on",
        "into",
        "using",
        "use",
        "used",
    ),
    *("not", "never", "if", "would", "take", "cut", "peel", "wash", "put", "had", "was", "been", "potatoes", "knife"),
    *(
        "knives",
        "bowl",
        "oven",
        "mother",
        "hands",
        "bath",
        "cake",
        "by",
        "of",
        "that",
        "which",
        ",",
        ".",
        "!",
        "?",
        '"',
    ),
    *("“", "”", "(", ")", "-", "'", "n't", "'ve", "12", "scissors", "É", "😀", "sure", "make", "let"),
)
texts = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)


def _check(reading: Found, text: str) -> None:
    for event in reading.events:
        assert 0 <= event.start < event.end <= len(text)
        acted_upon = {argument.lemma for argument in event.participants if argument.role == "patient"}
        acted_upon |= {event.action.object}
        assert all(is_tool(tool.lemma) for tool in event.tools if tool.lemma in acted_upon)
        spans = [(argument.start, argument.end) for argument in event.participants]
        spans += [(tool.start, tool.end) for tool in event.tools]
        assert all(text[start:end].strip() for start, end in spans)
    for discard in reading.discards:
        assert discard.start is not None
        assert discard.end is not None
        assert discard.start < discard.end <= len(text)
    starts = [event.start for event in reading.events]
    assert starts == sorted(starts)


@settings(max_examples=40)
@given(st.lists(texts, min_size=1, max_size=3), st.sampled_from([PassageKind.STEP, PassageKind.PARAGRAPH]))
def test_any_words(passages: list[str], kind: PassageKind) -> None:
    reading = read_text(*passages, kind=kind)
    _check(reading, "\n".join(passages) + "\n")
    assert read_text(*passages, kind=kind) == reading


@settings(max_examples=30)
@given(st.text(max_size=60))
def test_any_characters(text: str) -> None:
    _check(read_text(text.replace("\ud800", "")), text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "...",
        "?!",
        "\n\n\n",
        "- - -",
        "1 2 3",
        "😀😀😀",
        "the the the the",
        "and and and and and and",
        "cut cut cut cut cut cut",
        '"',
        "“Cut the bread.",
        "with with with a knife knife",
        "שלום עולם",
        "a" * 5_000,
        # As long as a parse that is too deep for a recursion, they are in `test_deep_parses`.
        "he said that " * 70,
        "wash and " * 100,
        "the lid of " * 80,
        "(" * 300,
    ],
    ids=lambda text: repr(text[:20]),
)
def test_texts_without_sense(text: str) -> None:
    _check(read_text(text), text + "\n")


def test_shipped_examples_tell_events_and_tools() -> None:
    folder = resources.files("kgscripts") / "examples"
    for name in ("cooking_pasta.txt", "making_coffee.txt", "baking_a_cake.txt"):
        file = next(path for path in (folder / name, folder / "texts" / name) if path.is_file())
        text = file.read_text(encoding="utf-8")
        reading = read_text(*(line for line in text.splitlines() if line))
        assert len(reading.events) > 5
