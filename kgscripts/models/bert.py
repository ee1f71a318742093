"""BERT's encoder (Devlin et al. 2019), with the names of weights and the arithmetic of Hugging Face's `BertModel`.

Importing transformers takes longer than aligning a hundred pairs; importing this module takes only torch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import torch
from attrs import frozen
from torch import Tensor, nn
from torch.nn import functional

from schemas.input_files import open_regular


@frozen(kw_only=True)
class BertConfig:
    """The part of Hugging Face's ``config.json`` that defines the network."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    type_vocab_size: int
    layer_norm_eps: float = 1e-12
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1

    @classmethod
    def read(cls, path: Path) -> BertConfig:
        """Read ``config.json``. Raises ValueError, KeyError or TypeError if it is not that of a BERT."""
        with open_regular(path) as file:
            content = json.load(file)
        expected = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
        for name, value in expected.items():
            if content.get(name, value) != value:
                raise ValueError(f"{name} is {content[name]!r}, not {value!r}")
        return cls(**{name: content[name] for name in cls.__annotations__ if name in content})


class BertOutput(NamedTuple):
    """`last_hidden_state` is (rows, pieces, size)."""

    last_hidden_state: Tensor


class Bert(nn.Module):
    """Ids of pieces -> hidden states."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config)
        self.encoder = _Layers(config)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None) -> BertOutput:
        """`input_ids`, `attention_mask` (1: is read) and `token_type_ids` (0 by default) are (rows, pieces)."""
        states = self.embeddings(input_ids, torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids)
        hidden = ~attention_mask[:, None, None, :].bool()
        mask = torch.zeros_like(hidden, dtype=states.dtype).masked_fill(hidden, torch.finfo(states.dtype).min)
        for layer in self.encoder.layer:
            states = layer(states, mask)
        return BertOutput(states)


class _Embeddings(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, ids: Tensor, types: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)[None]
        states = self.word_embeddings(ids) + self.token_type_embeddings(types) + self.position_embeddings(places)
        result: Tensor = self.dropout(self.LayerNorm(states))
        return result


class _Layers(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config) for _ in range(config.num_hidden_layers))


class _Layer(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = nn.ModuleDict(
            {"self": _SelfAttention(config), "output": _Residual(config.hidden_size, config)}
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(config.hidden_size, config.intermediate_size)})
        self.output = _Residual(config.intermediate_size, config)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        states = self.attention["output"](self.attention["self"](states, mask), states)
        result: Tensor = self.output(functional.gelu(self.intermediate["dense"](states)), states)
        return result


class _SelfAttention(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self._heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        query, key, value = (self._split(linear(states)) for linear in (self.query, self.key, self.value))
        # Not by one fused operation: on CPUs this is faster in bfloat16, and its last bits are those of `BertModel`.
        scores = query @ key.transpose(2, 3) * query.shape[3] ** -0.5 + mask
        shares = self.dropout(functional.softmax(scores, dim=-1))
        result: Tensor = (shares @ value).transpose(1, 2).reshape(states.shape)
        return result

    def _split(self, states: Tensor) -> Tensor:
        """(rows, pieces, size) -> (rows, heads, pieces, size of a head)."""
        return states.view(*states.shape[:2], self._heads, -1).transpose(1, 2)


class _Residual(nn.Module):
    """A linear layer whose result is added to the states before it, and normalised."""

    def __init__(self, size: int, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, states: Tensor, before: Tensor) -> Tensor:
        result: Tensor = self.LayerNorm(self.dropout(self.dense(states)) + before)
        return result
