"""The levels of state changes, by their probability."""

from __future__ import annotations

from collections.abc import Mapping

from schemas.changes import Level

LEAST: Mapping[Level, float] = {Level.CERTAIN: 0.75, Level.LIKELY: 0.55}
"""The least probability of each level."""


def level_of(probability: float, least: Mapping[Level, float] = LEAST) -> Level | None:
    """The level of a change with this probability; None if it is too improbable for any."""
    return next((level for level in Level if probability >= least[level]), None)
