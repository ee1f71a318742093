"""Clusters of actions that are the same step, from the probability of each pair.

Average linkage gives a first partition; then each action moves to the cluster that it fits best, until no action moves
(correlation clustering: Bansal, Blum and Chawla 2004, with the moves of Gionis, Mannila and Tsaparas 2007). A text
seldom has the same step twice: clusters that occur together in a text are not joined, unless few of many texts have
both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_ROUNDS = 10
_TOGETHER = 0.3
"""If a larger share of texts has both clusters, they are different steps."""
_DOUBT = 1
"""Added to the smaller number of texts: 1 of 1 text then is a share of 0.5, which decides, 1 of 3 a share of 0.25,
which does not. So a text that tells two actions tells two steps, unless most texts have one of both."""


def clusters_of(
    probabilities: Floats, weights: Floats, presence: NDArray[np.bool_], *, first: float, least: float
) -> Integers:
    """The number of each action's cluster, by first member.

    `probabilities` (actions, actions) are symmetric, `presence` (actions, texts) says whether a text has the action.
    Clusters of the first partition are joined while the mean probability over their pairs, weighted by `weights`
    (actions,), is at least `first`. An action joins the cluster with the largest weighted sum of its probabilities
    minus `least`, or stays alone if no sum is positive.
    """
    clusters = _linked(probabilities, weights, presence, first)
    _move(clusters, (probabilities - least) * weights, presence)
    return by_first_member(clusters)


def together(both: NDArray[Any], fewest: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether `both` clusters occur together in too large a share of the texts of the rarer one."""
    return both > _TOGETHER * (fewest + _DOUBT)


def _linked(probabilities: Floats, weights: Floats, presence: NDArray[np.bool_], first: float) -> Integers:
    """Average linkage under the constraint; a cluster has the number of one of its actions."""
    count = len(weights)
    clusters = np.arange(count, dtype=np.int64)
    sums = probabilities * weights[:, None] * weights
    mass, texts = weights.copy(), presence.astype(np.float32)
    sizes = texts.sum(axis=1)
    # Probabilities are not negative: -1 is a pair that is not joined, and -3 a cluster that has become part of another.
    means = np.where(together(texts @ texts.T, np.minimum.outer(sizes, sizes)), -1.0, probabilities)
    np.fill_diagonal(means, -1.0)
    while count > 1:
        one, other = divmod(int(means.argmax()), count)
        if means[one, other] < first:
            break
        clusters[clusters == other] = one
        sums[one] += sums[other]
        sums[:, one] += sums[:, other]
        mass[one] += mass[other]
        texts[one] = np.maximum(texts[one], texts[other])
        sizes[one] = texts[one].sum()
        # Each cluster that is left has -1 on its diagonal at least.
        alive = means.max(axis=1) > -2.0
        alive[other] = False
        row = sums[one] / (mass[one] * mass)
        row[together(texts @ texts[one], np.minimum(sizes, sizes[one]))] = -1.0
        row[~alive], row[one] = -3.0, -1.0
        means[one], means[:, one] = row, row
        means[other], means[:, other] = -3.0, -3.0
    return clusters


def _move(clusters: Integers, gains: Floats, presence: NDArray[np.bool_]) -> None:
    """Move actions, in order, until none moves. There are as many numbers of clusters as actions."""
    count = len(clusters)
    np.fill_diagonal(gains, 0.0)
    sizes = presence.sum(axis=1)
    members = np.bincount(clusters, minlength=count)
    texts = np.zeros(presence.shape, dtype=np.int32)
    """The number of actions of each cluster in each text."""
    np.add.at(texts, clusters, presence)
    for _ in range(_ROUNDS):
        moved = False
        for action in range(count):
            before = clusters[action]
            # Taken out first, so that an action does not speak against its own cluster.
            texts[before] -= presence[action]
            sums = np.bincount(clusters, weights=gains[action], minlength=count)
            candidates = np.flatnonzero(sums > 0)
            there = texts[candidates] > 0
            both = (there & presence[action]).sum(axis=1).astype(float)
            fewest = np.minimum(there.sum(axis=1), sizes[action]).astype(float)
            fitting = candidates[~together(both, fewest)]
            if len(fitting):
                best = int(fitting[sums[fitting].argmax()])
                # By equal sums, actions would move to and fro until the rounds run out.
                best = int(before) if before in fitting and sums[best] <= sums[before] + 1e-9 else best
            else:
                # Alone: in its own cluster, or in an empty one, which there is, as numbers are as many as actions.
                best = int(before if members[before] == 1 else members.argmin())
            texts[best] += presence[action]
            if best != before:
                members[before] -= 1
                members[best] += 1
                clusters[action] = best
                moved = True
        if not moved:
            break


def by_first_member(clusters: Integers) -> Integers:
    """The same partition, numbered in the order of the first members."""
    _, first, numbers = np.unique(clusters, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(len(first))
    return place[numbers]
