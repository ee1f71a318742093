"""Weights by which candidates of state changes are rated in tests, so that their probabilities can be done by hand."""

from __future__ import annotations

import math

import pytest

from kgscripts.extractors.changes.change_ratings import RatingWeights

BY_MODEL = RatingWeights(-5.0, {"pair": 10.0})
"""What the model says counts, what the verbs say does not."""
BY_VERB = RatingWeights(-5.0, {"verb": 10.0})
"""What the verbs say is sure, and what the model says does not count."""


def by_model(of_pair: float) -> float:
    """The probability of a candidate by `BY_MODEL`."""
    return round(1 / (1 + math.exp(5 - 10 * of_pair)), 4)


def rate(monkeypatch: pytest.MonkeyPatch, weights: RatingWeights) -> None:
    """Let the extractor rate by these weights instead of those that ship."""
    monkeypatch.setattr("kgscripts.extractors.changes.state_changes.shipped_ratings", lambda: weights)
