"""How often verbs have an object, by counts."""

from __future__ import annotations

from kgscripts.text.verb_objects import VerbObjects, parse_counts, verb_objects


def test_counts_by_hand() -> None:
    counts = VerbObjects(parse_counts("drink\t10\t8\nsit\t20\t0\nsit down\t5\t0\n"))
    assert counts.transitivity("drink") == 0.75
    assert counts.transitivity("drink", "up") == 0.75
    assert counts.transitivity("sit", "down") < counts.transitivity("frobnicate") == 0.5


def test_the_counts_that_ship() -> None:
    counts = verb_objects()
    assert counts.transitivity("sit") < 0.1 < 0.7 < counts.transitivity("wash")
