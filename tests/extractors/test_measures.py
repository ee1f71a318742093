"""Quantities, sizes and durations of events."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.text.amounts import NO_THINGS
from schemas.records import PassageKind
from tests.extractors.parses import read_text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Bake the cake for 20 to 25 minutes.", "duration:20 to 25 minutes:"),
        ("Bake 20 minutes.", "duration:20 minutes:"),
        ("Simmer for about 1 hour, stirring every 10 minutes.", "duration:about 1 hour:"),
        ("After 10 minutes, turn the steak over.", ""),
        ("Add three eggs.", "quantity:three:egg"),
        ("Add the flour (200 g) and mix.", "quantity:200 g:flour"),
        ("Grease a 20x30cm dish with a pinch of salt.", "size:20x30cm:dish quantity:a pinch:salt"),
        ("Fry half of the onions in oil.", "quantity:half:onion"),
    ],
)
def test_measures(text: str, found: str) -> None:
    first = read_text(text).events[0]
    assert " ".join(f"{item.kind}:{item.words}:{item.thing}" for item in first.measures) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Heat 2 tbsp oil in a pan.", [("oil", "2 tbsp")]),
        ("Add the garlic, 2 tbsp oil and 1 tsp salt.", [("garlic", ""), ("oil", "2 tbsp"), ("salt", "1 tsp")]),
        ("Heat half the olive oil.", [("olive oil", "half")]),
    ],
)
def test_a_measure_is_no_part_of_its_thing(text: str, found: list[tuple[str, str]]) -> None:
    events = read_text(text, kind=PassageKind.STEP).events
    assert [(event.action.object, "".join(item.words for item in event.measures)) for event in events] == found


_NUMBERS = st.sampled_from(["2", "1/2", "20 to 25", "1 1/2", "½", "three", "0", "1,000"])
_UNITS = st.sampled_from(["", "g", "tbsp", "cm", "cups of", "minutes", "kg of", "°c", "(9 in)", "x 400 g"])
_PIECES = st.tuples(
    st.sampled_from(["Add", "Heat", "Bake", "Stir in", "Put in", ""]),
    _NUMBERS,
    _UNITS,
    st.sampled_from(["flour", "a tin", "the eggs", "water", "my friend", ""]),
    st.sampled_from([".", ", then", " for", " and", "\n"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_PIECES, min_size=1, max_size=5))
def test_measures_stand_in_the_text(pieces: list[tuple[str, ...]]) -> None:
    text = " ".join(word for piece in pieces for word in piece if word) + "."
    for event in read_text(text, kind=PassageKind.STEP).events:
        for item in event.measures:
            assert item.words in " ".join(text.split())
        things = [thing.lemma.split()[0] for thing in event.participants]
        things += [tool.lemma.split()[0] for tool in event.tools]
        assert not NO_THINGS & set(things), text
