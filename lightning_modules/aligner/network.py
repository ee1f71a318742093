"""The network that learns to align, and its batches: MiniLM's lower layers with adapters, and a bilinear score."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from attrs import frozen
from torch import Tensor, nn

from kgscripts.models.alignment.aligner import ADAPTERS
from kgscripts.models.alignment.inputs import FEATURES, AlignerInputs, Row
from kgscripts.reproductions.torch_networks.adapters import AdaptedNetwork, with_adapters
from kgscripts.reproductions.torch_networks.bert import BertEncoder
from kgscripts.reproductions.torch_networks.inference import TensorFields, padded


@frozen(eq=False)
class AlignerBatch(TensorFields):
    """Rows of pieces, padded with zeros.

    `ids`, `types`, `attention` (rows, pieces) int64; `abstract` (rows, abstract) and `concrete` (rows, concrete) int64
    are the first piece of each word; `aligned` (rows, abstract) bool is true for words that can be aligned to;
    `features` (rows, concrete, abstract, 4) float32, see `FEATURES`.
    """

    ids: Tensor
    types: Tensor
    attention: Tensor
    abstract: Tensor
    concrete: Tensor
    aligned: Tensor
    features: Tensor

    @classmethod
    def of(cls, rows: Sequence[Row]) -> AlignerBatch:
        """Rows of windows."""
        height, width = max(len(row.concrete) for row in rows), max(len(row.abstract) for row in rows)
        aligned = torch.zeros(len(rows), width, dtype=torch.bool)
        features = torch.zeros(len(rows), height, width, len(FEATURES))
        for at, row in enumerate(rows):
            aligned[at, : len(row.abstract)] = torch.from_numpy(row.aligned)
            features[at, : len(row.concrete), : len(row.abstract)] = torch.from_numpy(row.features)
        pieces, attention = padded([row.ids for row in rows])
        types, abstract, concrete = (
            padded(side)[0] for side in zip(*((row.types, row.abstract, row.concrete) for row in rows), strict=True)
        )
        return cls(pieces, types, attention, abstract, concrete, aligned, features)


_NOT_ALIGNED = -1e4
"""The score of words to which no word is aligned: its probability is zero in float32."""


class AlignerNetwork(AdaptedNetwork):
    """Scores of pairs of words, as `kgscripts.models.alignment.network.AlignerLayers` computes them.

    Parameters
    ----------
    encoder:
        MiniLM, which becomes part of the network: it is cut to its first `layers` layers and gets adapters.
    layers, size:
        Layers kept, and size of the vectors whose inner product is the score.
    rank:
        The rank of the adapters.
    """

    adapter_names = ADAPTERS

    def __init__(self, encoder: BertEncoder, *, layers: int, size: int, rank: int) -> None:
        super().__init__()
        encoder.network.encoder.layer = encoder.network.encoder.layer[:layers]
        width = encoder.network.config.hidden_size
        self.adapted = with_adapters(encoder.network, rank)
        self.concrete = nn.Linear(width, size)
        self.abstract = nn.Linear(width, size)
        self.features = nn.Linear(len(FEATURES), 1, bias=False)
        nn.init.zeros_(self.features.weight)
        self._scale = 1.0 / math.sqrt(size)
        self.inputs = AlignerInputs(encoder.pieces, start=encoder.start, separator=encoder.separator, mask=encoder.mask)

    def forward(self, batch: AlignerBatch) -> Tensor:
        """Scores (rows, concrete, abstract), float32; their softmax over the last axis is p(a_j = i | x, y)."""
        states = self.adapted(
            input_ids=batch.ids, attention_mask=batch.attention, token_type_ids=batch.types
        ).last_hidden_state
        concrete = self.concrete(_at(states, batch.concrete))
        abstract = self.abstract(_at(states, batch.abstract))
        scores = concrete.float() @ abstract.float().transpose(1, 2) * self._scale
        scores = scores + self.features(batch.features)[..., 0].float()
        masked: Tensor = scores.masked_fill(~batch.aligned[:, None, :], _NOT_ALIGNED)
        return masked


def _at(states: Tensor, places: Tensor) -> Tensor:
    """(rows, pieces, size) at places (rows, words): (rows, words, size)."""
    return states.gather(1, places[:, :, None].expand(-1, -1, states.shape[2]))
