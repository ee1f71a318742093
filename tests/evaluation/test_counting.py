"""Precision, recall and F1 against values computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.evaluation.counting import Matches, Z, wilson

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


@given(st.integers(1, 500), st.integers(0, 500))
def test_wilson_s_interval_holds_what_the_score_test_does_not_reject(number: int, right: int) -> None:
    """Wilson (1927): its ends are the shares from which what was found differs by Z standard errors of their own."""
    right = min(right, number)
    for end in wilson(right, number):
        assert (right / number - end) ** 2 == pytest.approx(Z**2 * end * (1 - end) / number, abs=1e-9)
