"""Which nouns are tools."""

from __future__ import annotations

import pytest

from kgscripts.text.lexicon import classes_of, is_tool, is_tool_after, may_be_tool
from tests.extractors.parses import read_text


def test_a_destination_is_a_place() -> None:
    (event,) = read_text("Put the clothes in the suitcase.").events
    assert [(item.lemma, item.role) for item in event.participants if item.role == "place"] == [("suitcase", "place")]


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("knife", True), ("bread knife", True), ("towel", True), ("dish soap", False), ("hand", False), ("quux", False)],
)
def test_the_longest_listed_end_of_a_compound_decides(noun: str, expected: bool) -> None:
    assert is_tool(noun) is expected


def test_prepositions_must_fit_the_class() -> None:
    assert is_tool_after("in", "bowl")
    assert is_tool_after("with", "knife")
    assert not is_tool_after("in", "knife")
    assert not is_tool_after("about", "bowl")


def test_unknown_things_may_be_used_but_listed_supplies_may_not() -> None:
    assert may_be_tool("spiralizer")
    assert not may_be_tool("olive oil")


def test_a_noun_is_no_tool_and_something_else_at_once() -> None:
    """Such a noun would never be a tool, silently."""
    from kgscripts.text.lexicon import NO_TOOL_CLASSES, TOOL_CLASSES, _noun_classes

    both = {noun for noun, classes in _noun_classes().items() if classes & TOOL_CLASSES and classes & NO_TOOL_CLASSES}
    assert both == set()
    assert classes_of("nothing of the kind") == classes_of("kind")
