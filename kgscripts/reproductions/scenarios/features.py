"""The features of a segment for the classifier of the published model of scenarios: tf.idf, topics, or MiniLM's
vector."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

from kgscripts.reproductions.scenarios.topics import TopicModel

FEATURES = ("tfidf", "lda", "embedding")
"""Words weighted by inverse document frequency, shares of topics, MiniLM's vector of the text."""


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


def feature_vectors(
    features: str, segments: Sequence[SegmentText], topics: TopicModel, tfidf: TfIdf
) -> NDArray[np.float64]:
    """The vectors of segments, (segments, `feature_size`). Raises ModelError if MiniLM is needed and not found."""
    if features == "tfidf":
        return tfidf.vectors([segment.words for segment in segments])
    if features == "lda":
        rows = [topics.proportions(segment.words) for segment in segments]
        return np.array(rows).reshape(len(segments), len(topics.priors))
    from kgscripts.models.sentence_vectors import quantised_vectors
    from kgscripts.models.stored_vectors import SCALE

    return quantised_vectors([segment.text for segment in segments]).astype(np.float64) / SCALE


def feature_size(features: str, topics: TopicModel, tfidf: TfIdf) -> int:
    """The length of the vectors that `feature_vectors` gives."""
    from kgscripts.models.sentence_vectors import SIZE

    return {"tfidf": len(tfidf.words), "lda": len(topics.priors), "embedding": SIZE}[features]
