"""Scores as older versions wrote them, and what no version may write."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import RecordError
from schemas.provenance import BenchmarkScore, Exposure, Unit


def _row(**changed: Any) -> dict[str, Any]:
    row = {"dataset": "EWT", "split": "test", "metric": "LAS", "value": 0.78, "unit": "share", "exposure": "unseen"}
    return row | changed


@given(percent=st.floats(0, 100))
def test_percent_of_older_versions_become_shares(percent: float) -> None:
    (score,) = BenchmarkScore.from_rows([_row(value=percent, unit="percent")])
    assert score.unit is Unit.SHARE
    # Half of the fourth decimal, and what the division itself rounds.
    assert score.value == pytest.approx(percent / 100, abs=5.001e-5)


@given(
    value=st.floats(0, 1000),
    unit=st.sampled_from([unit for unit in Unit if unit not in (Unit.COUNT, Unit.CORRELATION)]),
    exposure=st.sampled_from(Exposure),
)
def test_scores_are_the_same_after_a_round_trip(value: float, unit: Unit, exposure: Exposure) -> None:
    score = BenchmarkScore(dataset="EWT", split="test", metric="LAS", value=value, unit=unit, exposure=exposure)
    assert BenchmarkScore.from_rows([attrs.asdict(score)]) == (score,)


def test_rows_without_exposure_are_left_out_and_their_percent_too() -> None:
    rows = [_row(metric="old", unit="percent"), _row(), _row(metric="other", value=78, unit="percent")]
    del rows[0]["exposure"]
    found = BenchmarkScore.from_rows(rows)
    assert [(score.metric, score.value) for score in found] == [("LAS", 0.78), ("other", 0.78)]


@pytest.mark.parametrize(
    "row",
    [
        _row(unit="stars"),
        _row(unit="percent", value="much"),
        _row(unit="percent", value=None),
        _row(value=float("nan")),
        _row(metric=""),
        _row(exposure="perhaps"),
        _row(stars=5),
        {"unit": "percent", "exposure": "unseen"},
        ["unit"],
        5,
    ],
)
def test_rows_that_are_no_scores(row: Any) -> None:
    with pytest.raises((RecordError, TypeError, ValueError)):
        BenchmarkScore.from_rows([row])
