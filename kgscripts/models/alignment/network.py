"""The network of the aligner: MiniLM's lower layers with low-rank adapters, and a bilinear score of word pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from kgscripts.models.adapters import merge_adapters, with_adapters
from kgscripts.models.alignment.inputs import FEATURES, AlignerBatch, AlignerInputs, Sides
from kgscripts.models.encoder import Encoder

if TYPE_CHECKING:
    from peft import PeftModel

    from kgscripts.models.bert import Bert

_NOT_ALIGNED = -1e4
"""The score of words to which no word is aligned: its probability is zero in float32."""


_ADAPTER = ".parametrizations.weight.0."
_STORED_NAMES = {
    "encoder.base_model.model.": "encoder.",
    ".lora_A.default.weight": f"{_ADAPTER}down",
    ".lora_B.default.weight": f"{_ADAPTER}up",
}
"""Parts of peft's names of adapters -> their names in checkpoints of aligners."""


class AlignerNetwork(nn.Module):
    """Scores each concrete word against each abstract word, both sides read together.

    Parameters
    ----------
    encoder:
        MiniLM, which becomes part of the network: it is cut to its first `layers` layers and gets adapters.
    layers, size:
        Layers kept, and size of the vectors whose inner product is the score.
    rank:
        The rank of the adapters that are trained; None for inference.
    """

    def __init__(self, encoder: Encoder, *, layers: int, size: int, rank: int | None = None) -> None:
        super().__init__()
        encoder.network.encoder.layer = encoder.network.encoder.layer[:layers]
        width = encoder.network.config.hidden_size
        self.encoder: PeftModel | Bert = encoder.network if rank is None else with_adapters(encoder.network, rank)
        self.concrete = nn.Linear(width, size)
        self.abstract = nn.Linear(width, size)
        self.features = nn.Linear(len(FEATURES), 1, bias=False)
        nn.init.zeros_(self.features.weight)
        self._scale = 1.0 / math.sqrt(size)
        self.inputs = AlignerInputs(encoder.pieces, start=encoder.start, separator=encoder.separator, mask=encoder.mask)

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
        """The tensors that training changes, by their names in checkpoints; MiniLM's own are not stored."""
        return {_stored(name): parameter for name, parameter in self.named_parameters() if parameter.requires_grad}

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

    def read_trained_tensors(self, tensors: Mapping[str, Tensor], rank: int) -> None:
        """Load what `trained_tensors` of a network with adapters of this rank gave into one without.

        Raises ValueError where a tensor is missing, foreign, of another shape or not finite; RuntimeError too.
        """
        parts: dict[str, dict[str, Tensor]] = {"down": {}, "up": {}, "": {}}
        for name, tensor in tensors.items():
            layer, _, part = name.partition(_ADAPTER)
            parts.setdefault(part, {})[layer.removeprefix("encoder.") if part else name] = tensor.float()
        down, up, scores = parts.pop("down"), parts.pop("up"), parts.pop("")
        own = {name for name in self.state_dict() if not name.startswith("encoder.")}
        if strange := own ^ scores.keys() | parts.keys():
            raise ValueError(f"{len(strange)} tensors are missing or foreign, such as {min(strange)}")
        if not all(tensor.isfinite().all() for tensor in scores.values()):
            raise ValueError("a score's tensor is not finite")
        merge_adapters(cast("Bert", self.encoder), down, up, rank)
        self.load_state_dict(scores, strict=False)

    def log_posteriors(self, pair: Sides) -> Tensor:
        """log p(a_j = i | x, y) of each word independently, (concrete, abstract) float32; -inf where impossible.

        It is on the CPU, wherever the network is.
        """
        windows = list(self.inputs.windows(0, pair))
        result = torch.full((len(pair.concrete), len(pair.abstract)), -math.inf)
        scores = self(self.inputs.batch([pair], windows).to(self.features.weight.device))
        impossible = scores <= _NOT_ALIGNED / 2
        scores = scores.log_softmax(dim=2).masked_fill(impossible, -math.inf).cpu()
        for at, window in enumerate(windows):
            rows, columns = slice(*_bounds(window.concrete)), slice(*_bounds(window.abstract))
            result[rows, columns] = scores[at, : len(window.concrete), : len(window.abstract)]
        return result


def _stored(name: str) -> str:
    for part, stored in _STORED_NAMES.items():
        name = name.replace(part, stored)
    return name


def _at(states: Tensor, places: Tensor) -> Tensor:
    """(rows, pieces, size) at places (rows, words): (rows, words, size)."""
    return states.gather(1, places[:, :, None].expand(-1, -1, states.shape[2]))


def _bounds(indices: range) -> tuple[int, int]:
    return indices.start, indices.stop
