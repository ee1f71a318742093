"""Features of the importance of steps, and the weights that ship."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.models.stored_vectors import SCALE
from kgscripts.typicality.importance import FEATURES, importance_features, read_importance, shipped_importance
from kgscripts.wilson import lower_bound
from tests.typicality.test_features import unit


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), min_size=1, max_size=8))
def test_how_many_sources_tell_a_step(counts: list[tuple[int, int]]) -> None:
    told, sources = (np.array(column) for column in zip(*((min(one, all_), all_) for one, all_ in counts), strict=True))
    vectors = unit(len(told), 3)
    labels = [("wash hair", "washing ones hair")] * len(told)
    found = importance_features(told, sources, np.full(len(told), 0.5), labels, vectors, vectors[::-1])
    assert found.shape == (len(told), len(FEATURES))
    expected = [lower_bound(*pair) for pair in zip(told.tolist(), sources.tolist(), strict=True)]
    assert found[:, FEATURES.index("told")].tolist() == expected
    products = (vectors.astype(int) * vectors[::-1].astype(int)).sum(axis=1) / SCALE**2
    assert found[:, FEATURES.index("similarity")] == pytest.approx(products)
    assert (found[:, FEATURES.index("typicality")] == 0.5).all()
    assert (found[:, FEATURES.index("shared words")] == 1).all()


@pytest.mark.parametrize(
    ("label", "scenario", "shared"),
    [("wash hair", "washing ones hair", 1), ("put water", "boiling water", 1 / 2), ("leave", "boiling water", 0)],
)
def test_words_that_are_in_the_name_of_the_scenario(label: str, scenario: str, shared: float) -> None:
    one, vectors = np.array([1]), unit(1, 1)
    found = importance_features(one, one, np.array([0.9]), [(label, scenario)], vectors, vectors)
    assert found[0, FEATURES.index("shared words")] == shared


def test_what_ships_can_be_written_and_read() -> None:
    weights = shipped_importance()
    read = read_importance(weights.to_json({"data": "none"}))
    assert (read.least_essential, read.least_optional) == (weights.least_essential, weights.least_optional)
    for one, other in ((read.essential, weights.essential), (read.optional, weights.optional)):
        assert (one.of_features == other.of_features).all()
        assert (one.of_vector == other.of_vector).all()
        assert one.constant == other.constant


def test_what_more_sources_tell_is_more_likely_essential_and_less_likely_optional() -> None:
    weights = shipped_importance()
    told = FEATURES.index("told")
    assert weights.essential.of_features[told] > 0 > weights.optional.of_features[told]
