"""The weights of asides: fitted on marked texts, against plain numbers."""

from __future__ import annotations

import math

import pytest

from kgscripts.evaluation.events.marked_texts import unmarked
from kgscripts.extractors.fitted_weights import BIAS
from kgscripts.text.pipeline import load_pipeline
from kgscripts.training.text.asides import Clause, clauses, fit

TEXT = "I [cut|yes] the wick. In Peru a baker [sold|no] his to sailors. I [never|no] slept. I [lit|yes] the candle."


def test_marked_verbs_that_no_rule_discards_are_clauses() -> None:
    text = unmarked(TEXT)
    marks = {start: label == "no" for start, label in text.labels.items()}
    found = list(clauses([(load_pipeline()(text.text), marks)], 0.5))
    assert [clause.is_aside for clause in found] == [False, True, False]
    assert {clause.weight for clause in found} == {0.5}


def test_one_feature_has_the_weight_that_a_search_finds() -> None:
    """Three of four clauses with the feature are asides, one of four without it."""
    examples = [Clause({"x": 1.0}, is_aside) for is_aside in (True, True, True, False)]
    examples += [Clause({}, is_aside) for is_aside in (True, False, False, False)]
    weights = fit(examples)

    def loss(slope: float, bias: float) -> float:
        return slope**2 / 2 + sum(
            math.log1p(math.exp(-(1 if each.is_aside else -1) * (bias + slope * each.features.get("x", 0.0))))
            for each in examples
        )

    best = loss(weights["x"], weights[BIAS])
    steps = [(a, b) for a in (-0.01, 0.0, 0.01) for b in (-0.01, 0.0, 0.01)]
    assert all(best <= loss(weights["x"] + a, weights[BIAS] + b) + 1e-9 for a, b in steps)
    assert weights["x"] > 0 > weights[BIAS]


def test_a_weight_of_two_is_two_clauses() -> None:
    once = [Clause({"x": 1.0}, is_aside=True), Clause({"y": 2.0}, is_aside=False)]
    twice = [Clause(each.features, each.is_aside, 2.0) for each in once]
    assert fit(twice) == pytest.approx(fit(once * 2), abs=0.002)
    assert fit(twice)["x"] > fit(once)["x"] > 0
