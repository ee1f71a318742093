"""Pairs of steps and ranks of steps as functions of numbers, for `kgscripts.assembly.tables.order`."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


class Verdict(IntEnum):
    """The result for a pair."""

    KEPT = 0
    IMPLIED = 1
    CONTRADICTED = 2


def rank_pairs(
    earlier: Integers, later: Integers, support: Integers, against: Integers, distance: Numbers, given: int = 0
) -> Integers:
    """The `Verdict` on each pair of steps `earlier` -> `later` (numbered from 0); all arrays have the same length.

    `support` sources have a pair in this order; fewer, `against`, have it in the other order. Pairs with equal evidence
    (margin, then contradiction) are ordered by the `distance` of the two steps, nearest first. The first `given` pairs
    come before all others, in their order, and are kept also if they follow from others.
    """
    place = np.minimum(np.arange(len(earlier)), given)
    order = np.lexsort((later, earlier, np.abs(distance), against, against - support, place))
    count = int(max(earlier.max(initial=-1), later.max(initial=-1))) + 1
    bits = [1 << step for step in range(count)]
    after = [0] * count
    """For each step the steps that follow it, as the bits of an integer."""
    before: list[list[int]] = [[] for _ in range(count)]
    verdicts = np.full(len(earlier), Verdict.KEPT, np.int64)
    for number, first, second in zip(order.tolist(), earlier[order].tolist(), later[order].tolist(), strict=True):
        if after[second] & bits[first]:
            verdicts[number] = Verdict.CONTRADICTED
        elif after[first] & bits[second]:
            verdicts[number] = Verdict.KEPT if number < given else Verdict.IMPLIED
        else:
            before[second].append(first)
            those = after[second] | bits[second]
            # What `second` follows now: `first`, and what precedes `first` and did not precede `second` before.
            waiting = [first]
            for step in waiting:
                if not after[step] & bits[second]:
                    after[step] |= those
                    waiting += before[step]
    return verdicts


def positions_of(known: Sequence[float | None], earlier: Sequence[int], later: Sequence[int]) -> list[float]:
    """The mean positions of steps, given where sources tell them. A step that none tells comes right after the last of
    those that it follows, else right before the first of those that follow it, else at the end.
    """
    before: list[list[int]] = [[] for _ in known]
    after: list[list[int]] = [[] for _ in known]
    for first, second in zip(earlier, later, strict=True):
        before[second].append(first)
        after[first].append(second)
    found = list(known)
    order = sorted(range(len(known)), key=topological_ranks(len(known), earlier, later, range(len(known))).__getitem__)
    for steps, neighbours, nearest in ((order, before, max), (order[::-1], after, min)):
        for step in steps:
            if found[step] is None:
                places = [place for other in neighbours[step] if (place := found[other]) is not None]
                found[step] = nearest(places) if places else None
    return [1.0 if place is None else place for place in found]


def topological_ranks(count: int, earlier: Iterable[int], later: Iterable[int], keys: Sequence[Any]) -> list[int]:
    """The rank, from 1, of each of `count` steps: after all steps that precede it, otherwise by its key."""
    following: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for first, second in zip(earlier, later, strict=True):
        following[first].append(second)
        missing[second] += 1
    ready = [(keys[step], step) for step in range(count) if not missing[step]]
    heapq.heapify(ready)
    ranks = [0] * count
    for rank in range(1, count + 1):
        _, step = heapq.heappop(ready)
        ranks[step] = rank
        for other in following[step]:
            missing[other] -= 1
            if not missing[other]:
                heapq.heappush(ready, (keys[other], other))
    return ranks
