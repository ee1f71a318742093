"""What a step leaves out and the steps before name: pronouns, objects, and the places where work goes on."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records import PassageKind, ToolRole
from tests.extractors.parses import event_words, read_text


def test_the_passage_before_is_looked_at_and_the_pronoun_keeps_its_place() -> None:
    reading = read_text("Peel the potatoes.", "Boil them.", kind=PassageKind.STEP)
    text = "Peel the potatoes.\nBoil them.\n"
    assert event_words(reading) == "peel potato; boil potato"
    [argument] = reading.events[1].participants
    assert (argument.lemma, text[argument.start : argument.end]) == ("potato", "them")
    assert text[reading.events[1].start : reading.events[1].end] == "Boil them"


def test_nothing_is_resolved_to_a_noun_of_another_document() -> None:
    assert event_words(read_text("Boil them.")) == "boil them"


def test_a_step_goes_on_in_the_vessel_of_the_step_before() -> None:
    steps = ("Heat the oil in a pan.", "Add the onions.")
    (heat, add) = read_text(*steps, kind=PassageKind.STEP).events
    (pan,) = add.tools
    assert (pan.lemma, pan.role, pan.inferred) == ("pan", ToolRole.CONTAINER, True)
    assert " ".join(steps)[pan.start : pan.end] == "pan", "its span is where it is named"
    assert add.start > pan.end, "it makes the mention no longer"
    assert not any(tool.inferred for tool in heat.tools)


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


@settings(max_examples=20, deadline=None)
@given(_STEPS)
def test_what_is_inferred_was_named_before(steps: Sequence[str]) -> None:
    text = "\n".join(steps)
    for event in read_text(*steps, kind=PassageKind.STEP).events if steps else []:
        for tool in event.tools:
            assert text[tool.start : tool.end] == tool.lemma
            assert not tool.inferred or tool.end <= event.start
        assert len({tool.lemma for tool in event.tools}) == len(event.tools)
