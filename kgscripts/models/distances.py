"""Distances between words of a text as small numbers: each up to 8, then by powers of two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def distance_numbers(apart: NDArray[np.int64], farthest: int) -> NDArray[np.int64]:
    """The numbers of distances: 0 to `farthest`, and as many again for words before, from 1 on."""
    size = np.abs(apart)
    powers = np.ceil(np.log2(np.maximum(size, 8) / 8)).astype(np.int64)
    step = np.minimum(np.where(size <= 8, size, 8 + powers), farthest)
    return np.where(apart < 0, step + farthest + 1, step)
