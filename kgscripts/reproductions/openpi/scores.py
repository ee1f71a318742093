"""Scores of predicted state changes by the official measure of OpenPI (Tandon et al., EMNLP 2020, section 6.1).

A change is compared as a sentence ("location of oil was on counter before and in blender afterwards"): in lower case,
without punctuation and the words of the template, stemmed. Two sentences are compared by *exact* equality, *BLEU-2*
and *ROUGE-L*. Precision is the mean over the predictions of a step of the best score with a gold answer, recall the
mean over the gold answers of the best score with a prediction; both, and their F1, are averaged over the steps.

Sentences are read into stems once and kept, so that comparing a pair costs about 3 µs.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kgscripts.evaluation.counting import Score, score_of
from kgscripts.reproductions.openpi.change_template import NO_CHANGE
from kgscripts.text.porter import stem

METRICS = ("exact", "bleu", "rouge")
TEMPLATE_WORDS = frozenset(("and", "was", "is", "before", "afterwards", "after", "of"))
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_TINY, _SMALL = 1e-15, 1e-9  # The COCO caption scorer adds these to the count of matches and to the count of n-grams.
_BETA_SQUARED = 1.2**2  # ROUGE-L: how much more recall counts than precision.

Pairs = npt.NDArray[np.float64]
"""Scores of pairs by each of `METRICS`, shape (3, gold, predicted)."""


class StepScores(NamedTuple):
    """One score for each way to compare sentences: those of a step, or their means over steps."""

    exact: Score
    bleu: Score
    rouge: Score


class _Sentence(NamedTuple):
    """The stems of a sentence, prepared for comparison.

    A repeated n-gram is an element of its own, (n-gram, number of earlier occurrences), so that the size of an
    intersection is the number of n-grams that match, each at most as often as it occurs in the other sentence.
    """

    stems: tuple[str, ...]
    unigrams: frozenset[object]
    bigrams: frozenset[object]
    places: dict[str, int]
    """Stem -> bit mask of its positions."""


def score_step(gold: Sequence[str], predicted: Sequence[str]) -> StepScores:
    """The official scores of one step, from its gold answers and predictions as sentences.

    Equal predictions count once. A single prediction that begins with "there will be no change" means none.
    """
    predicted = distinct_changes(predicted)
    return empty_step(gold, predicted) or StepScores(*best_scores(pair_scores(gold, predicted)))


def empty_step(gold: Sequence[str], predicted: Sequence[str]) -> StepScores | None:
    """The scores of a step without gold answers or without predictions; None for other steps.

    Precision and recall are 1 if both are empty; if only one is, F1 is 0.
    """
    if gold and predicted:
        return None
    score = Score(float(not predicted), float(not gold), float(not gold and not predicted))
    return StepScores(score, score, score)


def pair_scores(gold: Sequence[str], predicted: Sequence[str]) -> Pairs:
    """Exact, BLEU and ROUGE of each pair of a gold answer and a prediction: an array of shape (3, gold, predicted)."""
    answers, predictions = [_read(sentence) for sentence in gold], [_read(sentence) for sentence in predicted]
    compared = [_compare(answer, prediction) for answer in answers for prediction in predictions]
    return np.array(compared, dtype=np.float64).reshape(len(gold), len(predicted), 3).transpose(2, 0, 1)


def mean_scores(steps: Iterable[StepScores]) -> StepScores:
    """The means over steps, of which there must be one at least."""
    means = np.mean([*steps], axis=0)
    return StepScores(*(Score(*map(float, mean)) for mean in means))


def distinct_changes(predicted: Sequence[str]) -> list[str]:
    """The distinct sentences in their order; none if the only one says that nothing changes."""
    if len(predicted) == 1 and predicted[0].strip().lower().startswith(NO_CHANGE):
        return []
    return list(dict.fromkeys(predicted))


def best_scores(pairs: Pairs) -> Iterable[Score]:
    """The official score of a step by each metric of `pairs`, shape (metrics, gold, predicted)."""
    precisions = pairs.max(axis=1).mean(axis=1).tolist()
    recalls = pairs.max(axis=2).mean(axis=1).tolist()
    return map(score_of, precisions, recalls)


def stems_of(sentence: str) -> tuple[str, ...]:
    """The stems by which sentences are compared, in lower case, without punctuation and the words of the template."""
    words = sentence.strip().lower().translate(_NO_PUNCTUATION).split()
    return tuple([stem(word) for word in words if word not in TEMPLATE_WORDS])


@lru_cache(maxsize=1 << 16)
def _read(sentence: str) -> _Sentence:
    stems = stems_of(sentence)
    places: dict[str, int] = {}
    for position, part in enumerate(stems):
        places[part] = places.get(part, 0) | 1 << position
    return _Sentence(stems, _counted(stems), _counted(list(pairwise(stems))), places)


def _counted(items: Sequence[object]) -> frozenset[object]:
    distinct = frozenset(items)
    if len(distinct) == len(items):
        return distinct
    seen: dict[object, int] = {}
    again = []
    for item in items:
        if item in seen:
            again.append((item, seen[item]))
        seen[item] = seen.get(item, 0) + 1
    return distinct.union(again)


def _compare(gold: _Sentence, predicted: _Sentence) -> tuple[float, float, float]:
    """Exact, BLEU and ROUGE of two sentences; all 1 if nothing is left of either, 0 if nothing is of one."""
    if not gold.stems or not predicted.stems:
        same = float(gold.stems == predicted.stems)
        return same, same, same
    common = len(gold.unigrams & predicted.unigrams)
    bigrams = len(gold.bigrams & predicted.bigrams) if common > 1 else 0
    longest = _longest_common_subsequence(gold, predicted) if common > 1 else common
    length, guessed = len(gold.stems), len(predicted.stems)
    exact = float(gold.stems == predicted.stems)
    return exact, _bleu(common, bigrams, length, guessed), _rouge(longest, length, guessed)


@lru_cache(maxsize=1 << 16)
def _bleu(unigrams: int, bigrams: int, length: int, guessed: int) -> float:
    """Cumulative BLEU-2 as the COCO caption scorer computes it, from the numbers of n-grams that match and of stems."""
    product = (unigrams + _TINY) / (guessed + _SMALL) * ((bigrams + _TINY) / (guessed - 1 + _SMALL))
    ratio = (guessed + _TINY) / (length + _SMALL)
    return math.sqrt(product) * (math.exp(1 - 1 / ratio) if ratio < 1 else 1.0)


@lru_cache(maxsize=1 << 16)
def _rouge(longest: int, length: int, guessed: int) -> float:
    """ROUGE-L as the COCO caption scorer computes it, from the longest common subsequence and numbers of stems."""
    if not longest:
        return 0.0
    precision, recall = longest / guessed, longest / length
    return (1 + _BETA_SQUARED) * precision * recall / (recall + _BETA_SQUARED * precision)


def _longest_common_subsequence(gold: _Sentence, predicted: _Sentence) -> int:
    """The length of the longest common subsequence, one row of its table as bits (Hyyrö 2004)."""
    every = (1 << len(gold.stems)) - 1
    row = every
    for part in predicted.stems:
        matches = row & gold.places.get(part, 0)
        row = (row + matches) | (row - matches)
    return len(gold.stems) - (row & every).bit_count()
