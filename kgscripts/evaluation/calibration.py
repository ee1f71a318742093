"""Whether of what is said to be 0.7 probable, 0.7 is true: the calibration of probabilities (Naeini et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

_BINS = 10


@frozen
class Bin:
    """The cases whose probability lies in a tenth from 0 to 1: number, mean probability, and share of true ones."""

    count: int
    probability: float
    share: float


@frozen
class Calibration:
    """The tenths that have cases, and the expected calibration error: the mean difference of probability and share,
    weighted by the number of cases."""

    bins: Sequence[Bin]
    error: float


def calibration(probabilities: Sequence[float], truth: Sequence[bool]) -> Calibration:
    """The calibration of probabilities (cases,) against the truth (cases,); the error is 0 without cases."""
    cases_of: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for probability, is_true in zip(probabilities, truth, strict=True):
        cases_of[min(int(probability * _BINS), _BINS - 1)].append((probability, is_true))
    bins = [
        Bin(len(cases), sum(p for p, _ in cases) / len(cases), sum(t for _, t in cases) / len(cases))
        for cases in cases_of
        if cases
    ]
    error = sum(item.count * abs(item.probability - item.share) for item in bins) / max(1, len(truth))
    return Calibration(bins, error)
