"""Which nouns are tools."""

from __future__ import annotations

import pytest

from kgscripts.text.lexicon import classes_of, is_tool, is_tool_after, may_be_tool
from schemas.records import PassageKind
from tests.extractors.parses import read_text


def _tools(text: str) -> list[str]:
    return [tool.lemma for event in read_text(text).events for tool in event.tools]


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("I swept the floor with a broom.", ["broom"]),
        # What is made ready, operated, or has food put into it.
        ("Line a baking tray with paper.", ["baking tray"]),
        ("Turn on the oven.", ["oven"]),
        ("Put the lasagne in the oven.", ["oven"]),
        ("Transfer the mixture to a bowl.", ["bowl"]),
        ("Put the pan on the stove.", ["pan", "stove"]),
        ("Put the lid on.", ["lid"]),
        ("Run a knife around the edge.", ["knife"]),
        ("She used a large spoon to stir the soup.", ["spoon"]),
        ("Use a spiralizer to cut the carrots.", ["spiralizer"]),
        ("Using tweezers, remove the splinter.", ["tweezers"]),
        ("Boil the rice in a pot.", ["pot"]),
        ("Cut the rope with a pair of scissors.", ["scissors"]),
        ("Soak the beans in a bowl of water.", ["bowl"]),
        ("Beat the cream with an electric mixer.", ["mixer"]),
        ("Take a screwdriver and tighten the screws.", ["screwdriver"]),
        ("Use the spade to dig a hole.", ["spade"]),
        ("Use a spade.", ["spade"]),
        ("Take a spade.", ["spade"]),
        ("Use two eggs.", []),
        ("Take the cake.", []),
        ("Take a spade from the shed.", []),
        ("I took a spade.", []),
        ("I took the hammer and fixed the fence.", ["hammer"]),
        ("Grab a bowl, then mix the flour and the sugar.", ["bowl", "bowl"]),
        ("Take a pair of rubber gloves and rinse the shirts.", ["rubber glove"]),
        ("Test whether the cake is done with a toothpick.", ["toothpick"]),
        ("Remove the algae with a skimmer.", ["skimmer"]),
        ("Fold the shirts on the table.", ["table"]),
        ("To light the stove, she used a match.", ["match"]),
        ("He uses a currency app to work out the fare.", ["currency app"]),
        ("She used an impact driver to free the bolt.", ["impact driver"]),
        ("I buttered my toast with the back of a spoon.", ["spoon"]),
        ("He knocked on the window with a coin.", ["coin"]),
        ("Protect your head with a helmet.", ["helmet"]),
        ("We explored the fjords in a camper van.", ["camper van"]),
        ("She checked the time on her phone.", ["phone"]),
        ("He changed the bulb standing on a ladder.", ["ladder"]),
        ("Toss the salad in a bowl.", ["bowl"]),
        ("I carried the eggs home in my cap.", ["cap"]),
        ("We fetched a wheelbarrow and moved the logs.", ["wheelbarrow"]),
        ("I took my badge and opened the door.", ["badge"]),
        ("She transports her cello in a hard case.", ["case"]),
    ],
)
def test_tools(text: str, tools: list[str]) -> None:
    assert _tools(text) == tools


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        # Sizes are no part of a name.
        ("Pour the batter into a greased 23x33cm (9x13 in) baking dish.", ["baking dish"]),
        ("Bake in a preheated 180 C / Gas 4 oven.", ["oven"]),
        ("Line a 20 cm tin with paper.", ["tin"]),
        # A vessel counts beside what is in it.
        ("Bring a large pot of water to the boil.", ["pot"]),
        ("Put a pot of water on the stove.", ["pot", "stove"]),
        ("Place the bowl over a pan of simmering water.", ["pan"]),
        ("Add the mustard and mix in a bowl.", ["bowl"]),
        ("Transfer the dough to a lightly floured surface.", ["surface"]),
        ("Insert a skewer into the centre.", ["skewer"]),
        # What a command lets happen is an event of its own.
        ("Cover and leave to marinate in the fridge overnight.", ["fridge"]),
    ],
)
def test_tools_of_steps(text: str, tools: list[str]) -> None:
    assert [tool.lemma for event in read_text(text, kind=PassageKind.STEP).events for tool in event.tools] == tools


@pytest.mark.parametrize(
    "text",
    [
        "Wash the knife.",
        "Wash the pan with soap.",
        "Season the soup with salt.",
        "I painted the wall with my brother.",
        "She hid the letter in the drawer.",
        "Rub the dough with your hands.",
        "Put on a coat with a hood.",
        "I did not cut the bread with a knife.",
        "I grabbed my keys and left the house.",
        "Put the knife on the table.",
        "Put the clothes in the suitcase.",
        "I hid the key in a jar.",
        "We ate the soup on the sofa.",
        "I took my jacket and locked the door.",
        "I took a suitcase and locked the door.",
        "Use the basil to make a sauce.",
        "Use milk to thin the batter.",
        "In this case I opened the window.",
        "We saw a man with a ladder.",
        "They sang songs with the other campers.",
        "I grabbed my phone and locked the door.",
        "I took the sheets off and opened the window.",
        "Keep the screws in a bag.",
        "He locked the money in the safe.",
        "He won the race in a cap.",
    ],
)
def test_no_tools(text: str) -> None:
    assert _tools(text) == []


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Cut the bread with a knife.", "instrument"),
        ("Boil the rice in a pot.", "container"),
        ("Wash the socks in the sink.", "container"),
        ("Bake the cake in the oven.", "appliance"),
        ("Blend the soup with a blender.", "appliance"),
        ("Chop the onions on a cutting board.", "support"),
        ("Dry the apricots on a tray.", "support"),
        ("Carry the water in a bucket.", "container"),
        ("Use a bowl to mix the flour.", "container"),
        ("He shaved his chin with an electric shaver.", "appliance"),
        ("I fished the ring out with a hanger.", "instrument"),
    ],
)
def test_a_tool_has_a_role(text: str, role: str) -> None:
    assert [tool.role for event in read_text(text).events for tool in event.tools] == [role]


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
