"""Events extracted from hand-checked parses, construction by construction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
import spacy
from spacy.tokens import Doc

from kgscripts.extractors.events.events import EventExtractor
from kgscripts.extractors.sentences import SentenceExtractor
from kgscripts.text.pipeline import load_pipeline
from schemas.records import DiscardReason, Sentence
from tests.extractors.parses import (
    Found,
    annotated_sentences,
    event_words,
    parsed_document,
    read_parses,
    read_text,
    roles,
)


def _share_right(docs: Iterable[Doc], expected: Sequence[str]) -> float:
    found = EventExtractor().read([parsed_document([doc]) for doc in docs])
    rights = [event_words(Found(records)) == events for records, events in zip(found, expected, strict=True)]
    return sum(rights) / len(rights)


def test_most_sentences_are_read_right_from_hand_checked_parses_and_from_the_parser() -> None:
    annotated = annotated_sentences()
    events = [sentence.events for sentence in annotated.values()]
    assert _share_right((sentence.doc for sentence in annotated.values()), events) > 0.6
    assert _share_right(load_pipeline().pipe(annotated), events) > 0.6


def _roles(text: str) -> list[list[str]]:
    return [list(roles(event)) for event in read_parses([annotated_sentences()[text].doc]).events]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The potatoes were peeled by my sister.", [["potato (patient)", "sister (agent)"]]),
        ("I paid the money to the cashier.", [["money (patient)", "cashier (recipient)"]]),
        ("I cooked dinner with my mother.", [["dinner (patient)", "mother (companion)"]]),
        ("Slice the onion on a cutting board.", [["onion (patient)", "cutting board (place)"]]),
        ("Peel the potatoes and the carrots.", [["potato (patient)"], ["carrot (patient)"]]),
        ("He cut the rope with his brother and a saw.", [["rope (patient)", "brother (companion)"]]),
        ("Add a cup of sugar to the bowl.", [["sugar (patient)", "bowl (place)"]]),
        ("Sprinkle the cake with sugar.", [["cake (patient)", "sugar (other)"]]),
    ],
)
def test_participants_have_roles(text: str, expected: list[list[str]]) -> None:
    assert _roles(text) == expected


def test_spans_are_those_of_the_whole_document() -> None:
    docs = [annotated_sentences()[text].doc for text in ("I took a bath.", "Use a sharp knife to cut the bread.")]
    reading = read_parses(docs)
    text = "\n".join(doc.text for doc in docs)
    assert [text[event.start : event.end] for event in reading.events] == ["took a bath", "cut the bread"]
    [tool] = reading.events[1].tools
    assert text[tool.start : tool.end] == "knife"


def test_sentences_are_those_of_the_parse() -> None:
    docs = [annotated_sentences()[text].doc for text in ("I took a bath.", "Use a sharp knife to cut the bread.")]
    parsed = parsed_document(docs)
    (found,) = SentenceExtractor().read([parsed])
    assert found == [
        Sentence(start=0, end=len(docs[0].text)),
        Sentence(start=len(docs[0].text) + 1, end=len(parsed.document.text) - 1),
    ]


def test_discards_have_span_and_detail() -> None:
    text = "I did not open the window."
    (discard,) = read_text(text).discards
    assert (discard.reason, discard.detail) == (DiscardReason.NEGATED, "open window")
    assert text[discard.start : discard.end] == "open the window"


def test_parses_with_clearnlp_labels_are_read_too() -> None:
    """The labels of the `en_core_web_*` packages."""
    tokens = [
        ("Mary", "mary", "PROPN", "NNP", "nsubj", 1),
        ("cut", "cut", "VERB", "VBD", "ROOT", 1),
        ("the", "the", "DET", "DT", "det", 3),
        ("bread", "bread", "NOUN", "NN", "dobj", 1),
        ("with", "with", "ADP", "IN", "prep", 1),
        ("a", "a", "DET", "DT", "det", 6),
        ("knife", "knife", "NOUN", "NN", "pobj", 4),
    ]
    words, lemmas, pos, tags, relations, heads = (list(column) for column in zip(*tokens, strict=True))
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, words=words, lemmas=lemmas, pos=pos, tags=tags, deps=relations, heads=heads)
    reading = read_parses([doc])
    assert event_words(reading) == "cut bread +knife"
    assert list(roles(reading.events[0])) == ["mary (agent)", "bread (patient)"]


def test_a_deep_chain_of_clauses_is_judged_without_recursion() -> None:
    text = "I know " + "that he said " * 600 + "that it works."
    doc = load_pipeline()(text)
    assert len(read_parses([doc]).discards) > 100
