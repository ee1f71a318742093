"""Precision, recall and F1 against values computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.evaluation.counting import Matches

things = st.sets(st.integers(0, 12))


def test_by_hand() -> None:
    matches = Matches()
    matches.add({1, 2, 3}, {2, 3, 4, 5})
    matches.add({1}, {1})
    assert (matches.right, matches.found, matches.gold) == (3, 4, 5)
    assert matches.precision == 0.75
    assert matches.recall == 0.6
    assert matches.f1 == pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6))


def test_nothing_at_all() -> None:
    assert (Matches().precision, Matches().recall, Matches().f1) == (0, 0, 0)


@given(things, things)
def test_f1_is_the_harmonic_mean(found: set[object], gold: set[object]) -> None:
    matches = Matches()
    matches.add(found, gold)
    precision, recall = matches.precision, matches.recall
    mean = 2 * precision * recall / (precision + recall) if precision + recall else 0
    assert matches.f1 == pytest.approx(mean)
    assert 0 <= matches.f1 <= 1
