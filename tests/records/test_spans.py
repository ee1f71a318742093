"""The spans of records, and where in a document they may lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from attrs import fields, frozen, has
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.building.checking import Extent, RecordSpan, spans_of
from schemas.changes import Level
from schemas.records import (
    Action,
    AlignedPhrase,
    Argument,
    ConcreteStep,
    Decomposition,
    Discard,
    Document,
    EventMention,
    Passage,
    PassageKind,
    Record,
    Role,
    Sentence,
    Span,
    StateChange,
    Tool,
)

_ACTION = Action(predicate="boil")
_spans = st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda span: {"start": span[0], "end": sum(span)})
_tools = st.lists(st.builds(lambda span: Tool(lemma="pot", **span), _spans), max_size=2)
_steps = st.builds(
    lambda span, tools: ConcreteStep(action=_ACTION, log_probability=-1, tools=tools, **span), _spans, _tools
)
_records: st.SearchStrategy[Record] = st.one_of(
    st.builds(lambda span: Sentence(**span), _spans),
    st.builds(
        lambda span, nouns, tools: EventMention(
            action=_ACTION,
            participants=[Argument(lemma="egg", role=Role.PATIENT, **noun) for noun in nouns],
            tools=tools,
            **span,
        ),
        _spans,
        st.lists(_spans, max_size=2),
        _tools,
    ),
    st.builds(
        lambda span, steps: Decomposition(action=_ACTION, steps=steps, **span),
        _spans,
        st.lists(_steps, min_size=1, max_size=2),
    ),
    st.builds(
        lambda span, mentioned: StateChange(
            entity="egg",
            attribute="shape",
            before="",
            after="flat",
            action=None,
            mentioned=Span(**mentioned) if mentioned else None,
            probability=0.5,
            level=Level.LIKELY,
            **span,
        ),
        _spans,
        st.none() | _spans,
    ),
    st.builds(
        lambda span, word: AlignedPhrase(word_start=word["start"], word_end=word["end"], log_probability=-1, **span),
        _spans,
        _spans,
    ),
    st.builds(lambda span: Discard(reason="negated", **(span or {})), st.none() | _spans),
)


def _walked(value: Any) -> Iterator[tuple[int, int]]:
    """All spans of a value by its fields, however deep."""
    if isinstance(value, tuple):
        for item in value:
            yield from _walked(item)
    elif has(type(value)):
        values = {item.name: getattr(value, item.name) for item in fields(type(value))}
        for name in values:
            if name.endswith("start") and values[name] is not None:
                yield values[name], values[name.removesuffix("start") + "end"]
        for item in values.values():
            yield from _walked(item)


@given(_records)
def test_every_span_of_a_record_is_found(record: Record) -> None:
    assert sorted((span.start, span.end) for span in spans_of(record)) == sorted(_walked(record))


@frozen(kw_only=True)
class _Quote:
    begin_start: int
    begin_end: int
    restart: int
    end: str


@frozen(kw_only=True)
class _Dialogue:
    """Nested twice; `start` alone is a number like any other."""

    turns: tuple[tuple[_Quote, ...], ...]
    start: int


def test_spans_of_kinds_of_other_packages_are_found_by_their_names() -> None:
    quotes = [_Quote(begin_start=number, begin_end=number + 1, restart=-1, end="x") for number in range(3)]
    dialogue = _Dialogue(turns=((quotes[0],), (), (quotes[1], quotes[2])), start=-5)
    assert list(spans_of(dialogue)) == [RecordSpan("begin", number, number + 1) for number in range(3)]


_LENGTH = 24


@st.composite
def _documents(draw: st.DrawFn) -> Document:
    spans = draw(st.lists(st.tuples(st.integers(0, _LENGTH - 1), st.integers(1, 9)), max_size=4))
    found = [Passage(kind=PassageKind.PARAGRAPH, start=start, end=min(start + size, _LENGTH)) for start, size in spans]
    passages = sorted(found, key=lambda passage: (passage.start, -passage.end))
    return Document(name="x", format="text", text="x" * _LENGTH, passages=passages)


@given(_documents(), st.integers(-3, _LENGTH + 3), st.integers(-3, _LENGTH + 3))
def test_a_span_lies_in_the_text_and_some_of_it_in_a_passage(document: Document, start: int, end: int) -> None:
    allowed = {place for passage in document.passages for place in range(passage.start, passage.end)}
    allowed = allowed or set(range(_LENGTH))
    fits = 0 <= start < end <= _LENGTH and not allowed.isdisjoint(range(start, end))
    assert (not Extent.of(document).problem(RecordSpan("", start, end))) == fits


@pytest.mark.parametrize(
    ("span", "problem"),
    [
        ((0, 5), ""),
        ((0, 20), ""),
        ((-1, 4), "lies outside of the text of 20 characters"),
        ((15, 21), "lies outside of the text of 20 characters"),
        ((4, 4), "is empty"),
        ((4, 3), "is empty"),
        ((8, 12), "lies in no passage"),
        ((8, 13), ""),
    ],
)
def test_what_is_wrong_with_a_span(span: Sequence[int], problem: str) -> None:
    passages = [Passage(kind=PassageKind.STEP, start=start, end=end) for start, end in ((0, 8), (12, 20))]
    document = Document(name="x", format="text", text="x" * 20, passages=passages)
    assert Extent.of(document).problem(RecordSpan("", *span)) == problem
