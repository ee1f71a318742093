"""Segmentations of the baselines of Wanzare, Roth and Pinkal (2019), section 5.1."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise

import numpy as np


def each_sentence(sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Each sentence is a segment of its own."""
    return [(place, place + 1) for place in range(len(sentences))]


def random_segments(sentences: Sequence[str], *, boundary_share: float, seed: int) -> list[tuple[int, int]]:
    """A boundary follows each sentence with the probability `boundary_share`; the same text has the same segments."""
    if not sentences:
        return []
    text = "\n".join(sentences).encode("utf-8", "surrogatepass")
    draws = np.random.default_rng([seed, *sha256(text).digest()]).random(len(sentences) - 1)
    chosen = np.flatnonzero(draws < boundary_share) + 1
    return list(pairwise([0, *map(int, chosen), len(sentences)]))
