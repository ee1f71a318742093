"""How probable a candidate is: features and probabilities by hand, levels, and the weights that ship."""

from __future__ import annotations

import json
import math
import re
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.changes.attributes import attributes
from kgscripts.changes.verbs import VerbChange, verb_changes
from kgscripts.extractors.changes.change_candidates import Candidate
from kgscripts.extractors.changes.change_ratings import (
    FILE,
    LEAST,
    RatingWeights,
    features_of,
    level_of,
    ratings_digest,
    read_ratings,
    shipped_ratings,
)
from kgscripts.extractors.changes.change_wording import Wording
from schemas.changes import Change, Level
from tests.changes.test_verbs import lines

WET = Change(entity="pot", attribute="wetness", before="dry", after="wet")


def _candidate(
    change: Change = WET,
    line: VerbChange | None = None,
    of_pair: float = 0.5,
    of_entity: float = 0.6,
    of_value: float = 0.25,
) -> Candidate:
    return Candidate(change, of_pair=of_pair, of_entity=of_entity, of_value=of_value, line=line)


def _line(verb: str, attribute: str) -> VerbChange:
    return next(line for line in verb_changes(verb, "", "thing") if line.attribute == attribute)


def test_probabilities_by_hand() -> None:
    weights = RatingWeights(-1.0, {"pair": 2.0, "verb": 0.5})
    assert weights.probability({}) == round(1 / (1 + math.e), 4)
    assert weights.probability({"pair": 0.5}) == 0.5
    assert weights.probability({"pair": 0.75, "verb": 1.0, "other": 9.0}) == round(1 / (1 + math.exp(-1)), 4)


@pytest.mark.parametrize(("constant", "expected"), [(800.0, 1.0), (-700.0, 0.0)])
def test_large_weights_give_probabilities_too(constant: float, expected: float) -> None:
    assert RatingWeights(constant, {}).probability({}) == expected


def test_features_of_what_the_model_says() -> None:
    found = features_of(_candidate(), Wording("Spray the pots."), earlier=0.25, is_mentioned=True)
    assert found == {
        "pair": 0.5,
        "log pair": pytest.approx(math.log(0.503)),
        "log entity": pytest.approx(math.log(0.603)),
        "log value": pytest.approx(math.log(0.253)),
        "earlier": 0.25,
        "in step": 1,
        "in text": 1,
        "person": 0,
        "contradicted": 0,
        "value said": 0,
        "no value before": 0,
        "wetness": 1,
        "wetness, after: wet": 1,
    }


def test_features_of_what_a_verb_says() -> None:
    line = _line("spray", "wetness")
    found = features_of(_candidate(line=line), Wording("Spray it."), earlier=0, is_mentioned=False)
    own = {name: value for name, value in found.items() if name.startswith("verb") or name == line.name}
    assert own == {
        "verb": 1,
        "verb, pair": 0.5,
        "verb, log pair": pytest.approx(math.log(0.503)),
        "verb, of value": 0.25,
        "verb, wetness": 1,
        "wetting: wetness of object: wet": 1,
    }
    assert (found["in step"], found["in text"]) == (0, 0)
    assert "wetness, after: wet" not in found


@pytest.mark.parametrize(
    ("change", "step", "name"),
    [
        (Change(entity="person", attribute="posture", before="standing", after="sitting"), "Sit down.", "person"),
        (WET, "Dry the pot.", "contradicted"),
        (WET, "Make the pot wet.", "value said"),
        (Change(entity="pot", attribute="location", before="on table", after="in sink"), "To the sinks!", "value said"),
        (Change(entity="pot", attribute="wetness", after="wet"), "Spray the pot.", "no value before"),
    ],
)
def test_what_speaks_for_and_against(change: Change, step: str, name: str) -> None:
    names = {"person", "contradicted", "value said", "no value before"}
    found = features_of(_candidate(change), Wording(step), earlier=0, is_mentioned=True)
    assert found[name] == 1
    assert "person" in found
    usual = features_of(_candidate(), Wording("Spray the pot."), earlier=0, is_mentioned=True)
    assert {usual[each] for each in names} == {0}


def test_what_the_model_does_not_consider_has_finite_features() -> None:
    candidate = _candidate(line=_line("spray", "wetness"), of_pair=0, of_entity=0, of_value=0)
    found = features_of(candidate, Wording(""), earlier=0, is_mentioned=False)
    assert all(map(math.isfinite, found.values()))
    assert found["log value"] == 0
    assert found["log pair"] == found["log entity"] == found["verb, log pair"] < -5


@pytest.mark.parametrize(
    ("probability", "level"),
    [(1, "certain"), (0.8, "certain"), (0.7999, "likely"), (0.4, "likely"), (0.3999, None), (0, None)],
)
def test_levels(probability: float, level: str | None) -> None:
    assert level_of(probability, {Level.CERTAIN: 0.8, Level.LIKELY: 0.4}) == level


def test_certain_changes_are_more_probable_than_likely_ones() -> None:
    assert list(LEAST) == list(Level)
    assert 1 > LEAST[Level.CERTAIN] > LEAST[Level.LIKELY] > 0


@given(st.floats(-9, 9), st.dictionaries(st.text(max_size=9), st.floats(-9, 9), max_size=4))
def test_weights_are_read_as_they_were_written(constant: float, features: dict[str, float]) -> None:
    weights = RatingWeights(constant, features)
    text = weights.to_json({"data": "none", "candidates": 3})
    assert read_ratings(text) == weights
    assert json.loads(text)["candidates"] == 3


@given(st.floats(-20, 20), st.floats(0, 1), st.floats(0, 5))
def test_what_speaks_for_a_change_makes_it_no_less_probable(constant: float, value: float, weight: float) -> None:
    weights = RatingWeights(constant, {"pair": weight})
    assert 0 <= weights.probability({"pair": 0}) <= weights.probability({"pair": value}) <= 1


_GENERAL = {"pair", "log pair", "log entity", "log value", "earlier", "in step", "in text", "person", "contradicted"}
_GENERAL |= {"value said", "no value before", "verb", "verb, pair", "verb, log pair", "verb, of value"}


def test_the_weights_that_ship_are_of_features_that_candidates_have() -> None:
    of_lines = {line.name for line in lines()}
    for name in shipped_ratings().features.keys() - _GENERAL - of_lines:
        attribute = name.removeprefix("verb, ").partition(", after: ")[0]
        assert ":" not in attribute, f"{name} is no line of the table of verbs any more"


def test_the_weights_that_ship_know_all_general_features_and_prefer_what_the_model_says() -> None:
    weights = shipped_ratings()
    assert set(weights.features) >= _GENERAL - {"person"}
    assert math.isfinite(weights.constant)
    assert all(map(math.isfinite, weights.features.values()))
    low, high = (
        weights.probability(
            features_of(_candidate(of_pair=odds), Wording("Spray the pot."), earlier=0, is_mentioned=True)
        )
        for odds in (0.05, 0.95)
    )
    assert low < LEAST[Level.LIKELY] < high
    assert weights.features["contradicted"] < 0 < weights.features["log pair"]


def test_attributes_that_have_a_weight_are_mostly_in_the_vocabulary() -> None:
    with_weights = {name.removeprefix("verb, ") for name in shipped_ratings().features if name.startswith("verb, ")}
    assert with_weights - {"pair", "log pair", "of value"} <= set(attributes())


def test_the_version_of_the_weights_is_that_of_their_file() -> None:
    text = (resources.files("kgscripts.extractors") / "data" / FILE).read_text(encoding="utf-8")
    assert read_ratings(text) == shipped_ratings()
    assert re.fullmatch("[0-9a-f]{64}", ratings_digest())
    content = json.loads(text)
    assert content["candidates"] > 1_000
    assert re.fullmatch("[0-9a-f]{64}", content["model"])
    assert list(content["features"]) == sorted(content["features"])
