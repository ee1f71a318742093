"""When the value that one change leaves behind is the one that a later change begins with."""

from __future__ import annotations

import pytest

from kgscripts.changes.attributes import agree


@pytest.mark.parametrize(
    ("after", "before"),
    [
        ("dry", "Dry"),
        ("in the pot", "pot"),
        ("in pot", "in the pot on the stove"),
        ("at customer's house", "customer's house"),
        ("now owned", "owned"),
        ("in", "in"),
        ("🍝", "🍝"),
        ("", ""),
    ],
)
def test_values_agree(after: str, before: str) -> None:
    assert agree(after, before)
    assert agree(before, after)


@pytest.mark.parametrize(
    ("after", "before"),
    [
        ("wet", "dry"),
        ("in the pot", "outside the pot"),
        ("not clean", "clean"),
        ("more full", "full"),
        ("less full", "more full"),
        ("in store", "in hand"),
        ("", "wet"),
        ("in", "on"),
        ("half full", "full"),
    ],
)
def test_values_disagree(after: str, before: str) -> None:
    assert not agree(after, before)
    assert not agree(before, after)
