"""Clusters of actions that are the same step, from the probability of each pair.

Average linkage gives a first partition; then each action moves to the cluster that it fits best, until none does
(correlation clustering: Bansal, Blum and Chawla 2004, with the moves of Gionis, Mannila and Tsaparas 2007).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_ROUNDS = 20


def clusters_of(probabilities: Floats, weights: Floats, *, first: float, least: float) -> Integers:
    """The number of each action's cluster, by first member.

    `probabilities` (actions, actions) are symmetric. Clusters of the first partition have a mean probability of at
    least `first`. An action joins the cluster in which the probabilities exceed `least` by most, in a sum over the
    members weighted by `weights` (actions,), or stays alone if they nowhere do.
    """
    count = len(weights)
    if count < 2:
        return np.zeros(count, dtype=np.int64)
    distances = 1.0 - probabilities
    np.fill_diagonal(distances, 0.0)
    tree = linkage(squareform(distances, checks=False), "average")
    found = fcluster(tree, 1.0 - first, "distance").astype(np.int64) - 1
    gains = (probabilities - least) * weights
    np.fill_diagonal(gains, 0.0)
    for _ in range(_ROUNDS):
        if not _move(found, gains):
            break
    return by_first_member(found)


def _move(found: Integers, gains: Floats) -> bool:
    """Move each action once, in order; whether any moved. There are as many numbers of clusters as actions."""
    count = len(found)
    members = np.bincount(found, minlength=count)
    moved = False
    for action in range(count):
        own = found[action]
        sums = np.bincount(found, weights=gains[action], minlength=count)
        best = int(sums.argmax())
        if sums[best] <= 0:
            if members[own] == 1:
                continue
            best = int(members.argmin())
        elif sums[best] <= sums[own] + 1e-9:
            continue
        members[own] -= 1
        members[best] += 1
        found[action] = best
        moved = True
    return moved


def by_first_member(clusters: Integers) -> Integers:
    """The same partition, numbered in the order of the first members."""
    _, first, numbers = np.unique(clusters, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(len(first))
    return place[numbers]
