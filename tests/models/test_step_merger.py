"""Steps merged by meaning: features and clusters against plain readings, bounded scenarios, and bad checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import combinations, product
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.registry import find_checkpoint, load
from kgscripts.models.sentence_vectors import SIZE
from kgscripts.models.steps import merger as step_merger
from kgscripts.models.steps.clusters import by_first_member, clusters_of, together
from kgscripts.models.steps.contexts import FEATURES, ActionParts, StepContexts, pair_features, words_of
from kgscripts.models.steps.merger import StepMerger, merger_model
from schemas.errors import ModelError


def _step(words: str) -> ActionParts:
    verb, _, rest = words.partition(" ")
    noun, _, place = rest.partition(" in ")
    return (verb, "", noun, "in" if place else "", place)


def _texts(*texts: str) -> list[list[ActionParts]]:
    return [[_step(words) for words in text.split(", ")] for text in texts]


COFFEE = _texts(
    "fill kettle, boil water, put coffee in filter, pour water, drink coffee",
    "fill kettle, heat water, put coffee in filter, pour water, drink coffee",
    "fill pot, boil water, put powder in filter, pour water, enjoy coffee",
    "boil water, put coffee in filter, add water, drink cup",
)


def _random_vectors(texts: Sequence[str]) -> NDArray[np.int8]:
    """Vectors that depend on the text alone."""
    rows = [np.random.default_rng(list(text.encode())).normal(size=SIZE) for text in texts]
    return np.stack([(row / np.linalg.norm(row) * 400).round().clip(-127, 127).astype(np.int8) for row in rows])


def test_contexts_are_means_over_the_mentions_of_an_action() -> None:
    contexts = StepContexts.of(COFFEE, _random_vectors)
    row = contexts.actions.index(("boil", "", "water", "", ""))

    def mean(*texts: str) -> NDArray[np.float64]:
        units = _random_vectors(texts).astype(float)
        total = (units / np.linalg.norm(units, axis=1, keepdims=True)).mean(axis=0)
        return np.asarray(total / np.linalg.norm(total))

    np.testing.assert_allclose(contexts.vectors[row], mean("boil water"))
    np.testing.assert_allclose(contexts.before[row], mean("fill kettle", "fill pot"))
    np.testing.assert_allclose(contexts.after[row], mean("put coffee in filter", "put powder in filter"))
    assert contexts.positions[row] == pytest.approx((1 / 4 + 1 / 4 + 0) / 3)
    assert contexts.mentions[row] == 3
    assert contexts.presence[row].tolist() == [1, 0, 1, 1]


def test_features_of_a_pair_are_the_same_in_both_directions_and_in_any_block() -> None:
    contexts = StepContexts.of(COFFEE, _random_vectors)
    every = np.arange(len(contexts.actions))
    found = pair_features(contexts, every, every)
    assert found.shape == (len(every), len(every), FEATURES)
    np.testing.assert_allclose(found, found.transpose(1, 0, 2), atol=1e-6)
    for row, column in product(every, every):
        np.testing.assert_allclose(
            pair_features(contexts, np.array([row]), np.array([column]))[0, 0], found[row, column], atol=1e-6
        )
    assert np.isfinite(found).all()


_PROBABILITIES = st.integers(1, 9).flatmap(
    lambda size: arrays.arrays(np.float64, (size, size), elements=st.floats(0, 1, width=16))
)


@settings(max_examples=80)
@given(_PROBABILITIES, st.randoms())
def test_no_single_action_would_fit_another_cluster_better(probabilities: NDArray[np.float64], draw: Any) -> None:
    pairs = (probabilities + probabilities.T) / 2
    weights = np.array([draw.choice([1.0, 2.0]) for _ in pairs])
    # Each in a text of its own, so that nothing forbids to join them.
    found = clusters_of(pairs, weights, np.eye(len(pairs)) > 0, first=0.2, least=0.25)
    assert found.tolist() == by_first_member(found).tolist()
    gains = (pairs - 0.25) * weights
    np.fill_diagonal(gains, 0)
    for action, own in enumerate(found):
        fits = {number: gains[action][found == number].sum() for number in found}
        assert fits[own] >= max(fits.values()) - 1e-6
        assert fits[own] > 0 or (found == own).sum() == 1 or max(fits.values()) <= 1e-6


def test_what_is_told_together_is_never_joined() -> None:
    presence = np.array([[1, 1, 1, 1, 1, 0], [1, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 1]])
    pairs = np.full((3, 3), 0.9)
    found = clusters_of(pairs, np.ones(3), presence > 0, first=0.2, least=0.25)
    assert found[0] != found[1]
    assert together(np.array([4.0]), np.array([5.0]))[0]
    assert clusters_of(pairs, np.ones(3), np.eye(3) > 0, first=0.2, least=0.25).tolist() == [0, 0, 0]


def _merged(texts: Sequence[Sequence[ActionParts]], model: StepMerger) -> list[set[str]]:
    return [{words_of(action) for action in group.actions} for group in model.merge(texts)]


def test_the_shipped_model_merges_paraphrases_and_keeps_steps_apart() -> None:
    model = load("steps", "default")
    found = _merged(COFFEE, model)
    assert any({"boil water", "heat water"} <= group for group in found)
    for group in found:
        assert not {"boil water", "drink coffee"} <= group
        assert not {"fill kettle", "pour water"} <= group
    # Neither the order of the texts nor further texts about nothing of it matter.
    assert _merged(COFFEE[::-1], model) == found


@pytest.mark.parametrize("texts", [[], [[]], _texts("boil water"), _texts("boil water, boil water")])
def test_scenarios_with_nothing_to_merge(texts: list[list[ActionParts]]) -> None:
    assert load("steps", "default").merge(texts) == []


def test_actions_beyond_the_most_frequent_ones_join_their_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load("steps", "default")
    whole = _merged(COFFEE, model)
    monkeypatch.setattr(step_merger, "MOST_COMPARED", 5)
    bounded = _merged(COFFEE, model)
    assert any({"boil water", "heat water"} <= group for group in whole)
    assert any({"boil water", "heat water"} <= group for group in bounded)
    for group in bounded:
        assert not {"boil water", "drink coffee"} <= group


@given(st.lists(st.tuples(*[st.sampled_from(["", "in", "lid"])] * 5), min_size=2, unique=True))
def test_no_two_actions_of_a_text_have_the_same_words_unless_these_are_the_same(actions: list[ActionParts]) -> None:
    words = [words_of(action) for action in actions]
    contexts = StepContexts.of([actions], _random_vectors)
    for (one, row), (other, column) in product(zip(words, _rows_of(contexts, actions), strict=True), repeat=2):
        same = np.array_equal(contexts.vectors[row], contexts.vectors[column])
        assert same == (one == other)


def _rows_of(contexts: StepContexts, actions: list[ActionParts]) -> list[int]:
    """The rows of actions."""
    return [contexts.actions.index(action) for action in actions]


def test_actions_whose_words_are_not_alike_are_never_joined() -> None:
    model = copy(load("steps", "default"))
    contexts = StepContexts.of(COFFEE, model.vectors)
    cosines = contexts.vectors @ contexts.vectors.T
    joined = {pair for group in model.merge(COFFEE) for pair in combinations(group.actions, 2)}
    assert joined
    for pair in joined:
        one, other = map(contexts.actions.index, pair)
        model.least_cosine = float(cosines[one, other]) + 0.001
        assert pair not in {
            pair for group in model.merge(COFFEE) if len(group.actions) == 2 for pair in [group.actions]
        }
    model.least_cosine = 1.0
    assert model.merge(COFFEE) == []


def _damaged(change: str) -> Any:
    checkpoint = load_checkpoint(find_checkpoint("default", "steps"))
    tensors, values = dict(checkpoint.tensors), dict(checkpoint.settings)
    name = next(iter(sorted(tensors)))
    match change:
        case "no encoder":
            del values["encoder_sha256"]
        case "another encoder":
            values["encoder_sha256"] = "0" * 64
        case "an unknown setting":
            values["colour"] = "red"
        case "a setting out of range":
            values["least"] = 1.5
        case "another size":
            values["hidden"] = 7
        case "a weight is missing":
            del tensors[name]
        case "not finite":
            tensors[name] = np.full_like(tensors[name], float("nan"))
    return attrs.evolve(checkpoint, tensors=tensors, settings=values)


@pytest.mark.parametrize(
    "change",
    [
        *("no encoder", "another encoder", "an unknown setting", "a setting out of range"),
        *("another size", "a weight is missing", "not finite"),
    ],
)
def test_checkpoints_that_do_not_fit_are_refused(change: str) -> None:
    with pytest.raises(ModelError) as caught:
        merger_model(_damaged(change))
    assert caught.value.remedy


def test_numbers_of_clusters_follow_their_first_members() -> None:
    found = by_first_member(np.array([7, 3, 7, 0, 3]))
    assert found.tolist() == [0, 1, 0, 2, 1]
