"""Vectors of short texts by MiniLM, as integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgscripts.models.encoder import Encoder, shared_minilm
from kgscripts.models.runtime import side_by_side
from kgscripts.models.stored_vectors import SCALE
from kgscripts.text.passages import MAX_CHARACTERS

SIZE = 384

_MOST_PIECES = 256
"""The most pieces of a text, as in sentence-transformers with this model; the rest is cut off."""

_BATCH_PIECES = 256

_REMEMBERED = 100_000


Vectors: TypeAlias = Callable[[Sequence[str]], NDArray[np.int8]]
"""Gives the `quantised_vectors` of texts by some encoder."""


def quantised_vectors(texts: Sequence[str], encoder: Encoder | None = None) -> NDArray[np.int8]:
    """Unit vectors of texts times `SCALE`, rounded, (texts, `SIZE`) int8: the mean over the pieces of each.

    The encoder is MiniLM if none is given.

    Compare them by dot products of integers: ``vectors.astype(np.int32) @ vectors.T.astype(np.int32)``. The few
    components that are larger than int8 holds are cut to it.
    """
    reads = shared_minilm() if encoder is None else encoder
    most = _MOST_PIECES - 2
    ids = [[reads.start, *reads.pieces(text[:MAX_CHARACTERS])[:most], reads.separator] for text in texts]

    def run(rows: Sequence[int]) -> NDArray[np.float32]:
        means = reads.states_of([ids[row] for row in rows])[-1].mean(axis=1)
        units: NDArray[np.float32] = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
        return units

    batches = list(_of_same_length(list(map(len, ids))))
    vectors = np.zeros((len(texts), SIZE), dtype=np.int8)
    for rows, units in zip(batches, side_by_side(run, batches), strict=True):
        vectors[rows] = (units * SCALE).round().clip(-127, 127)
    return vectors


def _of_same_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The rows of texts with the same number of pieces, at most `_BATCH_PIECES` pieces at once."""
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    for length, rows in groupby(order, key=lambda row: lengths[row]):
        own, size = list(rows), max(1, _BATCH_PIECES // length)
        yield from (own[start : start + size] for start in range(0, len(own), size))


class RememberedVectors:
    """Computes the vectors of each text once, as long as it remembers no more than `_REMEMBERED` texts."""

    def __init__(self, vectors: Vectors = quantised_vectors) -> None:
        self._vectors = vectors
        self._known: dict[str, NDArray[np.int8]] = {}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """The vectors of texts, (texts, `SIZE`)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new and len(self._known) + len(new) > _REMEMBERED:
            # All are forgotten, also those that this call needs: they are computed again with the others.
            self._known.clear()
            new = list(dict.fromkeys(texts))
        self._known.update(zip(new, self._vectors(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else np.zeros((0, SIZE), dtype=np.int8)
