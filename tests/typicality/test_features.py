"""Features of actions against a plain computation, one pair of texts at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kgscripts.models.stored_vectors import SCALE
from kgscripts.typicality import features as module
from kgscripts.typicality.features import FEATURES, ScenarioActions, features
from kgscripts.typicality.weights import learn, read_weights, shipped_weights

_SIZE = 8


def unit(rows: int, seed: int) -> NDArray[np.int8]:
    drawn = np.random.default_rng(seed).normal(size=(rows, _SIZE))
    scaled = drawn / np.linalg.norm(drawn, axis=1, keepdims=True) * SCALE
    return np.asarray(np.clip(np.round(scaled), -127, 127), dtype=np.int8)


def scenario(texts: list[list[int]], seed: int = 0) -> ScenarioActions:
    """Texts as lists of actions, numbered without a gap."""
    number = {action: row for row, action in enumerate(sorted({action for text in texts for action in text}))}
    rows = []
    for source, text in enumerate(texts):
        for action in sorted(set(text)):
            places = [place for place, other in enumerate(text) if other == action]
            position = sum(place * 10**9 // max(1, len(text) - 1) for place in places)
            rows.append((source, number[action], len(places), position))
    table = np.array(rows, dtype=np.int64)
    parts = np.array([(action % 2 == 0, action % 3 == 0, action % 5 == 0) for action in number])
    return ScenarioActions(
        unit(len(number), seed), parts, table[:, 1], table[:, 0], table[:, 2], table[:, 3], unit(1, seed + 1)[0]
    )


def plain_support(actions: ScenarioActions, row: int, own: int) -> tuple[float, float, float, float]:
    """The same from the side of one mention of an action, in the text `own`, which does not count."""
    best, same = [], []
    for source in sorted({*actions.source.tolist()} - {own}):
        others = actions.action[actions.source == source].tolist()
        own_vector = actions.vectors[row].astype(int)
        products = [int(own_vector @ actions.vectors[other].astype(int)) for other in others]
        best.append(max(products) / SCALE**2)
        same.append(row in others)
    if not best:
        return 0.0, 0.0, 0.0, 0.0
    nearest = sorted(best, reverse=True)[: -(-len(best) // 4)]
    close = [product >= 0.75 for product in best]
    return sum(nearest) / len(nearest), sum(best) / len(best), sum(close) / len(best), sum(same) / len(best)


@settings(max_examples=30)
@given(
    texts=st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=6), min_size=1, max_size=9), seed=st.integers(0, 9)
)
def test_a_text_does_not_support_what_it_says_itself(texts: list[list[int]], seed: int) -> None:
    actions = scenario(texts, seed)
    # A vector is nearest to itself only if all are equally long, which those of whole texts nearly are.
    lengths = np.linalg.norm(actions.vectors.astype(float), axis=1)
    products = actions.vectors.astype(int) @ actions.vectors.T.astype(int)
    found = features(actions)
    assert found.shape == (len(lengths), len(FEATURES))
    for row, own in zip(actions.action.tolist(), actions.source.tolist(), strict=True):
        if products[row].max() == products[row, row]:
            assert found[row, :4] == pytest.approx(plain_support(actions, row, own))


def test_features_do_not_depend_on_the_blocks_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    actions = scenario([[number % 29, number * 7 % 29, number * 3 % 29] for number in range(40)])
    whole = features(actions)
    monkeypatch.setattr(module, "_ROWS", 3)
    assert (features(actions) == whole).all()


def test_more_sources_than_are_compared() -> None:
    texts = [[number % 7, 7 + number % 11] for number in range(module.MOST_SOURCES + 40)]
    found = features(scenario([*texts, [100]]))
    assert np.isfinite(found).all()
    assert found[-1, FEATURES.index("same sources")] == 0


def test_learning_finds_the_feature_that_decides() -> None:
    chance = np.random.default_rng(0)
    found, vectors = chance.normal(size=(600, 3)), unit(600, 3)
    decides = found[:, 1] > 0
    weights = learn(found, vectors, decides, 1)
    scores = weights.probability(found, vectors)
    assert scores[decides].mean() > 0.7
    assert scores[~decides].mean() < 0.3


def test_what_ships_can_be_written_and_read(tmp_path: Path) -> None:
    weights = shipped_weights()
    path = tmp_path / "weights.json"
    path.write_text(weights.to_json({"data": "none"}), encoding="utf-8")
    read = read_weights(path)
    assert (read.of_features == weights.of_features).all()
    assert (read.of_vector == weights.of_vector).all()
    assert read.usual == weights.usual
