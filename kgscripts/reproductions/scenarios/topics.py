"""Topics of latent Dirichlet allocation (Blei, Ng and Jordan 2003) that were trained before, and their shares in a
text.

Training needs tomotopy (`lightning_modules.scenarios.tiling_task`); this module needs only NumPy and SciPy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray
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
        """The most relevant topic of each known word in this text."""
        found = self._infer(words)
        if found is None:
            return {}
        known, relevance, _ = found
        return {self.words[word]: int(topic) for word, topic in zip(known, relevance.argmax(axis=0), strict=True)}

    def proportions(self, words: Sequence[str]) -> NDArray[np.float64]:
        """The share of each topic in a text, (topics,): they sum to one, or are all zero without a known word."""
        found = self._infer(words)
        if found is None:
            return np.zeros(len(self.priors))
        _, relevance, counts = found
        shares: NDArray[np.float64] = relevance @ counts / counts.sum()
        return shares

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def _infer(self, words: Sequence[str]) -> tuple[list[int], NDArray[np.float64], NDArray[np.float64]] | None:
        """Mean-field inference (Blei et al. 2003, section 5.2).

        Gives the known words, the relevance of each topic to each of them, (topics, words), and their counts, (words,);
        None if no word is known.
        """
        counted = Counter(self._places[word] for word in words if word in self._places)
        if not counted:
            return None
        known = sorted(counted)
        counts = np.array([counted[word] for word in known], dtype=np.float64)
        probabilities = self.word_probabilities[:, known]
        parameters = self.priors + counts.sum() / len(self.priors)
        relevance = probabilities
        for _ in range(_ROUNDS):
            relevance = probabilities * np.exp(digamma(parameters) - digamma(parameters).max())[:, None]
            relevance /= relevance.sum(axis=0)
            parameters = self.priors + relevance @ counts
        return known, relevance, counts
