"""How sure a share is, given its number of cases: Wilson's interval (1927, *Probable inference*)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

Z = 1.959964
"""The standard errors of a 95 % interval."""


def lower_bounds(support: Integers, sources: Integers) -> Integers:
    """The lower end of the 95 % interval of each share `support` of `sources` (Wilson 1927), in thousandths; 0 for no
    sources."""
    number = np.maximum(sources, 1)
    share, spread = support / number, Z**2 / number
    width = Z * np.sqrt(share * (1 - share) / number + spread / (4 * number))
    ends: Integers = np.round(1000 * (share + spread / 2 - width) / (1 + spread)).astype(np.int64)
    return ends


def lower_bound(support: int, sources: int) -> float:
    """The same for one share, from 0 to 1."""
    return float(lower_bounds(np.array([support]), np.array([sources]))[0]) / 1000
