"""Features of the actions of one scenario: their similarity to the actions of other texts of the scenario.

Vectors are those of `kgscripts.models.sentence_vectors`. Their dot products are computed in float32, in which they are
exact: sums of `SIZE` products of two int8 values stay below 2**24. So the features do not depend on the order of
computation.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.models.stored_vectors import SCALE

Vectors = NDArray[np.int8]
Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

MOST_SOURCES = 256
"""An action is compared with the actions of at most this number of sources of its scenario, the first by their
number."""

_POSITION = 1_000_000_000
"""Positions are integers in billionths of the text."""

_CLOSE = SCALE * SCALE * 3 // 4
"""Actions with this cosine or a greater one are close."""

# Actions that are compared together, which limits the memory.
_ROWS = 4096

_BASE = (
    *("nearest quarter", "all sources", "close sources", "same sources", "other mentions", "scenario"),
    *("position", "distance from the middle", "object", "phrase", "particle"),
)
FEATURES = (*_BASE, "few sources", *(f"{name}, few sources" for name in _BASE))
"""Names of the columns. The columns "of few sources" are the others times the inverse of the number of sources."""


@frozen(eq=False)
class ScenarioActions:
    """The distinct actions of one scenario, and the sources in which each is mentioned. Arrays with one row for each
    action: `vectors` (actions, size), `parts` (actions, 3), whether it has an object, a prepositional phrase and a
    particle. Arrays with one row for each action of each source, ascending by `source`: `action` (its row), `source`,
    `mentions` (their number) and `position` (the sum of the mentions' positions, in billionths). `scenario` is the
    vector of the scenario's label, (size,).
    """

    vectors: Vectors
    parts: NDArray[np.bool_]
    action: Integers
    source: Integers
    mentions: Integers
    position: Integers
    scenario: Vectors


def features(actions: ScenarioActions) -> Numbers:
    """The `FEATURES` of each action, (actions, features); a source is not compared with its own mentions."""
    count = len(actions.vectors)
    sources = len(np.unique(actions.source))
    mentions = _sums(actions.mentions, actions.action, count)
    place = _sums(actions.position, actions.action, count) / np.maximum(mentions, 1) / _POSITION
    columns = [*_support(actions), _centroid(actions.vectors, mentions)]
    columns.append(_exact(actions.vectors, actions.scenario[None])[:, 0] / SCALE**2)
    columns += [place, (place - 0.5) ** 2, *actions.parts.T.astype(np.float64)]
    base = np.stack(columns, axis=1)
    return np.concatenate([base, np.full((count, 1), 1 / sources), base / sources], axis=1)


def _support(actions: ScenarioActions) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Of the other sources: mean cosine of the nearest action in the nearest quarter and in all of them; the shares in
    which one is close, and in which it is the same.
    """
    starts = np.flatnonzero(np.diff(actions.source, prepend=-1))[:MOST_SOURCES]
    ends = np.append(starts[1:], len(actions.source) if len(starts) < MOST_SOURCES else 0)
    if len(starts) == MOST_SOURCES:
        ends[-1] = int(np.searchsorted(actions.source, actions.source[starts[-1]], side="right"))
    others = len(starts) - 1
    count = len(actions.vectors)
    if not others:
        return np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    same = _sums(np.ones(ends[-1], np.int64), actions.action[: ends[-1]], count)
    quarter = -(-others // 4)
    nearest, every, close = np.zeros(count), np.zeros(count), np.zeros(count)
    for first in range(0, count, _ROWS):
        rows = actions.vectors[first : first + _ROWS]
        cosines = np.stack(
            [
                _exact(rows, actions.vectors[actions.action[start:end]]).max(axis=1)
                for start, end in zip(starts, ends, strict=True)
            ],
            axis=1,
        )
        cosines = -np.sort(-cosines, axis=1)
        # Its own source has it itself, with the greatest of all cosines.
        cosines = np.where(same[first : first + _ROWS, None] > 0, cosines[:, 1:], cosines[:, :-1])
        nearest[first : first + _ROWS] = cosines[:, :quarter].sum(axis=1) / (quarter * SCALE**2)
        every[first : first + _ROWS] = cosines.sum(axis=1) / (others * SCALE**2)
        close[first : first + _ROWS] = (cosines >= _CLOSE).sum(axis=1) / others
    return nearest, every, close, np.maximum(same - 1, 0) / others


def _centroid(vectors: Vectors, mentions: Integers) -> Numbers:
    """The cosine of each vector and the sum of all other actions' vectors, each as often as it is mentioned."""
    whole = vectors.astype(np.int64)
    own = whole * mentions[:, None]
    rest = own.sum(axis=0) - own
    lengths = np.sqrt((whole**2).sum(axis=1).astype(np.float64)) * np.sqrt((rest.astype(np.float64) ** 2).sum(axis=1))
    return np.asarray((whole * rest).sum(axis=1) / np.maximum(lengths, 1.0))


def _exact(left: Vectors, right: Vectors) -> Integers:
    """Dot products of all rows of two arrays, (left, right)."""
    # BLAS multiplies this type, in which sums of 384 products of two int8 values are exact.
    return np.asarray(left.astype(np.float32) @ right.T.astype(np.float32), dtype=np.int64)


def _sums(values: Integers, at: Integers, count: int) -> Integers:
    sums = np.zeros(count, np.int64)
    np.add.at(sums, at, values)
    return sums
