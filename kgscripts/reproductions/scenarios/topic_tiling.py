"""TopicTiling (Riedl and Biemann 2012): segments of a text, found where the topics of its sentences change.

The threshold of depth scores is mean - sd/x with x = 0.1, the published setting of Wanzare, Roth and Pinkal (2019,
section 4). It is mean - 10 sd: mostly negative, so that nearly every local minimum of the coherence is a boundary. The
coherence is smoothed first, as in TextTiling (Hearst 1994, 1997), which the depth scores are taken from.

The baselines have a segment for each sentence, or boundaries at random (section 5.1).

Topics are those of latent Dirichlet allocation (Blei, Ng and Jordan 2003) that were trained before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import pairwise

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.signal import find_peaks
from scipy.special import digamma

_ROUNDS = 50
"""Of inference; the assignments of words rarely change after 20."""

_positive = [validators.instance_of(float), validators.gt(0.0), validators.lt(float("inf"))]


@frozen(kw_only=True, eq=False)
class TopicModel:
    """Topics as counts of words. Raises ValueError if its parts do not fit together."""

    words: tuple[str, ...] = field(converter=tuple[str, ...], validator=validators.min_len(1))
    counts: NDArray[np.float64]
    """How often each word was assigned to each topic in training, (topics, words)."""
    priors: NDArray[np.float64]
    """Dirichlet parameters of the topics of a document, (topics,)."""
    word_prior: float = field(validator=_positive)
    """Dirichlet parameter of the words of a topic."""

    def __attrs_post_init__(self) -> None:
        if self.priors.ndim != 1 or not len(self.priors) or self.counts.shape != (len(self.priors), len(self.words)):
            raise ValueError(
                f"counts of {self.counts.shape}, priors of {self.priors.shape} and {len(self.words)} words"
            )
        if not np.isfinite(self.counts).all() or self.counts.min() < 0:
            raise ValueError("a count that is negative or not finite")
        if not np.isfinite(self.priors).all() or self.priors.min() <= 0:
            raise ValueError("a prior that is not positive")

    @cached_property
    def word_probabilities(self) -> NDArray[np.float64]:
        """The probability of each word in each topic, (topics, words)."""
        smoothed = self.counts + self.word_prior
        probabilities: NDArray[np.float64] = smoothed / smoothed.sum(axis=1, keepdims=True)
        return probabilities

    def topics_of_words(self, words: Sequence[str]) -> dict[str, int]:
        """The most relevant topic of each known word in this text, by mean-field inference (Blei et al. 2003, section
        5.2)."""
        counted = Counter(self._places[word] for word in words if word in self._places)
        if not counted:
            return {}
        known = sorted(counted)
        counts = np.array([counted[word] for word in known], dtype=np.float64)
        probabilities = self.word_probabilities[:, known]
        parameters = self.priors + counts.sum() / len(self.priors)
        relevance = probabilities
        for _ in range(_ROUNDS):
            # A common factor, which keeps the exponential in range, is gone after the division.
            relevance = probabilities * np.exp(digamma(parameters) - digamma(parameters).max())[:, None]
            relevance /= relevance.sum(axis=0)
            parameters = self.priors + relevance @ counts
        return {self.words[word]: int(topic) for word, topic in zip(known, relevance.argmax(axis=0), strict=True)}

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {word: place for place, word in enumerate(self.words)}


_DIGITS = 9
"""Coherence is rounded so that a plateau is flat on any processor."""
_SMOOTHED = 3


@frozen(kw_only=True)
class TilingSettings:
    """Raises ValueError or TypeError for values that are out of range."""

    window: int = field(default=2, validator=[validators.instance_of(int), validators.ge(1), validators.le(1000)])
    """Sentences of the block on either side of a gap."""
    smoothing: int = field(default=2, validator=[validators.instance_of(int), validators.ge(0), validators.le(100)])
    """The number of rounds of smoothing: the coherence is replaced by the mean of three neighbouring gaps."""
    threshold: float = field(
        default=0.1, validator=[validators.instance_of(float), validators.gt(0.0), validators.lt(float("inf"))]
    )
    """The x of mean - sd/x."""


def coherence_scores(topics: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """The cosine of the blocks before and after each gap between sentences, (sentences - 1,).

    A block is the sum of the topics of up to `window` sentences; the cosine with a block without topics is 0.

    Parameters
    ----------
    topics:
        The weight of each topic in each sentence, (sentences, topics).
    """
    sums = np.concatenate([np.zeros((1, topics.shape[1])), topics.cumsum(axis=0)])
    gaps = np.arange(1, len(topics))
    before = sums[gaps] - sums[np.maximum(gaps - window, 0)]
    after = sums[np.minimum(gaps + window, len(topics))] - sums[gaps]
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    products = (before * after).sum(axis=1)
    scores: NDArray[np.float64] = np.divide(products, norms, out=np.zeros(len(gaps)), where=norms > 0)
    return scores


def depth_scores(coherence: NDArray[np.float64], minima: NDArray[np.intp]) -> NDArray[np.float64]:
    """The depth of each local minimum, (minima,): half the sum of the rises to the nearest peaks on both sides."""
    rises = np.diff(coherence)
    depths = []
    for place in minima:
        left = right = int(place)
        while left > 0 and rises[left - 1] <= 0:
            left -= 1
        while right < len(rises) and rises[right] >= 0:
            right += 1
        depths.append((coherence[left] + coherence[right]) / 2 - coherence[place])
    return np.array(depths)


def tile(topics: NDArray[np.float64], settings: TilingSettings) -> list[tuple[int, int]]:
    """The segments `start:end` of a text, in order.

    Parameters
    ----------
    topics:
        The weight of each topic in each sentence, (sentences, topics).
    """
    coherence = coherence_scores(topics, settings.window)
    for _ in range(settings.smoothing if len(coherence) else 0):
        coherence = uniform_filter1d(coherence, _SMOOTHED, mode="nearest")
    coherence = coherence.round(_DIGITS)
    # Of a plateau, this is the middle.
    minima = find_peaks(-coherence)[0]
    depths = depth_scores(coherence, minima)
    # Equally deep minima are the threshold themselves, up to rounding.
    threshold = depths.mean() - depths.std() / settings.threshold if len(minima) else 0.0
    chosen = minima[depths > threshold - 10**-_DIGITS]
    return list(pairwise([0, *(int(gap) + 1 for gap in chosen), len(topics)])) if len(topics) else []


def each_sentence(sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Each sentence is a segment of its own."""
    return [(place, place + 1) for place in range(len(sentences))]


def random_segments(sentences: Sequence[str], *, boundary_share: float, seed: int) -> list[tuple[int, int]]:
    """A boundary follows each sentence with the probability `boundary_share`; the same text has the same segments."""
    if not sentences:
        return []
    # Texts of users may have half a surrogate pair, which plain UTF-8 refuses.
    text = "\n".join(sentences).encode("utf-8", "surrogatepass")
    draws = np.random.default_rng([seed, *sha256(text).digest()]).random(len(sentences) - 1)
    chosen = np.flatnonzero(draws < boundary_share) + 1
    return list(pairwise([0, *map(int, chosen), len(sentences)]))
