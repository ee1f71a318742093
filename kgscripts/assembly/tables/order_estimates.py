"""How likely it is that one step comes before another, also if few sources mention both.

Each step has a place on a line (Bradley and Terry 1952): the farther it lies behind another step, the more likely is
the order of the two. Places are fitted to all pairs of a scenario, so that two steps that few sources have together are
compared through the steps between them. If many sources have both, these sources decide.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

PRIOR = 3
"""The places of two steps count as much as this number of sources that mention both."""

LEAST_PER_MILLE = 600
"""The least probability of an order, in thousandths; less likely ones are left open, such as four sources against
three."""

_ROUNDS = 60
_DAMPING = 0.7
_PENALTY = 0.3


def fitted_places(earlier: Integers, later: Integers, support: Integers, against: Integers) -> Numbers:
    """The places of the steps 0, 1, … up to the highest number, by penalised maximum likelihood.

    All arrays have the same length: `support` sources have a pair in the order `earlier`, `later`, and `against` in the
    other. Time grows with the number of pairs.
    """
    count = int(max(earlier.max(initial=-1), later.max(initial=-1))) + 1
    places = np.zeros(count)
    sources = support + against
    for _ in range(_ROUNDS):
        likely = _logistic(places[later] - places[earlier])
        surplus = support - sources * likely
        slope = np.bincount(later, surplus, count) - np.bincount(earlier, surplus, count) - _PENALTY * places
        spread = sources * likely * (1 - likely)
        curvature = np.bincount(later, spread, count) + np.bincount(earlier, spread, count) + _PENALTY
        places += _DAMPING * slope / curvature
    return places


def estimated_order(earlier: Integers, later: Integers, support: Integers, against: Integers) -> Integers:
    """The probability of each pair's order, in thousandths, by its own sources and the places of both; arrays as in
    `places`.

    Rounded, since the last bits of places differ between processors.
    """
    places = fitted_places(earlier, later, support, against)
    likely = _logistic(places[later] - places[earlier])
    share = (support + PRIOR * likely) / (support + against + PRIOR)
    return np.round(1000 * share).astype(np.int64)


def _logistic(value: Numbers) -> Numbers:
    found: Numbers = 1 / (1 + np.exp(-value))
    return found
