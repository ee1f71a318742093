"""Object pronouns are resolved to the most probable noun before them; others are left as "it" and "them"."""

from __future__ import annotations

import pytest

from kgscripts.extractors.events.events import judged_frames
from kgscripts.extractors.pronouns.antecedents import Discourse, Entity
from kgscripts.extractors.pronouns.people import gender_of
from kgscripts.extractors.pronouns.pronouns import LEAST, most_probable, score
from kgscripts.text.pipeline import load_pipeline
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
        ("I filled the glass with water and drank it.", "fill glass +glass; drink water"),
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


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        # "She" is the barber, whom no sentence names for a while, and not the one that hugs.
        ("The barber took a comb. She cut my hair. She swept. She took a brush. She smiled. I hugged her.", "barber"),
        ("The woman called the man. He came in and she hugged him.", "man"),
        ("My brother met a girl. He liked her.", "girl"),
        ("The cat was hungry. I lifted the cat and carried her home.", "cat"),
    ],
)
def test_people_are_those_that_he_and_she_were(text: str, noun: str) -> None:
    *_, (frame, _) = judged_frames(load_pipeline()(text))
    assert [token.lemma_ for token in frame.guess] == [noun]


def test_the_gender_of_some_nouns_is_known() -> None:
    assert [gender_of(name) for name in ("old woman", "waiter", "barber")] == ["female", "male", ""]


def test_the_others_and_none_share_the_rest_of_the_probability() -> None:
    pot, lid = (Entity((), True, False, "object", 0, 0, names=(name,)) for name in ("pot", "lid"))
    weights = {"bias": 0.0, "near": 1.0}
    assert most_probable([], weights) is None
    found = most_probable([(pot, {"near": 0.0}), (lid, {"near": 0.0})], weights)
    assert found is not None
    assert found.probability == pytest.approx(1 / 3)
    found = most_probable([(pot, {"near": 0.0}), (lid, {"near": 3.0})], weights)
    assert found is not None
    assert found.entity is lid
    assert found.probability > LEAST


def test_a_pronoun_that_is_not_sure_keeps_a_guess() -> None:
    text = "I found the pump and the valve. The valve was old. Then I pressed the button on the pump and cleaned it."
    discourse = Discourse()
    frames = [frame for frame, _ in judged_frames(load_pipeline()(text), discourse)]
    assert frames[-1].guess
    assert not frames[-1].stands_for
