"""Object pronouns are resolved to the most probable noun before them; others are left as "it" and "them"."""

from __future__ import annotations

import pytest

from kgscripts.extractors.pronouns import score
from schemas.records import PassageKind
from tests.extractors.parses import event_words, read_text


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("Peel the carrots. Slice them.", "peel carrot; slice carrot"),
        ("I washed the apple and ate it.", "wash apple; eat apple"),
        ("Boil the eggs. Cool them in water. Peel them.", "boil egg; cool egg; peel egg"),
        ("I picked up the dog and washed her.", "pick up dog; wash dog"),
        ("I washed the cups and I dried some of them.", "wash cup; dry cup"),
        ("He bought two shirts and ironed one.", "buy shirt; iron shirt"),
        ("I filled the glass with water and drank it.", "fill glass; drink water"),
        (
            "I bought a bottle of milk. I drank half of it and poured out the rest.",
            "buy milk; drink milk; pour out milk",
        ),
        ("I cut two sheets of paper and folded them.", "cut paper; fold paper"),
        ("I washed the carrots. One was bad, so I threw it away.", "wash carrot; throw away carrot"),
        ("Boil the pasta and drain well.", "boil pasta; drain pasta"),
    ],
)
def test_resolved(text: str, events: str) -> None:
    assert event_words(read_text(text)) == events


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("I called my mother and washed it.", "wash it"),
        ("It rained. Drain it.", "drain it"),
        ("Drain them.", "drain them"),
        ("I waited an hour and washed it.", "wash it"),
        ("We made it to the station.", "make it to station"),
        ("Wash the bowl. Wait.", "wait"),
    ],
)
def test_left_alone(text: str, last: str) -> None:
    event = read_text(text).events[-1]
    assert event.action.label == last
    assert not [argument for argument in event.participants if argument.role == "patient"]


def test_what_speaks_for_an_antecedent() -> None:
    near = {"sentence 0": 1.0, "object": 1.0, "preference": 1.0}
    assert score(near) > score({**near, "preference": -1.0})
    assert score(near) > score({**near, "one as several": 1.0})
    assert score(near) > score({"sentence 3": 1.0, "object": 1.0, "preference": 1.0})
    assert score({**near, "mentions": 1.0}) > score(near) > score({**near, "rank": 1.0})


def test_the_passage_before_is_looked_at_and_the_pronoun_keeps_its_place() -> None:
    reading = read_text("Peel the potatoes.", "Boil them.", kind=PassageKind.STEP)
    text = "Peel the potatoes.\nBoil them.\n"
    assert event_words(reading) == "peel potato; boil potato"
    [argument] = reading.events[1].participants
    assert (argument.lemma, text[argument.start : argument.end]) == ("potato", "them")
    assert text[reading.events[1].start : reading.events[1].end] == "Boil them"


def test_what_is_long_past_is_no_antecedent() -> None:
    steps = ["Peel the potatoes.", *["Wait."] * 4, "Boil them."]
    assert event_words(read_text(*steps, kind=PassageKind.STEP)).endswith("boil them")


def test_nothing_is_resolved_to_a_noun_of_another_document() -> None:
    assert event_words(read_text("Boil them.")) == "boil them"
