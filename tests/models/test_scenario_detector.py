"""The detector of scenarios: its features and its chain against plain readings, and checkpoints that do not fit."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from torch.nn import functional

from kgscripts.models.checkpoint import load_checkpoint, read_card, save_checkpoint
from kgscripts.models.registry import find_checkpoint, load
from kgscripts.models.scenarios.detector import (
    FEATURES,
    DetectorSettings,
    ScenarioDetector,
    best_chain,
    context_features,
    detected_segments,
    detector_model,
    label_scores,
    load_detector,
    runs,
)
from kgscripts.models.scenarios.list import points_of
from kgscripts.models.scenarios.protocol import NewScenario
from kgscripts.models.sentence_vectors import quantised_vectors
from schemas.errors import ModelError
from schemas.scenario_documents import NONE

SHOWER = [
    "I stood under the hot water until the mirror was white with steam.",
    "I rubbed the soap over my arms and let the foam run down.",
    "Then I reached for the towel.",
]
OPINION = ["My cousin thinks that nobody reads newspapers any more.", "He may be right about that, for once."]


def test_features_are_sums_over_the_sentences_around() -> None:
    vectors = functional.normalize(torch.randn(40, 384, generator=torch.Generator().manual_seed(0)), dim=1)
    found = torch.from_numpy(context_features(vectors.numpy()))
    assert found.shape == (40, FEATURES)
    for place in range(40):
        near, around, page = (vectors[max(0, place - reach) : place + reach + 1].sum(0) for reach in (1, 3, 15))
        plain = torch.cat([vectors[place], near / 2, around / 4, page / page.norm()])
        assert torch.allclose(found[place], plain, atol=1e-5)


@settings(max_examples=60)
@given(
    arrays.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=st.integers(-9, 9)),
    st.integers(0, 5),
)
def test_the_chain_is_the_best_of_all_sequences(scores: NDArray[np.float64], cost: int) -> None:
    def value(labels: tuple[int, ...]) -> float:
        changes = sum(one != other for one, other in itertools.pairwise(labels))
        return float(sum(scores[row, label] for row, label in enumerate(labels))) - cost * changes

    every = itertools.product(range(scores.shape[1]), repeat=len(scores))
    assert value(tuple(best_chain(scores, cost))) == max(map(value, every))


def test_segments_are_runs_of_one_label_and_none_has_no_scenario() -> None:
    assert runs([0, 0, 2, 1, 1]) == [(0, 2), (2, 3), (3, 5)]
    assert runs([]) == []
    scores = np.log(np.array([[0.8, 0.1, 0.1], [0.5, 0.4, 0.1], [0.05, 0.05, 0.9]]))
    chosen = DetectorSettings(scenarios=["a", "b"], none_bias=0.0, change_cost=0.1)
    first, last = detected_segments(scores, chosen)
    assert (first.start, first.end, first.scenarios) == (0, 2, ("a",))
    assert (last.start, last.end, last.scenarios) == (2, 3, ())
    assert last.ranking[0][0] == NONE
    assert [segment.scenarios for segment in detected_segments(scores, attrs.evolve(chosen, none_bias=9.0))] == [()]


def test_withheld_scenarios_are_none() -> None:
    scores = np.log(np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.7, 0.1, 0.1]]))
    chosen = DetectorSettings(scenarios=["a", "b", "c"], withheld=["b"], none_bias=0.0, change_cost=0.1)
    assert chosen.labels == ["a", "c", NONE]
    found = label_scores(scores, chosen)
    assert np.allclose(np.exp(found), [[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]], atol=1e-3)
    assert [segment.scenarios for segment in detected_segments(found, chosen)] == [("a",), ()]


def test_other_activities_are_none() -> None:
    scores = np.log(np.array([[0.5, 0.1, 0.3, 0.1], [0.1, 0.2, 0.6, 0.1]]))
    chosen = DetectorSettings(scenarios=["a", "b"], others=["x"], none_bias=0.0, change_cost=0.1)
    assert chosen.labels == ["a", "b", NONE]
    found = label_scores(scores, chosen)
    assert np.allclose(np.exp(found), [[0.5, 0.1, 0.4], [0.1, 0.2, 0.7]], atol=1e-3)
    assert [segment.scenarios for segment in detected_segments(found, chosen)] == [("a",), ()]


def test_below_the_floor_a_segment_has_no_scenario_and_stays_a_segment() -> None:
    scores = np.log(np.array([[0.6, 0.3, 0.1], [0.3, 0.6, 0.1], [0.05, 0.05, 0.9]]))
    chosen = DetectorSettings(scenarios=["a", "b"], none_bias=0.0, change_cost=0.1)
    plain = detected_segments(scores, chosen)
    assert [segment.scenarios for segment in plain] == [("a",), ("b",), ()]
    for floor, kept in ((0.6, plain), (0.61, [attrs.evolve(segment, scenarios=()) for segment in plain])):
        assert detected_segments(scores, attrs.evolve(chosen, floor=floor)) == kept


TYRE = [
    "I pulled over and saw that the front tyre was flat.",
    "I took the jack and the spare wheel out of the boot.",
    "I loosened the nuts and raised the car.",
    "I put on the spare and tightened the nuts.",
]


def test_an_activity_that_is_not_listed_is_none_unless_it_is_added() -> None:
    model = load("scenarios", "default")
    assert isinstance(model, ScenarioDetector)
    [found] = model.detect([TYRE])
    assert [segment.scenarios for segment in found] == [()]
    story = NewScenario("replacing a wheel", (("We had a flat, so I jacked up the car.", "I put the spare wheel on."),))
    added = model.with_scenarios([story])
    assert set(model.settings.others) - set(added.settings.others) == {"changing a car tyre"}
    [found] = added.detect([TYRE])
    assert [segment.scenarios for segment in found] == [("replacing a wheel",)]
    of_point = model.with_points([story.name], points_of([story]))
    assert of_point.settings == added.settings
    assert of_point.detect([TYRE]) == added.detect([TYRE]) == added.detect_vectors([quantised_vectors(TYRE)])


def test_what_it_knows_of_others_survives_a_checkpoint(tmp_path: Path) -> None:
    model = load("scenarios", "default")
    assert isinstance(model, ScenarioDetector)
    activities = [NewScenario("shoeing a horse", (("I held the hoof between my knees.", "I nailed on the shoe."),))]
    changed = model.with_others(activities).with_floor(0.2)
    card, _ = read_card(find_checkpoint("scenarios"))
    save_checkpoint(changed.checkpoint(card), tmp_path / "model")
    again = load_detector(tmp_path / "model")
    assert again.settings == changed.settings
    assert again.settings.others == ("shoeing a horse",)
    assert again.log_probabilities(SHOWER) == pytest.approx(changed.log_probabilities(SHOWER), abs=0.05)
    with pytest.raises(ModelError, match="no detector"):
        load_detector("topic-tiling")


def test_a_second_scenario_is_a_broader_one_that_is_probable_enough() -> None:
    scores = np.log(np.array([[0.6, 0.05, 0.15, 0.2]]))
    chosen = DetectorSettings(scenarios=["shopping for clothes", "going shopping", "a"], none_bias=0.0)
    [found] = detected_segments(scores, chosen)
    assert [label for label, _ in found.ranking] == ["shopping for clothes", "going shopping", NONE, "a"]
    assert found.scenarios == ("shopping for clothes",)
    assert sum(share for _, share in found.ranking) == pytest.approx(1, abs=1e-3)
    [both] = detected_segments(scores, attrs.evolve(chosen, second_share=0.08))
    assert both.scenarios == ("shopping for clothes", "going shopping")


def test_the_shipped_model_finds_a_shower_and_an_opinion() -> None:
    model = load("scenarios", "default")
    assert isinstance(model, ScenarioDetector)
    [found, nothing] = model.detect([[*OPINION, *SHOWER, *OPINION], []])
    assert nothing == []
    assert [end for segment in found for end in range(segment.start, segment.end)] == list(range(7))
    of_sentence = [segment.scenarios for segment in found for _ in range(segment.start, segment.end)]
    assert "taking a shower" in of_sentence[3]
    assert of_sentence[0] == ()
    assert all(len(segment.ranking) == 5 for segment in found)
    [[labelled]] = model.label([SHOWER], [[(0, 3)]])
    assert labelled.ranking[0][0] == "taking a shower"
    assert model.detect([SHOWER]) == model.detect([OPINION, SHOWER])[1:]


def _settings(**changes: Any) -> dict[str, Any]:
    return {**load_checkpoint(find_checkpoint("scenarios")).settings, **changes}


@pytest.mark.parametrize(
    "changes",
    [
        {"scenarios": []},
        {"scenarios": ["a", "a"]},
        {"scenarios": ["a", NONE]},
        {"scenarios": [1, 2]},
        {"scenarios": ["one too few"]},
        {"withheld": ["unknown"]},
        {"none_bias": float("nan")},
        {"none_bias": "much"},
        {"change_cost": -1.0},
        {"change_cost": float("inf")},
        {"second_share": 2.0},
        {"floor": 1.5},
        {"others": ["one too few"]},
        {"encoder_sha256": "0" * 64},
        {"unknown": 1},
    ],
)
def test_settings_that_do_not_fit_are_an_error(changes: dict[str, Any]) -> None:
    shipped = load_checkpoint(find_checkpoint("scenarios"))
    with pytest.raises(ModelError) as caught:
        detector_model(attrs.evolve(shipped, settings=_settings(**changes)))
    assert caught.value.remedy


@pytest.mark.parametrize(
    "tensors",
    [
        {"weight": None},
        {"bias": None},
        {"centres": None},
        {"weight": torch.zeros(201, 3)},
        {"weight": torch.zeros(7, FEATURES), "bias": torch.zeros(7)},
        {"weight": torch.full((270, FEATURES), float("nan"))},
        {"bias": torch.zeros(200)},
        {"centres": torch.zeros(199, 384)},
        {"centres": torch.full((200, 384), float("inf"))},
        {"others": None},
        {"others": torch.zeros(3, 384)},
    ],
)
def test_weights_that_do_not_fit_are_an_error(tensors: dict[str, torch.Tensor | None]) -> None:
    shipped = load_checkpoint(find_checkpoint("scenarios"))
    together = {name: value for name, value in {**shipped.as_torch(), **tensors}.items() if value is not None}
    with pytest.raises(ModelError):
        detector_model(attrs.evolve(shipped, tensors=together))
