"""Labels for stories without one, so that the detector learns from them too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from kgscripts.reproductions.scenarios.documents import LabelledStory
from lightning_modules.scenarios.made_documents import Passage
from schemas.scenario_documents import NONE

Vectors = Callable[[Sequence[str]], NDArray[np.float64]]
"""Unit vectors of sentences, (sentences, size)."""

_PART = 8
"""Sentences of the parts of labelled stories, as passages are short too."""
_SHRINKAGE = 0.4
"""How much the common covariance is drawn to that of independent features of equal variance."""


def labelled_by_passages(
    stories: Sequence[LabelledStory],
    passages: Iterable[Passage],
    labelled: Iterable[LabelledStory],
    vectors: Vectors,
    share: float,
) -> list[LabelledStory]:
    """The share of `stories` whose scenario is clearest, with it, as passages and labelled stories tell.

    The mean vectors of passages are taken to be normally distributed about that of their scenario, all with one
    covariance (linear discriminant analysis); a story is the clearer, the more likely its scenario is than the next.
    """
    known = [*_vectors_by_scenario(passages, labelled, vectors)]
    scenarios = sorted({scenario for scenario, _ in known})
    if not stories or len(scenarios) < 2 or not share:
        return []
    places = np.array([scenarios.index(scenario) for scenario, _ in known])
    rows = np.stack([vector for _, vector in known])
    means = np.stack([rows[places == place].mean(axis=0) for place in range(len(scenarios))])
    spread = np.atleast_2d(np.cov((rows - means[places]).T))
    size = len(spread)
    covariance = (1 - _SHRINKAGE) * spread + (_SHRINKAGE * np.trace(spread) / size + 1e-9) * np.eye(size)
    weights = np.linalg.solve(covariance, means.T)
    bias = -0.5 * np.einsum("kd,dk->k", means, weights)
    scores = np.stack([_mean(vectors(story.sentences)) for story in stories]) @ weights + bias
    ranked = np.sort(scores, axis=1)
    margins = ranked[:, -1] - ranked[:, -2]
    clearest = sorted(np.argsort(-margins, kind="stable")[: round(share * len(stories))])
    return [attrs.evolve(stories[place], scenario=scenarios[int(scores[place].argmax())]) for place in clearest]


def _vectors_by_scenario(
    passages: Iterable[Passage], labelled: Iterable[LabelledStory], vectors: Vectors
) -> Iterable[tuple[str, NDArray[np.float64]]]:
    for passage in passages:
        if passage.scenario != NONE:
            yield passage.scenario, _mean(vectors(passage.sentences))
    for story in labelled:
        for start in range(0, len(story.sentences), _PART):
            yield story.scenario, _mean(vectors(story.sentences[start : start + _PART]))


def _mean(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The direction of the sum of unit vectors."""
    total = rows.sum(axis=0)
    mean: NDArray[np.float64] = total / max(float(np.linalg.norm(total)), 1e-9)
    return mean
