"""The classifier of the published model of scenarios: a perceptron on tf.idf, one scenario against all others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import torch
from attrs import field, frozen, validators
from numpy.typing import NDArray
from torch import Tensor, nn

FEATURES = "tfidf"
"""What checkpoints call words that are weighted by their inverse document frequency."""


@frozen(kw_only=True, eq=False)
class TfIdf:
    """Counts of words times their inverse document frequency, at unit length (Salton and McGill 1986).

    Raises ValueError if there are not as many frequencies as words.
    """

    words: tuple[str, ...] = field(converter=tuple[str, ...], validator=validators.min_len(1))
    idf: NDArray[np.float64]
    """(words,)."""

    def __attrs_post_init__(self) -> None:
        if self.idf.shape != (len(self.words),) or not np.isfinite(self.idf).all():
            raise ValueError(f"inverse document frequencies of {self.idf.shape} for {len(self.words)} words")

    @classmethod
    def of(cls, words: Sequence[str], texts: Sequence[Sequence[str]]) -> TfIdf:
        """Weights of words by the texts that they occur in: ln((1 + texts) / (1 + those with the word)) + 1."""
        frequencies = Counter(word for text in texts for word in set(text))
        return cls(
            words=words, idf=np.array([math.log((1 + len(texts)) / (1 + frequencies[word])) + 1 for word in words])
        )

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def vectors(self, texts: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """The vector of each text in words, (texts, words); zero without a known word."""
        vectors = np.zeros((len(texts), len(self.words)))
        for row, text in enumerate(texts):
            for word, count in Counter(text).items():
                if word in self._places:
                    vectors[row, self._places[word]] = count
        vectors *= self.idf
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float64] = np.divide(vectors, norms, out=vectors, where=norms > 0)
        return unit


_DIGITS = 6


class ScenarioClassifier(nn.Module):
    """A perceptron on vectors of the length `size`: a layer of ReLUs, dropout, and one logit a scenario.

    The hidden layer is shared by the scenarios; each scenario has a binary classifier on it, so that a segment may have
    any number of them (Wanzare, Roth and Pinkal 2019, section 4).
    """

    def __init__(self, size: int, *, hidden: int, scenarios: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(size, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, scenarios)
        )

    def forward(self, vectors: Tensor) -> Tensor:
        """The logits, (segments, scenarios), of vectors, (segments, size)."""
        logits: Tensor = self.layers(vectors)
        return logits

    def probabilities(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability that each segment is about each scenario, (segments, scenarios), independent of each other.
        Computed in double precision and rounded, so that they do not depend on the other segments of a batch.
        """
        with torch.inference_mode():
            logits = self(torch.from_numpy(vectors).double())
            probabilities: NDArray[np.float64] = logits.sigmoid().numpy().round(_DIGITS)
        return probabilities


def scenario_entropy(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """The entropy of the probabilities of scenarios, normalised to sum to one, from 0 to 1, (segments,).

    It is divided by its maximum, the logarithm of the number of scenarios. A high entropy means that no scenario is
    much more probable than the others (section 5.1).
    """
    count = probabilities.shape[1]
    if count < 2:
        return np.zeros(len(probabilities))
    sums = probabilities.sum(axis=1, keepdims=True)
    shares = np.divide(probabilities, sums, out=np.full_like(probabilities, 1 / count), where=sums > 0)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    entropies: NDArray[np.float64] = -(shares * logs).sum(axis=1) / np.log(count)
    return entropies
