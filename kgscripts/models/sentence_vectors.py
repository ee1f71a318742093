"""Vectors of short texts by MiniLM, as integers that do not depend on the other texts of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from kgscripts.models.encoder import Encoder, shared_minilm
from kgscripts.models.inference import fixed_batches, padded, padded_length, run_side_by_side
from kgscripts.models.stored_vectors import SCALE
from kgscripts.text.passages import MAX_CHARACTERS

SIZE = 384

_MOST_PIECES = 256
"""The most pieces of a text, as in sentence-transformers with this model; the rest is cut off."""

_REMEMBERED = 100_000

_STEP = 4
_BATCH_PIECES = 128
"""Texts are short, so that small steps of padding, and batches of few pieces, leave little padding."""


Vectors: TypeAlias = Callable[[Sequence[str]], NDArray[np.int8]]
"""Gives the `quantised_vectors` of texts by some encoder."""


def quantised_vectors(texts: Sequence[str], encoder: Encoder | None = None) -> NDArray[np.int8]:
    """Unit vectors of texts times `SCALE`, rounded, (texts, `SIZE`) int8: the mean over the pieces of each.

    The encoder is MiniLM if none is given.

    Compare them by dot products of integers: ``vectors.astype(np.int32) @ vectors.T.astype(np.int32)``. The few
    components that are larger than int8 holds are cut to it.

    Raises ModelError if MiniLM cannot be found.
    """
    return _vectors(texts, shared_minilm() if encoder is None else encoder, _rows)


def quantised_vector(text: str, encoder: Encoder | None = None) -> NDArray[np.int8]:
    """The vector of one text, (`SIZE`,) int8, in a fraction of the time of `quantised_vectors`.

    It is not rounded as those of a batch: now and then a component differs by one. Raises what `quantised_vectors`
    raises.
    """
    vector: NDArray[np.int8] = _vectors([text], shared_minilm() if encoder is None else encoder, lambda _: 1)[0]
    return vector


def _vectors(texts: Sequence[str], encoder: Encoder, rows_of: Callable[[int], int]) -> NDArray[np.int8]:
    """Vectors of texts, of which `rows_of` a length are computed at once."""
    most = _MOST_PIECES - 2
    ids = [[encoder.start, *encoder.pieces(text[:MAX_CHARACTERS])[:most], encoder.separator] for text in texts]
    batches = list(fixed_batches([len(pieces) for pieces in ids], _STEP, rows_of))

    def run(chosen: Sequence[int]) -> torch.Tensor:
        length = padded_length(len(ids[chosen[0]]), _STEP)
        # Filled up with copies, since a batch of another shape has other last bits.
        rows = [*chosen, *[chosen[0]] * (rows_of(length) - len(chosen))]
        read, attention = (part.to(encoder.device) for part in padded([ids[row] for row in rows], length))
        states = encoder.network(read, attention).last_hidden_state
        sums = (states * attention[:, :, None]).sum(dim=1)
        return torch.nn.functional.normalize(sums, dim=1)[: len(chosen)].cpu()

    vectors = np.zeros((len(texts), SIZE), dtype=np.int8)
    for chosen, units in zip(batches, run_side_by_side(run, batches), strict=True):
        vectors[chosen] = (units * SCALE).round().clamp(-127, 127).to(torch.int8).numpy()
    return vectors


def _rows(length: int) -> int:
    return max(1, _BATCH_PIECES // length)


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
