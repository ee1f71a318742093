"""Object pronouns are resolved in clear cases, and otherwise left as they are."""

from __future__ import annotations

import pytest

from schemas.records import PassageKind
from tests.extractors.parses import event_words, read_text


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("Peel the carrots. Slice them.", "peel carrot; slice carrot"),
        ("I washed the apple and ate it.", "wash apple; eat apple"),
        ("Boil the eggs. Cool them in water. Peel them.", "boil egg; cool egg; peel egg"),
        ("Take the letter and read it.", "take letter; read letter"),
    ],
)
def test_resolved(text: str, events: str) -> None:
    assert event_words(read_text(text)) == events


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Peel the carrots. Slice it.", "slice"),
        ("I called my mother and washed it.", "wash"),
        ("Add the sugar and stir it.", "stir"),
        ("Pour the milk into the bottle and shake it.", "shake"),
        ("Grab a knife and cut it.", "cut"),
        ("It rained. Drain it.", "drain"),
        ("I bought a shirt and a hat and washed it.", "wash"),
    ],
)
def test_left_alone(text: str, last: str) -> None:
    assert read_text(text).events[-1].action.label == last


def test_the_passage_before_is_looked_at_and_the_pronoun_keeps_its_place() -> None:
    reading = read_text("Peel the potatoes.", "Boil them.", kind=PassageKind.STEP)
    text = "Peel the potatoes.\nBoil them.\n"
    assert event_words(reading) == "peel potato; boil potato"
    [argument] = reading.events[1].participants
    assert (argument.lemma, text[argument.start : argument.end]) == ("potato", "them")
    assert text[reading.events[1].start : reading.events[1].end] == "Boil them"


def test_nothing_is_resolved_to_a_noun_of_another_document() -> None:
    assert event_words(read_text("Boil them.")) == "boil"
