"""Which segments are about no scenario: thresholds of entropy that are tuned on development documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kgscripts.reproductions.scenarios.counts import compare, count_labels
from kgscripts.reproductions.scenarios.features import FEATURES
from kgscripts.reproductions.scenarios.tiling import SEGMENTATIONS, ReadDocument, ScenarioParts
from schemas.scenario_documents import NONE, ScenarioDocument

Thresholds = Mapping[str, Mapping[str, float]]
"""Segmentation -> `FEATURES` -> threshold."""


def no_thresholds() -> Thresholds:
    """Every segment is about a scenario."""
    return {segmentation: {FEATURES: 1.0} for segmentation in SEGMENTATIONS}


def boundary_share(documents: Sequence[ScenarioDocument]) -> float:
    """The share of gaps between sentences where the gold labels change."""
    changes = [set(left) != set(right) for document in documents for left, right in pairwise(document.labels())]
    return sum(changes) / max(1, len(changes))


def tuned_thresholds(
    parts: ScenarioParts, documents: Sequence[ScenarioDocument], read: Sequence[ReadDocument]
) -> Thresholds:
    """The thresholds with the best micro F1 of sentences, for each segmentation."""
    return {segmentation: {FEATURES: _tuned(parts, segmentation, documents, read)} for segmentation in SEGMENTATIONS}


def _tuned(
    parts: ScenarioParts,
    segmentation: str,
    documents: Sequence[ScenarioDocument],
    read: Sequence[ReadDocument],
) -> float:
    entropies, kept, refused = [], [], []
    for document, words in zip(documents, read, strict=True):
        labels = document.labels()
        spans = parts.spans(segmentation, words)
        for (start, end), (entropy, ranking) in zip(spans, parts.rankings(words, spans), strict=True):
            names = [name for name, _ in ranking]
            entropies.append(entropy)
            kept.append(_counts(labels[start:end], names))
            refused.append(_counts(labels[start:end], [NONE, *names]))
    return best_threshold(np.array(entropies), np.array(kept), np.array(refused))


def _counts(labels: Sequence[Sequence[str]], ranking: Sequence[str]) -> tuple[float, float, float]:
    """True positives, predicted and gold labels of the sentences of a segment."""
    counts = count_labels(compare(gold, ranking) for gold in labels).values()
    true = float(sum(count.true_positives for count in counts))
    return (
        true,
        true + sum(count.false_positives for count in counts),
        true + float(sum(count.false_negatives for count in counts)),
    )


def best_threshold(entropies: NDArray[np.float64], kept: NDArray[np.float64], refused: NDArray[np.float64]) -> float:
    """The threshold with the best F1 if segments above it are about no scenario; the highest of equally good ones.

    Parameters
    ----------
    entropies:
        Of each segment, (segments,).
    kept, refused:
        True positives, predicted and gold labels of each segment, (segments, 3), with its scenario and without.
    """
    order = np.argsort(entropies, kind="stable")
    values = entropies[order]
    none = np.zeros((1, 3))
    below = np.concatenate([none, kept[order].cumsum(axis=0)])
    above = np.concatenate([refused[order][::-1].cumsum(axis=0)[::-1], none])
    true, predicted, gold = (below + above).T
    scores = 2 * true / np.maximum(predicted + gold, 1e-9)
    edges = np.concatenate([[0.0], (values[:-1] + values[1:]) / 2, [1.0]])
    # Segments of equal entropy are on the same side of any threshold.
    possible = np.concatenate([[values[0] > 0], values[:-1] < values[1:], [True]])
    best = max(np.flatnonzero(possible), key=lambda place: (round(scores[place], 9), place))
    return float(edges[best])
