"""Candidates of state changes: their probabilities by hand, and what the verbs of a step add."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgscripts.extractors.changes.change_candidates import Candidate, candidates_of, key_of
from kgscripts.extractors.changes.words import normalised
from schemas.changes import Change, PredictedChange
from schemas.records import Action, Argument, EventMention, Role

Parts = tuple[str, str, str, str]

STEP = "Put the pot on the stove."


def _change(parts: Parts) -> Change:
    entity, attribute, before, after = parts
    return Change(entity=entity, attribute=attribute, before=before, after=after)


def _predicted(*parts: str, odds: float) -> PredictedChange:
    entity, attribute, before, after = parts
    logarithm = math.log(odds) if odds else -math.inf
    return PredictedChange(change=_change((entity, attribute, before, after)), log_probability=logarithm)


def _mention(
    text: str, predicate: str, thing: str, place: str = "", particle: str = "", start: int = 0
) -> EventMention:
    """An event that is the whole text, with the object and the place that it names."""
    nouns = [(thing, Role.PATIENT), (place, Role.PLACE)]
    return EventMention(
        action=Action(predicate=predicate, object=thing, particle=particle),
        start=start,
        end=start + len(text),
        participants=[
            Argument(lemma=noun, role=role, start=start + text.index(noun), end=start + text.index(noun) + len(noun))
            for noun, role in nouns
            if noun
        ],
    )


def _candidates(
    *predictions: PredictedChange,
    mentions: Sequence[EventMention] = (),
    text: str = STEP,
    places: dict[str, tuple[str, str]] | None = None,
) -> dict[tuple[str, str], Candidate]:
    found = candidates_of(predictions, mentions, text, 0, {} if places is None else places)
    by_key = {item.key: item for item in found}
    assert len(by_key) == len(found)
    return by_key


PREDICTIONS = (
    _predicted("pot", "location", "", "in the sink", odds=0.5),
    _predicted("the pots", "position", "on the table", "on the stove", odds=0.4),
    _predicted("big pot", "wetness", "dry", "wet", odds=0.2),
    _predicted("stove", "temperature", "cold", "hot", odds=0.1),
)


def test_probabilities_of_pairs_and_entities_by_hand() -> None:
    found = _candidates(*PREDICTIONS)
    assert list(found) == [("pot", "location"), ("pot", "wetness"), ("stove", "temperature")]
    place, wet, hot = found.values()
    assert place.change == _change(("pot", "location", "", "in sink"))
    assert (place.of_pair, wet.of_pair, hot.of_pair) == pytest.approx((1 - 0.5 * 0.6, 0.2, 0.1))
    assert (place.of_entity, wet.of_entity, hot.of_entity) == pytest.approx((1 - 0.5 * 0.6 * 0.8,) * 2 + (0.1,))
    assert (place.of_value, wet.of_value, hot.of_value) == pytest.approx((0.5 / 0.9, 1, 1))
    assert all(item.line is None and item.mention is None for item in found.values())


def test_the_value_with_the_highest_sum_is_taken_with_its_most_probable_value_before() -> None:
    found = _candidates(
        _predicted("pot", "wetness", "damp", "dry", odds=0.4),
        _predicted("pot", "moisture", "hot", "wet", odds=0.3),
        _predicted("pot", "wetness", "dry", "soaked", odds=0.2),
    )
    (candidate,) = found.values()
    assert candidate.change == _change(("pot", "wetness", "hot", "wet"))
    assert candidate.of_value == pytest.approx(0.5 / 0.9)
    assert candidate.of_pair == pytest.approx(1 - 0.6 * 0.7 * 0.8)


def test_what_is_no_change_is_no_candidate() -> None:
    nothing = [("it", "wetness", "dry", "wet"), ("pot", "wetness", "wet", "wet"), ("pot", "wetness", "dry", "")]
    assert _candidates(*(_predicted(*parts, odds=0.9) for parts in nothing)) == {}


def test_verbs_say_which_value_it_is_and_the_model_how_probable_it_is() -> None:
    mention = _mention(STEP, "put", "pot", "stove")
    found = _candidates(*PREDICTIONS, mentions=[mention])
    place = found["pot", "location"]
    assert place.change == _change(("pot", "location", "on table", "on stove"))
    assert (place.of_pair, place.of_value) == pytest.approx((1 - 0.5 * 0.6, 0.4 / 0.9))
    assert place.line is not None
    assert (place.line.after, place.mention) == ("{where}", mention)
    assert found["pot", "wetness"].line is None
    by_verb = [item.line is not None for item in found.values()]
    assert by_verb == sorted(by_verb, reverse=True), "those of verbs come first"


def test_what_the_model_does_not_consider_has_no_probability() -> None:
    place = _candidates(mentions=[_mention(STEP, "put", "pot", "stove")])["pot", "location"]
    assert place.change == _change(("pot", "location", "", "on stove"))
    assert (place.of_pair, place.of_entity, place.of_value) == (0, 0, 0)
    other = _candidates(PREDICTIONS[2], mentions=[_mention(STEP, "put", "pot", "stove")])["pot", "location"]
    assert (other.of_pair, other.of_entity, other.of_value) == pytest.approx((0, 0.2, 0))


def test_of_two_verbs_the_first_one_counts() -> None:
    text = "wash the pot dry the pot"
    first, second = (_mention(text, verb, "pot") for verb in ("wash", "dry"))
    found = _candidates(mentions=[first, second], text=text)
    assert found["pot", "wetness"].change.after == "wet"
    assert found["pot", "wetness"].mention is first
    assert _candidates(mentions=[second, first], text=text)["pot", "wetness"].change.after == "dry"


def test_places_to_which_steps_bring_things_are_kept() -> None:
    places: dict[str, tuple[str, str]] = {"cup": ("in", "box")}
    _candidates(mentions=[_mention(STEP, "put", "pot", "stove")], places=places)
    assert places == {"cup": ("in", "box"), "pot": ("on", "stove")}
    taken = _candidates(mentions=[_mention("take the pot", "take", "pot")], text="take the pot", places=places)
    assert taken["pot", "location"].change == _change(("pot", "location", "on stove", "off stove"))


def test_a_thing_that_is_taken_away_is_not_there_any_more() -> None:
    places: dict[str, tuple[str, str]] = {"pot": ("on", "stove")}
    _candidates(mentions=[_mention("take the pot", "take", "pot")], text="take the pot", places=places)
    assert places == {}


def test_the_characters_of_a_step_are_those_of_the_document() -> None:
    text = f"Wait.\n{STEP}"
    mention = _mention(STEP, "put", "pot", "stove", start=text.index(STEP))
    found = candidates_of([], [mention], STEP, text.index(STEP), {})
    assert found == candidates_of([], [mention], STEP, mention.start, {})
    assert "on stove" in {item.change.after for item in found}


_WORDS = st.text(max_size=10) | st.sampled_from(["pot", "the pots", "wetness", "moisture", "wet", "soaked", "dry"])


@given(st.lists(st.tuples(_WORDS, _WORDS, _WORDS, _WORDS, st.floats(0, 1)), max_size=8))
@example([("pot", "wetness", "dry", "wet", 1.0), ("pot", "wetness", "dry", "wet", 1.0)])
@example([("pot", "wetness", "dry", "wet", 0.0)])
def test_probabilities_are_probabilities(rows: list[tuple[str, str, str, str, float]]) -> None:
    predictions = [_predicted(entity or "x", *rest, odds=odds) for entity, *rest, odds in rows]
    for with_verbs in (False, True):
        mentions = [_mention(STEP, "put", "pot", "stove")] if with_verbs else []
        found = candidates_of(predictions, mentions, STEP, 0, {})
        keys = {key_of(change) for item in predictions if (change := normalised(item.change)) is not None}
        assert keys <= {item.key for item in found}
        assert with_verbs or keys == {item.key for item in found}
        assert len({item.key for item in found}) == len(found)
        for item in found:
            assert 0 <= item.of_pair <= item.of_entity + 1e-9 <= 1 + 1e-9
            assert -1e-9 <= item.of_value <= 1 + 1e-9
            assert item.change.before != item.change.after
