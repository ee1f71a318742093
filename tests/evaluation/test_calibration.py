"""The reliability curve and the calibration error, by hand and against the plain definition."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgscripts.evaluation.calibration import Bin, calibration

CASES = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40)


def test_by_hand() -> None:
    found = calibration([0.82, 0.05, 0.88, 0.8, 0.0], [True, False, True, False, False])
    assert [item.count for item in found.bins] == [2, 3]
    low, high = found.bins
    assert (low.probability, low.share) == pytest.approx((0.025, 0))
    assert (high.probability, high.share) == pytest.approx((2.5 / 3, 2 / 3))
    assert found.error == pytest.approx((2 * 0.025 + 3 * (2.5 / 3 - 2 / 3)) / 5)


@pytest.mark.parametrize(("probability", "truth"), [(1.0, True), (0.0, False)])
def test_certain_probabilities_that_are_right_have_no_error(probability: float, truth: bool) -> None:
    found = calibration([probability] * 3, [truth] * 3)
    assert found.bins == [Bin(3, probability, float(truth))]
    assert found.error == 0


def test_those_that_are_wrong_have_the_highest() -> None:
    assert calibration([1.0, 0.0], [False, True]).error == 1


def test_a_bin_has_its_lower_end_and_the_last_one_has_both() -> None:
    probabilities = [0.1, 0.19, 0.2, 0.9, 1.0]
    assert [item.count for item in calibration(probabilities, [True] * 5).bins] == [2, 1, 2]


def test_without_cases_there_is_no_error() -> None:
    found = calibration([], [])
    assert (found.bins, found.error) == ([], 0)


def test_probabilities_and_truth_belong_together() -> None:
    with pytest.raises(ValueError, match="shorter"):
        calibration([0.5, 0.5], [True])


@given(CASES)
@example([(0.3, True), (0.3, False), (0.29999999999999993, True), (1.0, True), (5e-324, False)])
def test_the_error_is_the_mean_difference_of_the_bins(cases: list[tuple[float, bool]]) -> None:
    found = calibration([probability for probability, _ in cases], [is_true for _, is_true in cases])
    plain = []
    for lower in range(10):
        own = [case for case in cases if min(math.floor(case[0] * 10), 9) == lower]
        if own:
            mean = math.fsum(probability for probability, _ in own) / len(own)
            plain.append((len(own), mean, sum(is_true for _, is_true in own) / len(own)))
    assert [item.count for item in found.bins] == [count for count, *_ in plain]
    assert [item.probability for item in found.bins] == pytest.approx([mean for _, mean, _ in plain])
    assert [item.share for item in found.bins] == pytest.approx([share for *_, share in plain])
    error = math.fsum(count * abs(mean - share) for count, mean, share in plain) / max(1, len(cases))
    assert found.error == pytest.approx(error)
    assert 0 <= found.error <= 1
    assert sum(item.count for item in found.bins) == len(cases)


@given(CASES)
def test_the_order_of_cases_does_not_count(cases: list[tuple[float, bool]]) -> None:
    one, other = (
        calibration([probability for probability, _ in order], [is_true for _, is_true in order])
        for order in (cases, cases[::-1])
    )
    assert [item.count for item in one.bins] == [item.count for item in other.bins]
    assert one.error == pytest.approx(other.error)
