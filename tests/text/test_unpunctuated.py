"""Texts without sentence ends are read by clauses, others as before."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.corpora.plain_text import document_of_text
from kgscripts.extractors.events.events import Text, events_of_texts
from kgscripts.extractors.protocol import Parse
from kgscripts.text.pipeline import load_pipeline
from kgscripts.text.unpunctuated import clause_spans
from schemas.records import Document, Passage, PassageKind

WORDS = (
    "i",
    "we",
    "and",
    "then",
    "so",
    "the pan",
    "took",
    "when",
    "if",
    "after that",
    "water",
    ",",
    ".",
    "…",
    "I'm",
    "\n",
)
PUNCTUATED = (
    "I woke up late and then I ran into the kitchen. I filled the kettle and I put it on the stove. Then we drank. "
)
HEATING = (
    "heat the oven and mix the flour with the eggs and put the dough in a pan and bake it until it is brown and cut it"
)

_NARRATIONS = Path(__file__).resolve().parents[1] / "data" / "unpunctuated.jsonl"


@frozen
class Narration:
    """A text and the lemmas of the verbs of its events, in order."""

    text: str
    events: tuple[str, ...]


def narrations() -> list[Narration]:
    """The narrations, which rules were developed on."""
    records = map(json.loads, _NARRATIONS.read_text(encoding="utf-8").splitlines())
    return [Narration(record["text"], tuple(record["events"])) for record in records]


def found_by_clauses(narration: Narration) -> Counter[str]:
    """The verbs of the events that a build finds."""
    (parses,) = parse_documents([document_of_text("", narration.text)], None)
    return _verbs(parses)


def found_whole(narration: Narration) -> Counter[str]:
    """The verbs of the events that are found if the text is parsed as one piece."""
    passage = Passage(kind=PassageKind.PARAGRAPH, start=0, end=len(narration.text))
    return _verbs([Parse(passage, load_pipeline()(narration.text), 0)])


def _verbs(parses: list[Parse]) -> Counter[str]:
    return Counter(
        event.frame.verb.lemma_ for event in events_of_texts([Text(parses)])[0].events if event.reason is None
    )


def clauses(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in clause_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "i called the plumber he came at nine and then he looked under the sink when i came home he said he was "
            "done so after that i paid him and we talked about what i should do",
            [
                "i called the plumber",
                "he came at nine",
                "and then he looked under the sink when i came home",
                "he said he was done",
                "so after that i paid him",
                "and we talked about what i should do",
            ],
        ),
        (
            "we bake on sundays if she has time we make bread i knead the dough she heats the oven and my sister and "
            "i'm the one who eats it",
            [
                "we bake on sundays if she has time we make bread",
                "i knead the dough",
                "she heats the oven and my sister",
                "and i'm the one who eats it",
            ],
        ),
        ("i woke up i ate i left", ["i woke up i ate i left"]),
        (HEATING, [HEATING]),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    assert clauses(text) == expected


@given(st.lists(st.sampled_from(WORDS), max_size=200).map(" ".join))
def test_spans_have_no_gaps(text: str) -> None:
    spans = list(clause_spans(text))
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == len(text)
    assert all(start < end for start, end in spans) or not text


@pytest.mark.parametrize(
    "text", [PUNCTUATED, PUNCTUATED * 30, PUNCTUATED.replace(".", "!"), PUNCTUATED.replace(".", " …")]
)
def test_a_punctuated_text_is_read_whole(text: str) -> None:
    assert clauses(text) == [text.strip()]


def test_a_long_sentence_is_read_whole() -> None:
    """One with the length of the longest sentences of stories."""
    sentence = "I took the pan and " + "then I put some more of the water into it and " * 3 + "I was done."
    assert len(sentence.split()) < 60
    assert clauses(sentence) == [sentence]


def test_more_events_are_found() -> None:
    texts = narrations()
    told = [Counter(text.events) for text in texts]
    whole = sum((found_whole(text) & events).total() for text, events in zip(texts, told, strict=True))
    found = sum((found_by_clauses(text) & events).total() for text, events in zip(texts, told, strict=True))
    assert found >= whole - 5
    assert found >= 0.75 * sum(events.total() for events in told)


def test_offsets_are_those_of_the_text() -> None:
    text = "Coffee\n\n" + narrations()[0].text
    (document,) = documents_from_strings([text])
    assert isinstance(document, Document)
    (parses,) = parse_documents([document], None)
    assert len(parses) > 5
    for parse in parses:
        for token in parse.doc:
            assert text[parse.offset + token.idx :].startswith(token.text)


def test_marked_sentences_are_not_split() -> None:
    words = narrations()[0].text.split()
    lines = "\n".join(f"{n}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_" for n, word in enumerate(words, 1))
    (document,) = documents_from_strings([f"# newdoc\n{lines}\n\n"], format="conllu")
    assert isinstance(document, Document)
    (parses,) = parse_documents([document], None)
    assert len(parses) == 1
