"""Tests of what an instruction waits for."""

from __future__ import annotations

import pytest

from schemas.records import PassageKind
from tests.extractors.parses import event_words, read_text


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("Cook until browned.", "cook"),
        ("Once the butter has melted, add the onion.", "add onion"),
        ("When you add the eggs, stir the sauce.", "add egg; stir sauce"),
        ("Bake for an hour or until it is golden and a skewer comes out clean.", "bake +skewer"),
        ("Bake for an hour, or until a fork can pierce the squash.", "bake +fork"),
        ("Cook for an hour until you can pierce it with a fork.", "cook +fork"),
    ],
)
def test_states_are_no_events_and_what_tests_them_is_a_tool(text: str, events: str) -> None:
    assert event_words(read_text(text, kind=PassageKind.STEP)) == events


def test_a_story_tells_what_happened() -> None:
    assert event_words(read_text("I cooked it until my sister added the onion.")).endswith("add onion")
