"""What verbs take as objects, by counts, and the objects that follow from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.text.verb_objects import VerbObjects, parse_counts, verb_objects
from kgscripts.training.text.verb_objects import Counts, rows
from tests.extractors.parses import event_words, left_out, read_text


@pytest.mark.parametrize(
    ("text", "events"),
    [
        # Coordination with a verb that takes no object.
        ("I sat and ate an apple.", "sit; eat apple"),
        ("I washed and dried the cups.", "wash cup; dry cup"),
        # Quantities.
        ("I drank three cups.", "drink"),
        ("We walked two miles.", "walk"),
        ("I washed three cups.", "wash cup"),
        ("Beat a dozen eggs.", "beat egg"),
        ("I tested a few drops of the milk.", "test milk"),
        ("I put all of the chopped vegetables on the table.", "put vegetable on table"),
        # Objects behind a particle.
        ("He vacuumed up the dust.", "vacuum up dust"),
        ("I peeled off the tape.", "peel off tape"),
        ("I walked down the street.", "walk down street"),
        ("I slept in the garden.", "sleep in garden"),
        # Lemmas of irregular pasts.
        ("I shook it.", "shake it"),
        ("She ground the coffee and slid the box under the bed.", "grind coffee; slide box under bed"),
    ],
)
def test_objects(text: str, events: str) -> None:
    assert event_words(read_text(text)) == events


def test_a_noun_of_a_list_is_no_verb() -> None:
    reading = read_text("I took out the knife fork and brush.")
    assert event_words(reading).startswith("take out knife")
    assert "fork" in left_out(reading)


def test_counts_by_hand() -> None:
    counts = VerbObjects(parse_counts("drink\t10\t8\tmilk:6 water:2\nsit\t20\t0\t\nsit down\t5\t0\t\n"))
    assert counts.transitivity("drink") == 0.75
    assert counts.transitivity("sit", "down") < counts.transitivity("frobnicate") == 0.5
    assert counts.preference("drink", "", "milk") > counts.preference("drink", "", "chair")
    assert counts.preference("drink", "up", "milk") == counts.preference("drink", "", "milk")
    assert counts.is_rather_noun("milk")
    assert not counts.is_rather_noun("drink")


def test_the_counts_that_ship() -> None:
    counts = verb_objects()
    assert counts.transitivity("sit") < 0.1 < 0.7 < counts.transitivity("wash")
    assert counts.preference("drink", "", "coffee") > 2 > 0 > counts.preference("eat", "", "table")


_WORDS = st.text("abc", min_size=1, max_size=3)


@given(st.dictionaries(_WORDS, st.tuples(st.integers(3, 9), st.dictionaries(_WORDS, st.integers(1, 9)))))
def test_what_is_written_is_read_again(verbs: dict[str, tuple[int, dict[str, int]]]) -> None:
    counts = {verb: Counts(total, 1) for verb, (total, _) in verbs.items()}
    for verb, (_, nouns) in verbs.items():
        counts[verb].nouns.update(nouns)
    found = parse_counts("".join(f"{line}\n" for line in rows(counts)))
    assert found == {
        verb: (total, 1, {noun: count for noun, count in nouns.items() if count > 1})
        for verb, (total, nouns) in verbs.items()
    }
