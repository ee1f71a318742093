"""Quantities, sizes and durations of events."""

from __future__ import annotations

import pytest

from schemas.errors import RecordError
from schemas.records import Measure, MeasureKind
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


@pytest.mark.parametrize(("kind", "thing"), [(MeasureKind.DURATION, "cake"), (MeasureKind.SIZE, "")])
def test_only_quantities_and_sizes_have_a_thing(kind: MeasureKind, thing: str) -> None:
    with pytest.raises(RecordError):
        Measure(kind=kind, words="5 minutes", thing=thing)
