"""One-to-one scores of predicted state changes: each gold answer, or each cluster of them, serves one prediction.

The official measure (`change_scores`) lets one gold answer serve any number of predictions, so that near-copies of a
safe prediction raise it. Here the pairs are chosen by the best assignment of their scores. The clusters are in the
spirit of OpenPI-C (Wu et al., ACL 2023): gold answers that say the same change are one thing to find.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from kgscripts.evaluation.counting import score_of
from kgscripts.reproductions.openpi.change_template import parse_change
from kgscripts.reproductions.openpi.scores import (
    Pairs,
    StepScores,
    best_scores,
    distinct_changes,
    empty_step,
    pair_scores,
    stems_of,
)
from schemas.errors import InputError

_PREPOSITIONS = frozenset(
    (
        *("about", "above", "across", "against", "around", "at", "behind", "below", "beneath", "beside", "between"),
        *("by", "down", "for", "from", "in", "inside", "into", "near", "of", "off", "on", "onto", "out", "outside"),
        *("over", "through", "to", "toward", "towards", "under", "up", "upon", "with", "within", "without"),
    )
)
"""What ends the head of a noun phrase: "bowl" in "bowl of soup"."""


class MatchedScores(NamedTuple):
    """The scores of a step, or their means over steps, under three ways to match predictions with gold answers."""

    official: StepScores
    one_to_one: StepScores
    clusters: StepScores


def match_step(gold: Sequence[str], predicted: Sequence[str]) -> MatchedScores:
    """The scores of one step, from its gold answers and predictions as sentences.

    Equal predictions count once. A single prediction that begins with "there will be no change" means none.
    """
    predicted = distinct_changes(predicted)
    if empty := empty_step(gold, predicted):
        return MatchedScores(empty, empty, empty)
    pairs = pair_scores(gold, predicted)
    clustered = np.stack([pairs[:, members].max(axis=1) for members in clusters(gold)], axis=1)
    return MatchedScores(StepScores(*best_scores(pairs)), _best_assignments(pairs), _best_assignments(clustered))


def clusters(answers: Sequence[str]) -> list[list[int]]:
    """The indices of the gold answers of a step, in clusters of answers with the same change. Two answers have the same
    change if the heads of their entities have the same stem, and so have their attributes. An answer that does not fit
    the template, or names no attribute, is a cluster of its own.
    """
    by_subject: dict[object, list[int]] = {}
    for index, answer in enumerate(answers):
        by_subject.setdefault(_subject(answer) or index, []).append(index)
    return list(by_subject.values())


@lru_cache(maxsize=1 << 16)
def _subject(answer: str) -> tuple[str, tuple[str, ...]] | None:
    """The stems of the head of the entity and of the attribute; None if there is no attribute."""
    try:
        change = parse_change(answer)
    except InputError:
        return None
    attribute = stems_of(change.attribute)
    return (_head(change.entity), attribute) if attribute else None


def _head(entity: str) -> str:
    """The stem of the last word before a preposition, if a word precedes it."""
    words = entity.lower().split()
    ends = [place for place, word in enumerate(words) if place and word in _PREPOSITIONS]
    stems = stems_of(" ".join(words[: ends[0]] if ends else words))
    return stems[-1] if stems else ""


def _best_assignments(pairs: Pairs) -> StepScores:
    _, answers, predictions = pairs.shape
    scores = []
    for matrix in pairs:
        total = float(matrix[linear_sum_assignment(matrix, maximize=True)].sum())
        scores.append(score_of(total / predictions, total / answers))
    return StepScores(*scores)
