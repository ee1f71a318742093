"""The network of the aligner: MiniLM's lower layers with low-rank adapters, and a bilinear score of pairs of words."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from attrs import evolve, field, frozen

from kgscripts.models.alignment.inputs import FEATURES, AlignerInputs, Sides
from kgscripts.models.encoder import Encoder
from kgscripts.models.runtime import Array


@frozen(eq=False)
class AlignerLayers:
    """Scores each concrete word against each abstract word, both sides read together.

    `weights` are those of a checkpoint beside the adapters, which the `encoder` has.
    """

    encoder: Encoder
    weights: Mapping[str, Array]
    _inputs: AlignerInputs = field(init=False)

    @_inputs.default
    def _made(self) -> AlignerInputs:
        encoder = self.encoder
        return AlignerInputs(encoder.pieces, start=encoder.start, separator=encoder.separator, mask=encoder.mask)

    def to(self, device: str) -> AlignerLayers:
        """These layers over the encoder on another device."""
        return evolve(self, encoder=self.encoder.to(device))

    def fits(self, size: int) -> bool:
        """Whether the weights are those of vectors of this size."""
        shapes: dict[str, tuple[int, ...]] = {"features.weight": (1, len(FEATURES))}
        for side in ("concrete", "abstract"):
            shapes |= {f"{side}.weight": (size, self.encoder.size), f"{side}.bias": (size,)}
        return {name: value.shape for name, value in self.weights.items()} == shapes

    def log_posteriors(self, pair: Sides) -> Array:
        """log p(a_j = i | x, y) of each word independently, (concrete, abstract); -inf where impossible."""
        result = np.full((len(pair.concrete), len(pair.abstract)), -math.inf, dtype=np.float32)
        for window in self._inputs.windows(0, pair):
            row = self._inputs.row(pair, window)
            states = self.encoder.states(row.ids, row.types)[-1]
            concrete = self._linear(states[list(row.concrete)], "concrete")
            abstract = self._linear(states[list(row.abstract)], "abstract")
            scores = concrete @ abstract.T / np.float32(math.sqrt(concrete.shape[1]))
            scores = scores + row.features @ self.weights["features.weight"][0]
            scores[:, ~row.aligned] = -math.inf
            scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
            result[_slice(window.concrete), _slice(window.abstract)] = scores
        return result

    def _linear(self, states: Array, name: str) -> Array:
        result: Array = states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return result


def _slice(indices: range) -> slice:
    return slice(indices.start, indices.stop)
