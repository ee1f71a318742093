"""Boundaries between segments: P_k, WindowDiff, precision, recall and F1.

The metrics are written here since segeval is no longer maintained (2.0.11 is of 2013) and fails for windows of more
than 256 sentences, and nltk is an optional requirement. Tests compare them with nltk.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import fmean

from attrs import frozen

from kgscripts.reproductions.scenarios.counts import Score


@frozen(kw_only=True)
class BoundaryScores:
    """The scores of boundaries.

    `pk` and `window_diff` are probabilities of an error, lower is better: means over the documents of at least two
    sentences, None if there is no such document. `score` is micro-averaged over boundaries.
    """

    pk: float | None
    window_diff: float | None
    score: Score
    gold: int
    predicted: int


def boundaries_of(labels: Sequence[object]) -> tuple[bool, ...]:
    """Whether there is a boundary after each item but the last: its successor has another label."""
    return tuple(one != other for one, other in pairwise(labels))


def window_size(gold: Sequence[bool]) -> int:
    """Half the mean length of the gold segments, rounded half to even, at least 2, at most the last sentence's index.

    `gold` is true for each sentence, except the last, that a boundary follows.
    """
    return min(max(2, round((len(gold) + 1) / (sum(gold) + 1) / 2)), len(gold))


def window_errors(gold: Sequence[bool], predicted: Sequence[bool]) -> tuple[float, float]:
    """P_k (Beeferman, Berger and Lafferty 1999) and WindowDiff (Pevzner and Hearst 2002) of one document.

    Each pair of sentences at the distance `window_size` is compared: P_k is the share of the pairs that only one
    segmentation separates, WindowDiff the share of those between which the numbers of boundaries differ.

    Parameters
    ----------
    gold, predicted:
        Whether a boundary follows each sentence but the last, at least one.
    """
    size = window_size(gold)
    counts = []
    for boundaries in (gold, predicted):
        before = list(accumulate(boundaries, initial=0))
        counts.append([after - first for first, after in zip(before, before[size:], strict=False)])
    pairs = list(zip(*counts, strict=True))
    return (
        fmean((one == 0) != (other == 0) for one, other in pairs),
        fmean(one != other for one, other in pairs),
    )


def score_boundaries(documents: Sequence[tuple[Sequence[bool], Sequence[bool]]]) -> BoundaryScores:
    """The scores of documents, each as its gold and predicted boundaries (see `window_errors`)."""
    errors = [window_errors(gold, predicted) for gold, predicted in documents if gold]
    right = sum(one and other for gold, predicted in documents for one, other in zip(gold, predicted, strict=True))
    expected = sum(sum(gold) for gold, _ in documents)
    found = sum(sum(predicted) for _, predicted in documents)
    # Without any boundary there was none to be found.
    score = Score(right / (found or 1), right / (expected or 1), 2 * right / ((found + expected) or 1))
    return BoundaryScores(
        pk=fmean(pk for pk, _ in errors) if errors else None,
        window_diff=fmean(difference for _, difference in errors) if errors else None,
        score=score if expected or found else Score(1.0, 1.0, 1.0),
        gold=expected,
        predicted=found,
    )
