"""Accuracy of alignments: on gold labels, and on anchors, the concrete words that also occur on the abstract side.

docs/measurements/alignments.md describes the measures and has the results.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from attrs import field, frozen

from kgscripts.corpora.pairs.gold_alignments import GoldAlignment
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.words import is_content_word
from kgscripts.models.cloze.protocol import UNKNOWN_WORD
from schemas.provenance import BenchmarkScore, Direction, Exposure

Path = tuple[int, ...]
"""For each concrete token the index of the abstract token that it is aligned to."""

Align = Callable[[Sequence[Pair]], Sequence[Sequence[int]]]
"""Aligns pairs, with one path per pair."""

_SAMPLE_SEED = 3
_SAMPLE_SIZE = 200
_RESAMPLES = 2000


@frozen(kw_only=True)
class AlignmentScores:
    """Shares between 0 and 1, and a mean length in tokens.

    `alignment_accuracy` is the share of gold words aligned to an accepted abstract word, `interval` its 95 % interval
    over resampled pairs. `anchor_accuracy` is the share of anchors aligned to their own word;
    `anchor_accuracy_unknown` the same with the anchor in question replaced by the unknown word. `mean_span_length` is
    the number of concrete tokens for each abstract token that any is aligned to, on the gold pairs.
    """

    name: str
    alignment_accuracy: float
    interval: tuple[float, float]
    anchor_accuracy: float
    anchor_accuracy_unknown: float
    mean_span_length: float
    monotonic: bool

    def benchmark_scores(self, dataset: str, split: str, exposure: Exposure) -> list[BenchmarkScore]:
        """The scores for a model card; each metric states whether crossings were allowed."""
        order = "monotonic" if self.monotonic else "free"
        shares = {
            f"alignment accuracy, {order}": self.alignment_accuracy,
            f"anchor accuracy, {order}": self.anchor_accuracy,
            f"anchor accuracy with anchors unknown, {order}": self.anchor_accuracy_unknown,
        }
        scores = [
            BenchmarkScore(dataset=dataset, split=split, metric=metric, value=value, unit="share", exposure=exposure)
            for metric, value in shares.items()
        ]
        metric, span = f"mean span length, {order}", self.mean_span_length
        length = BenchmarkScore(
            dataset=dataset,
            split=split,
            metric=metric,
            value=span,
            unit="words",
            exposure=exposure,
            direction=Direction.LOWER,
        )
        return [*scores, length]


@frozen
class Anchors:
    """The anchors of some pairs; `indices` are (pair, concrete token) in order."""

    pairs: Sequence[Pair]
    indices: tuple[tuple[int, int], ...] = field(init=False)

    @indices.default
    def _default_indices(self) -> tuple[tuple[int, int], ...]:
        return tuple((row, index) for row, pair in enumerate(self.pairs) for index in anchors(pair))

    def accuracy(self, align: Align) -> float:
        """The share of anchors that are aligned to the same word."""
        paths = align(self.pairs)
        return self._share([paths[row][index] for row, index in self.indices])

    def accuracy_unknown(self, align: Align) -> float:
        """The same with one anchor at a time replaced by the unknown word, so that copying does not help."""
        hidden = [_with_unknown(self.pairs[row], index) for row, index in self.indices]
        return self._share([path[index] for path, (_, index) in zip(align(hidden), self.indices, strict=True)])

    def _share(self, aligned: Sequence[int]) -> float:
        right = [
            self.pairs[row].abstract[abstract] == self.pairs[row].concrete[index]
            for abstract, (row, index) in zip(aligned, self.indices, strict=True)
        ]
        return sum(right) / len(right) if right else 0.0


def evaluate_alignments(
    name: str, align: Align, gold: Sequence[GoldAlignment], pairs: Sequence[Pair], sample: Anchors
) -> AlignmentScores:
    """Score one model: `gold` labels rows of `pairs`, `sample` are the anchors that are measured."""
    labelled = [pairs[alignment.row - 1] for alignment in gold]
    paths = align(labelled)
    counts = [_right_of(alignment, path) for alignment, path in zip(gold, paths, strict=True)]
    return AlignmentScores(
        name=name,
        alignment_accuracy=_share_of(counts),
        interval=_bootstrap(counts),
        anchor_accuracy=sample.accuracy(align),
        anchor_accuracy_unknown=sample.accuracy_unknown(align),
        mean_span_length=mean_span_length(paths),
        monotonic=all(list(path) == sorted(path) for path in paths),
    )


def anchors(pair: Pair) -> list[int]:
    """Concrete indices of the content words that occur on the abstract side in the same form."""
    abstract = set(pair.abstract)
    return [index for index, word in enumerate(pair.concrete) if word in abstract and is_content_word(word)]


def sample_of_anchors(pairs: Sequence[Pair]) -> Anchors:
    """The anchors of 200 pairs, drawn with a fixed seed from the pairs sorted by length."""
    ordered = sorted(pairs, key=lambda pair: len(pair.abstract) + len(pair.concrete))
    rows = random.Random(_SAMPLE_SEED).sample(range(len(ordered)), min(_SAMPLE_SIZE, len(ordered)))
    return Anchors([ordered[row] for row in rows])


def mean_span_length(paths: Sequence[Sequence[int]]) -> float:
    """Mean number of concrete tokens per abstract token with any; 0 without paths."""
    spans = sum(len(set(path)) for path in paths)
    return sum(len(path) for path in paths) / spans if spans else 0.0


def best_monotonic(pairs: Sequence[Pair], accepted: Sequence[dict[int, frozenset[int]]]) -> float:
    """The accuracy of the best path without crossings, an upper bound for monotonic models.

    `accepted` maps for each pair its labelled concrete indices to their accepted abstract indices.
    """
    right = 0
    for pair, labels in zip(pairs, accepted, strict=True):
        best = [0] * len(pair.abstract)
        for index in range(len(pair.concrete)):
            reached = 0
            for token in range(len(best)):
                reached = max(reached, best[token])
                best[token] = reached + (token in labels.get(index, ()))
        right += max(best)
    total = sum(map(len, accepted))
    return right / total if total else 0.0


def _with_unknown(pair: Pair, index: int) -> Pair:
    concrete = (*pair.concrete[:index], UNKNOWN_WORD, *pair.concrete[index + 1 :])
    return Pair(abstract=pair.abstract, concrete=concrete, where=pair.where)


def _right_of(alignment: GoldAlignment, path: Sequence[int]) -> tuple[int, int]:
    """The number of correctly aligned gold words of a pair, and of all its gold words."""
    right = sum(path[index] in accepted for index, accepted in alignment.aligned.items())
    return right, len(alignment.aligned)


def _share_of(counts: Sequence[tuple[int, int]]) -> float:
    total = sum(of for _, of in counts)
    return sum(right for right, _ in counts) / total if total else 0.0


def _bootstrap(counts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The 95 % percentile interval over pairs drawn with replacement, with a fixed seed."""
    draw = random.Random(_SAMPLE_SEED)
    shares = sorted(_share_of(draw.choices(counts, k=len(counts))) for _ in range(_RESAMPLES))
    return shares[round(0.025 * (_RESAMPLES - 1))], shares[round(0.975 * (_RESAMPLES - 1))]
