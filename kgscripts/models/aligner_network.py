"""The network of the aligner: MiniLM's lower layers with low-rank changes, and a bilinear score of word pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from kgscripts.models.aligner_inputs import FEATURES, AlignerBatch, AlignerInputs, Sides, Window
from kgscripts.models.encoder import Encoder

_NOT_ALIGNED = -1e4
"""The score of words that nothing is aligned to: its probability is zero in float32."""


class LowRankChange(nn.Module):
    """A weight matrix W (out, in) becomes W + 2 up down (Hu et al. 2022), which is W before training."""

    def __init__(self, outputs: int, inputs: int, rank: int) -> None:
        super().__init__()
        self.down = nn.Parameter(torch.randn(rank, inputs) / math.sqrt(inputs))
        self.up = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, weight: Tensor) -> Tensor:
        """(out, in) -> (out, in)."""
        return weight + 2.0 * (self.up @ self.down)


class AlignerNetwork(nn.Module):
    """Scores each concrete word against each abstract word, both sides read together.

    Parameters
    ----------
    encoder:
        MiniLM, which becomes part of the network: it is cut to its first `layers` layers and changed.
    layers, rank, size:
        Layers kept, rank of the changes, and size of the vectors whose inner product is the score.
    """

    def __init__(self, encoder: Encoder, *, layers: int, rank: int, size: int) -> None:
        super().__init__()
        self.encoder = encoder.network.requires_grad_(False)
        self.encoder.encoder.layer = self.encoder.encoder.layer[:layers]
        for module in list(self.encoder.encoder.modules()):
            if isinstance(module, nn.Linear):
                change = LowRankChange(module.out_features, module.in_features, rank)
                parametrize.register_parametrization(module, "weight", change)
        width = self.encoder.config.hidden_size
        self.concrete = nn.Linear(width, size)
        self.abstract = nn.Linear(width, size)
        self.features = nn.Linear(len(FEATURES), 1, bias=False)
        nn.init.zeros_(self.features.weight)
        self._scale = 1.0 / math.sqrt(size)
        tokenizer = encoder.tokenizer
        self.inputs = AlignerInputs(
            encoder.pieces,
            start=tokenizer.cls_token_id,
            separator=tokenizer.sep_token_id,
            mask=tokenizer.mask_token_id,
        )

    def forward(self, batch: AlignerBatch) -> Tensor:
        """Scores (rows, concrete, abstract), float32; their softmax over the last axis is p(a_j = i | x, y)."""
        states = self.encoder(
            input_ids=batch.ids, attention_mask=batch.attention, token_type_ids=batch.types
        ).last_hidden_state
        concrete = self.concrete(_at(states, batch.concrete))
        abstract = self.abstract(_at(states, batch.abstract))
        scores = concrete.float() @ abstract.float().transpose(1, 2) * self._scale
        scores = scores + self.features(batch.features)[..., 0].float()
        masked: Tensor = scores.masked_fill(~batch.aligned[:, None, :], _NOT_ALIGNED)
        return masked

    def trained_tensors(self) -> dict[str, Tensor]:
        """What training changes, by name: all that a checkpoint has to hold beside MiniLM."""
        return {name: parameter for name, parameter in self.named_parameters() if parameter.requires_grad}

    def load_trained_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        """The inverse of `trained_tensors`; values may be stored in half precision.

        Raises ValueError where a tensor is missing, foreign, of another shape or not finite.
        """
        own = self.trained_tensors()
        if own.keys() != tensors.keys():
            raise ValueError(f"{len(own.keys() ^ tensors.keys())} tensors are missing or foreign")
        for name, parameter in own.items():
            if tensors[name].shape != parameter.shape or not tensors[name].isfinite().all():
                raise ValueError(f"{name} is {tuple(tensors[name].shape)}, or not finite")
            parameter.data.copy_(tensors[name])

    def merge_changes(self) -> None:
        """Fold the low-rank changes into the weights, for speed; training is over then."""
        for module in list(self.encoder.encoder.modules()):
            if isinstance(module, nn.Linear) and parametrize.is_parametrized(module):
                parametrize.remove_parametrizations(module, "weight")

    @torch.inference_mode()
    def log_posteriors(self, pairs: Sequence[Sides]) -> Tensor:
        """log p(a_j = i | x, y) of each word by itself, (pairs, concrete, abstract) float32; -inf where impossible."""
        windows: list[Window] = []
        for row, pair in enumerate(pairs):
            windows.extend(self.inputs.windows(row, pair))
        height = max(len(pair.concrete) for pair in pairs)
        width = max(len(pair.abstract) for pair in pairs)
        result = torch.full((len(pairs), height, width), -math.inf)
        scores = self(self.inputs.batch(pairs, windows))
        impossible = scores <= _NOT_ALIGNED / 2
        scores = scores.log_softmax(dim=2).masked_fill(impossible, -math.inf)
        for at, window in enumerate(windows):
            rows, columns = slice(*_bounds(window.concrete)), slice(*_bounds(window.abstract))
            result[window.row, rows, columns] = scores[at, : len(window.concrete), : len(window.abstract)]
        return result


def _at(states: Tensor, places: Tensor) -> Tensor:
    """(rows, pieces, size) at places (rows, words): (rows, words, size)."""
    return states.gather(1, places[:, :, None].expand(-1, -1, states.shape[2]))


def _bounds(indices: range) -> tuple[int, int]:
    return indices.start, indices.stop
