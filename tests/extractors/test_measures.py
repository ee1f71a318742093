"""Quantities, sizes and durations of events."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.text.amounts import NO_THINGS
from schemas.records import PassageKind
from tests.extractors.parses import read_text

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
