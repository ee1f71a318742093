"""Which step comes before which: ranked pairs (Tideman 1987) over the sources of one scenario.

Pairs of steps are taken in order of decreasing evidence. One that contradicts what better evidence has settled is
dropped, so that the result has no cycle; one that already follows from it is left out, so that the result can be read,
and every order that is left out is found again as a path whose every relation has at least as much evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from kgscripts.assembly.names import Integers

_LONGEST_REACH = 100
"""In one source a step is compared with as many that follow it; what lies farther apart is ordered by paths."""


class Verdict(IntEnum):
    """What became of a pair."""

    KEPT = 0
    IMPLIED = 1
    CONTRADICTED = 2


def ordered_pairs(count: int) -> tuple[Integers, Integers]:
    """Positions of all pairs (earlier, later) in one source that tells `count` steps."""
    earlier, later = np.triu_indices(count, 1)
    if count > _LONGEST_REACH:
        near = later - earlier <= _LONGEST_REACH
        earlier, later = earlier[near], later[near]
    return earlier, later


def rank_pairs(
    earlier: Integers, later: Integers, support: Integers, against: Integers, distance: npt.NDArray[np.float64]
) -> Integers:
    """The `Verdict` on each pair of steps `earlier` -> `later` (numbered from 0).

    `support` sources tell a pair in this order and fewer, `against`, the other way round; ties in the evidence
    (margin, then contradiction) are broken by the `distance` of the steps, nearest first.
    """
    order = np.lexsort((later, earlier, np.abs(distance), against, against - support))
    after: dict[int, int] = {}
    before: dict[int, int] = {}
    verdicts = np.full(len(earlier), Verdict.KEPT, np.int64)
    for place, first, second in zip(order.tolist(), earlier[order].tolist(), later[order].tolist(), strict=True):
        if after.get(second, 0) >> first & 1:
            verdicts[place] = Verdict.CONTRADICTED
        elif after.get(first, 0) >> second & 1:
            verdicts[place] = Verdict.IMPLIED
        else:
            down = after.get(second, 0) | 1 << second
            up = before.get(first, 0) | 1 << first
            for step in _members(up):
                after[step] = after.get(step, 0) | down
            for step in _members(down):
                before[step] = before.get(step, 0) | up
    return verdicts


def _members(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
