"""The features of a segment for the classifier of the published model of scenarios: tf.idf."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

FEATURES = "tfidf"
"""What checkpoints call words that are weighted by their inverse document frequency."""


@frozen(kw_only=True)
class SegmentText:
    """A segment of a text, or a whole story."""

    words: Sequence[str]
    """Its content words; see `kgscripts.text.content_words`."""
    text: str


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
