"""Tools that a step does not name, since one before does."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.events.events import EventExtractor
from kgscripts.extractors.protocol import ParsedDocument
from schemas.records import Document, EventMention, PassageKind, ToolRole
from tests.extractors.parses import Found, read_text


def _inferred(found: Found) -> list[str]:
    """The events that have an inferred tool, with it."""
    marked = [(event, [tool.lemma for tool in event.tools if tool.inferred]) for event in found.events]
    return [f"{event.action.label} +{'+'.join(tools)}" for event, tools in marked if tools]


@pytest.mark.parametrize(
    ("text", "inferred"),
    [
        ("Heat the oil in a pan. Add the onions. Stir.", ["add onion +pan", "stir +pan"]),
        ("Put the beans in a pot. Cover with water and simmer.", ["cover +pot", "simmer +pot"]),
        ("Beat the eggs in a bowl. Stir in the flour. Mix well.", ["stir in flour +bowl", "mix +bowl"]),
        ("Heat the butter in a frying pan. Fry the onions.", ["fry onion +frying pan"]),
        ("Grab a large bowl and sift in the flour, then add the salt.", ["add salt +bowl"]),
        ("Put the potatoes on a baking sheet. Bake for ten minutes.", ["bake +baking sheet"]),
        ("Preheat the oven. Pour the batter into a tin. Bake until golden.", ["bake +tin+oven"]),
        ("Put the fruit in a blender. Blend until smooth.", ["blend +blender"]),
        # What is taken from the heat stays in its pan.
        ("Melt the butter in a pan. Remove from the heat. Add the sugar.", ["add sugar +pan"]),
        ("Boil the milk in a pan. Remove the pan from the heat. Add the tea.", ["add tea +pan"]),
        # It ends when the thing is taken out, poured off or put elsewhere.
        ("Cook the pasta in a pot. Drain it. Add the sauce.", []),
        ("Fry the meat in a pan. Transfer to a plate. Add the onions.", []),
        ("Fry the meat in a pan. Remove the meat. Season with salt.", []),
        ("Mix the dough in a bowl. Roll out the dough. Sprinkle with sugar.", []),
        ("Beat the eggs in a bowl. Heat the oil in a pan. Add the onions.", ["add onion +pan"]),
        ("Whisk the eggs in a bowl. In another bowl, mix the flour and the sugar. Mix the eggs.", []),
        # Other work is done elsewhere.
        ("Heat the oil in a pan. Chop the onions. Peel the garlic. Preheat the grill.", []),
        ("Heat the oil in a pan. Meanwhile, stir the sauce.", []),
        ("Heat the oil in a pan. For the dressing, add the lemon juice to the yoghurt.", []),
        ("Mix the flour in a bowl. Melt the chocolate. Stir.", []),
        ("Grease a baking tin. Melt the butter over low heat. Add the cocoa and stir.", []),
        ("Heat the oil in a pan. Turn off the heat. Reduce the heat.", []),
        ("Stir the soup in the pan. Put the lid on. Turn on the radio.", []),
        ("Stick the swab in the cartridge. Turn the swab to the dry side.", []),
        # A measure is no place, and what a Dutch oven bakes is not in an oven.
        ("Whisk in 1/2 cup of cream. Add the milk.", []),
        ("Cover the Dutch oven. Bake for an hour.", []),
        # Not named, so that nothing can be inferred.
        ("Add the onions. Stir. Simmer for ten minutes.", []),
    ],
)
def test_inferred_tools(text: str, inferred: list[str]) -> None:
    assert _inferred(read_text(text, kind=PassageKind.STEP)) == inferred


def test_stories_have_inferred_tools_too() -> None:
    text = "I heated the oil in a pan. Then I added the onions. I turned on the radio and stirred the onions."
    assert _inferred(read_text(text)) == ["add onion +pan", "stir onion +pan"]


def test_a_step_goes_on_in_the_vessel_of_the_step_before() -> None:
    steps = ("Heat the oil in a pan.", "Add the onions.")
    (heat, add) = read_text(*steps, kind=PassageKind.STEP).events
    (pan,) = add.tools
    assert (pan.lemma, pan.role, pan.inferred) == ("pan", ToolRole.CONTAINER, True)
    assert " ".join(steps)[pan.start : pan.end] == "pan", "its span is where it is named"
    assert add.start > pan.end, "it makes the mention no longer"
    assert not any(tool.inferred for tool in heat.tools)


def test_a_vessel_is_not_carried_far() -> None:
    text = "Heat the oil in a pan. " + " ".join(f"Add the {thing}." for thing in _THINGS)
    assert _inferred(read_text(text, kind=PassageKind.STEP)) == [f"add {thing} +pan" for thing in _THINGS[:6]]


_THINGS = ("onion", "garlic", "rice", "wine", "stock", "saffron", "cheese", "butter")


def test_the_sides_of_a_pair_have_none() -> None:
    for kind in (PassageKind.ABSTRACT, PassageKind.CONCRETE):
        assert _inferred(read_text("Heat the oil in a pan. Add the onions.", kind=kind)) == []


def test_a_section_begins_anew() -> None:
    steps = ("1. Heat the oil in a pan.", "2. Add the onions.", "", "## The crust", "", "1. Add the flour.")
    page = "\n".join(["# Pie", "", "## The filling", "", *steps, ""])
    (document,) = documents_from_strings([page])
    assert isinstance(document, Document)
    (parses,) = parse_documents([document], None)
    found = Found(EventExtractor().read([ParsedDocument(document, tuple(parses))])[0])
    assert _inferred(found) == ["add onion +pan"]


_STEPS = st.lists(
    st.sampled_from(
        [
            "Heat the oil in a pan.",
            "Put the flour in a bowl.",
            "Add the onions.",
            "Stir.",
            "Drain the pasta.",
            "Bake for ten minutes.",
            "Preheat the oven.",
            "Transfer to a plate.",
            "Chop the carrots.",
        ]
    ),
    max_size=8,
)


@settings(max_examples=40, deadline=None)
@given(_STEPS)
def test_what_is_inferred_was_named_before_and_named_tools_stay(steps: Sequence[str]) -> None:
    """Each inferred tool is named earlier in the text; without the inferred ones, the events are those of each step by
    itself."""
    text = "\n".join(steps)
    events = read_text(*steps, kind=PassageKind.STEP).events if steps else []
    for event in events:
        for tool in event.tools:
            assert text[tool.start : tool.end] == tool.lemma
            assert not tool.inferred or tool.end <= event.start
        assert len({tool.lemma for tool in event.tools}) == len(event.tools)
    alone = [event for step in steps for event in read_text(step, kind=PassageKind.STEP).events]
    assert [_named(event) for event in events] == [_named(event) for event in alone]


def _named(event: EventMention) -> tuple[str, list[str]]:
    return event.action.label, [tool.lemma for tool in event.tools if not tool.inferred]
