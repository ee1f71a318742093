"""Which predicted state changes of a text are read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.extractors.change_trust import (
    LEAST_EARLIER,
    LEAST_LOG_PROBABILITY,
    LEAST_OF_PRESUPPOSED,
    trusted,
)
from kgscripts.extractors.change_wording import Wording
from schemas.changes import Change, PredictedChange, ProcedureStep

_SURE = -0.1

Parts = tuple[str, str, str, str]


def _predicted(parts: Parts, log_probability: float = _SURE) -> PredictedChange:
    entity, attribute, before, after = parts
    change = Change(entity=entity, attribute=attribute, before=before, after=after)
    return PredictedChange(change=change, log_probability=log_probability)


def _read(*steps: tuple[str, Sequence[PredictedChange]]) -> list[list[Parts]]:
    found = trusted([ProcedureStep(text=text) for text, _ in steps], [predicted for _, predicted in steps])
    return [
        [(item.change.entity, item.change.attribute, item.change.before, item.change.after) for item in own]
        for own in found
    ]


@pytest.mark.parametrize(
    ("step", "parts"),
    [
        ("Mix oil and vinegar.", ("oil", "wetness", "dry", "wet")),
        ("Bake it for forty minutes.", ("minute", "temperature", "cold", "hot")),
        ("Put the clean shirt on.", ("shirt", "cleanness", "dirty", "clean")),
        ("Dry the dog.", ("dog", "moisture", "dry", "wet")),
        ("Switch the lamp off.", ("lamp", "power", "off", "on")),
        ("Roughen the rubber.", ("rubber", "texture", "rough", "smooth")),
        ("Unfold the board.", ("board", "shape", "flat", "folded")),
        ("Put the pot away.", ("pot", "location", "on table", "in sink")),
        ("Swallow some water.", ("water", "location", "in cup", "in water")),
        ("Take the shirts out of the drum.", ("shirt", "location", "in basket", "in drum")),
        ("Scrape the wax off the base.", ("wax", "location", "in lantern", "on base")),
        ("Tip the water out of the saucers.", ("saucer", "moisture", "dry", "wet")),
        ("Scrape the algae off the glass.", ("glass", "cleanness", "clean", "dirty")),
        ("Change the plaster when it gets wet.", ("plaster", "moisture", "dry", "wet")),
        ("If the skin is red, see a doctor.", ("skin", "colour", "pale", "purple")),
        ("Rub jelly on the edges so they do not dry out.", ("edge", "moisture", "wet", "dry")),
    ],
)
def test_what_the_step_speaks_against(step: str, parts: Parts) -> None:
    assert Wording(step).speaks_against(_predicted(parts).change)
    assert _read((step, [_predicted(parts)])) == [[]]


@pytest.mark.parametrize(
    ("step", "parts"),
    [
        ("Wash the dirty dog.", ("dog", "cleanness", "dirty", "clean")),
        ("Dry the dog.", ("dog", "moisture", "wet", "dry")),
        ("Switch the lamp on.", ("lamp", "power", "off", "on")),
        ("Tighten the nuts.", ("nut", "state", "loose", "tight")),
        ("Unlock the door.", ("door", "state", "locked", "unlocked")),
        ("Put the pot into the sink.", ("pot", "location", "", "in sink")),
        ("Take the cup off the shelf and put it on the table.", ("cup", "location", "on shelf", "on table")),
        ("Lift the shirt out of the drum and put it back into the drum.", ("shirt", "location", "", "in drum")),
        ("Take the lid off the pot.", ("lid", "location", "on pot", "off pot")),
        ("Hose the mud off the car.", ("car", "cleanness", "dirty", "clean")),
        ("When the kettle whistles, pour the water into a cup.", ("water", "location", "in kettle", "in cup")),
        ("Stir the mixture until it is smooth.", ("mixture", "texture", "lumpy", "smooth")),
        ("Do not wait, dry the dog.", ("dog", "moisture", "wet", "dry")),
    ],
)
def test_what_the_step_does_not_speak_against(step: str, parts: Parts) -> None:
    assert _read((step, [_predicted(parts)])) == [[parts]]


@pytest.mark.parametrize(
    ("entity", "log_probability", "is_read"),
    [
        ("pots", LEAST_LOG_PROBABILITY, True),
        ("pots", LEAST_LOG_PROBABILITY - 0.01, False),
        ("sponge", LEAST_OF_PRESUPPOSED, True),
        ("sponge", LEAST_OF_PRESUPPOSED - 0.01, False),
    ],
)
def test_what_is_probable_enough(entity: str, log_probability: float, is_read: bool) -> None:
    predicted = _predicted((entity, "cleanness", "dirty", "clean"), log_probability)
    assert bool(_read(("Wash the pot.", [predicted]))[0]) == is_read


def test_of_an_attribute_the_most_probable_value_that_the_step_allows_is_read() -> None:
    predictions = [
        _predicted(("pot", "location", "", "in sink"), -0.3),
        _predicted(("pot", "location", "", "on stove"), -0.2),
        _predicted(("pot", "location", "", "in cupboard"), -0.1),
        _predicted(("pot", "moisture", "dry", "wet"), -0.5),
        _predicted(("pot", "wetness", "wet", "dry"), -0.4),
    ]
    assert _read(("Take the pot from the sink and put it on the stove.", predictions)) == [
        [("pot", "location", "", "on stove"), ("pot", "wetness", "wet", "dry")]
    ]


def test_what_an_earlier_step_may_have_brought_about_is_no_change() -> None:
    wet = ("dog", "wetness", "dry", "wet")
    dry = ("dog", "moisture", "wet", "dry")
    state = ("big dog", "state", "dry", "wet")
    perhaps = _predicted(wet, LEAST_EARLIER)
    hardly = _predicted(wet, LEAST_EARLIER - 0.01)
    assert _read(("Spray the dog.", [perhaps]), ("Rinse the big dog.", [_predicted(state)])) == [[], []]
    assert _read(("Spray the dog.", [hardly]), ("Rinse the big dog.", [_predicted(state)])) == [[], [state]]
    both = _read(
        ("Spray the dog.", [_predicted(wet)]), ("Dry the dog.", [_predicted(dry)]), ("Spray it.", [_predicted(wet)])
    )
    assert both == [[wet], [dry], [wet]]
    assert _read(("Spray the cat.", [_predicted(("cat", *wet[1:]))]), ("Spray the dog.", [_predicted(wet)]))[1] == [wet]


def test_a_place_that_the_text_does_not_mention_is_no_value_before() -> None:
    steps = [
        ProcedureStep(text="Put the cup into the sink.", context=("Clear the table.",)),
        ProcedureStep(text="Put the pan into the sink."),
    ]
    predictions = [[_predicted((thing, "location", "on table", "in sink"))] for thing in ("cup", "pan")]
    (first,), (second,) = trusted(steps, predictions)
    assert (first.change.before, second.change.before) == ("on table", "")


@given(
    st.text(max_size=60),
    st.lists(st.tuples(*[st.text(max_size=12)] * 4, st.floats(max_value=0.0)), max_size=6),
)
@settings(max_examples=60)
def test_what_is_read_was_predicted(text: str, rows: list[tuple[str, str, str, str, float]]) -> None:
    predictions = [_predicted((entity or "x", *rest), log) for entity, *rest, log in rows]  # type: ignore[arg-type]
    step = ProcedureStep(text=text or "x")
    once, again = trusted([step, step], [predictions, predictions])
    logs = [item.log_probability for item in once]
    assert logs == sorted(logs, reverse=True)
    assert set(logs) <= {item.log_probability for item in predictions}
    assert all(item.log_probability >= min(LEAST_LOG_PROBABILITY, LEAST_OF_PRESUPPOSED) for item in (*once, *again))
