"""The network that composes state changes part by part, each part given the step and the earlier parts.

The parts of a change are, in order, its entity, its attribute, and phrase and filler of the values before and after. A
transformer decoder reads the parts so far and the hidden states of the step; each part is chosen from a vocabulary, and
entities and fillers also from the nouns of the text, by pointing (Vinyals et al. 2015). All changes of a step are drawn
from one distribution, independently of each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import attrs
import torch
from attrs import frozen
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.sentence_vectors import SIZE
from kgscripts.reproductions.openpi.composer.inputs import FEATURES, StepBatch

PARTS = 6
ENTITY, ATTRIBUTE, BEFORE, BEFORE_FILLER, AFTER, AFTER_FILLER = range(PARTS)
KINDS = ("entities", "attributes", "phrases", "fillers")
KIND_OF_PART = (0, 1, 2, 3, 2, 3)
"""The vocabulary of each part, as an index into `KINDS`."""
POINTED = (ENTITY, BEFORE_FILLER, AFTER_FILLER)
"""The parts that can be nouns of the text."""
MOST_COUNTED = 23
"""The largest number of changes of a step; more changes count as this number."""
IMPOSSIBLE = -1e9
_HEADS = 4


def whole_heads(_: object, attribute: attrs.Attribute[int], value: int) -> None:
    """Validator of the size of hidden states: raises ValueError if the heads cannot share it."""
    if value % _HEADS:
        raise ValueError(f"{attribute.name} must be a multiple of {_HEADS}: {value}")


@frozen
class NetworkSize:
    """The hyperparameters of the network."""

    size: int
    layers: int


class Memory(NamedTuple):
    """The inputs of the decoder for a batch of steps.

    `keys` of each layer: keys and values (steps, heads, pieces, size / heads). `hidden` (steps, 1, 1, pieces) is added
    to scores. `nouns` (steps, nouns, size), `noun_bias` (steps, nouns, 2) for entities and fillers.
    """

    keys: Sequence[tuple[Tensor, Tensor]]
    hidden: Tensor
    nouns: Tensor
    noun_bias: Tensor


class PartTable(nn.Module):
    """Vectors (texts, size) of the texts of a vocabulary, which are input and output embeddings, and their biases.

    With `vectors` (texts, 384), MiniLM's of the texts, they are a projection of these plus a difference; a text that is
    rare in training then begins near texts of similar meaning.
    """

    vectors: Tensor | None

    def __init__(self, texts: int, size: int, vectors: Tensor | None = None) -> None:
        super().__init__()
        self.difference = nn.Parameter(torch.zeros(texts, size))
        self.bias = nn.Parameter(torch.zeros(texts))
        self.project = None if vectors is None else nn.Linear(SIZE, size)
        self.register_buffer("vectors", vectors, persistent=False)

    def forward(self) -> Tensor:
        """The table, (texts, size)."""
        if self.project is None or self.vectors is None:
            return self.difference
        table: Tensor = self.project(self.vectors) + self.difference
        return table


class ChangeNetwork(nn.Module):
    """Hidden states of steps -> log probabilities of the parts of their changes, and of the number of changes."""

    def __init__(
        self, sizes: Sequence[int], shape: NetworkSize, *, dropout: float = 0.0, vectors: Sequence[Tensor] | None = None
    ) -> None:
        super().__init__()
        size = shape.size
        self.scale = size**-0.5
        self.tables = nn.ModuleList(
            PartTable(texts, size, vectors[kind] if vectors else None) for kind, texts in enumerate(sizes)
        )
        # Not `randn() * 0.02`: on the meta device, where a checkpoint is loaded, a product imports torch's compiler.
        self.unknown = nn.Parameter(torch.normal(0.0, 0.02, (len(KINDS), size)))
        self.begin = nn.Parameter(torch.normal(0.0, 0.02, (size,)))
        self.no_filler = nn.Parameter(torch.normal(0.0, 0.02, (size,)))
        self.place = nn.Parameter(torch.normal(0.0, 0.02, (PARTS, size)))
        self.read = nn.Linear(SIZE, size)
        self.point = nn.Linear(SIZE, size)
        self.point_features = nn.Linear(FEATURES, size)
        self.point_bias = nn.Linear(FEATURES, 2)
        self.layers = nn.ModuleList(_Layer(size, dropout) for _ in range(shape.layers))
        self.normalise = nn.LayerNorm(size)
        self.query = nn.ModuleList(nn.Linear(size, size) for _ in range(PARTS))
        self.count = nn.Sequential(
            nn.Linear(2 * SIZE, 128), nn.GELU(), nn.Dropout(dropout), nn.Linear(128, MOST_COUNTED + 1)
        )
        self.dropout = nn.Dropout(dropout)

    def memory(self, states: Tensor, batch: StepBatch) -> Memory:
        """`states` are MiniLM's, (steps, pieces, 384)."""
        read = self.read(states)
        return Memory(
            keys=[cast("_Layer", layer).keys(read) for layer in self.layers],
            hidden=torch.where(batch.attention == 0, IMPOSSIBLE, 0.0)[:, None, None],
            nouns=self.point(batch.weights @ states) + self.point_features(batch.features),
            noun_bias=self.point_bias(batch.features),
        )

    def counts(self, states: Tensor, batch: StepBatch) -> Tensor:
        """Unnormalised log probabilities of 0 to `MOST_COUNTED` changes, (steps, counts)."""
        attention = batch.attention[:, :, None]
        mean = (states * attention).sum(dim=1) / attention.sum(dim=1)
        counts: Tensor = self.count(torch.cat([states[:, 0], mean], dim=1))
        return counts

    def decode(
        self, inputs: Tensor, memory: Memory, cache: Sequence[tuple[Tensor, Tensor]] | None = None
    ) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        """`inputs` (steps, changes, parts, size) -> the states of the last layer, of the same shape, and a new cache.

        The cache of each layer holds keys and values of the parts before, (steps, changes, heads, parts, size / heads).
        """
        states, caches = self.dropout(inputs), []
        for number, layer in enumerate(self.layers):
            states, cached = layer(states, memory.keys[number], memory.hidden, cache[number] if cache else None)
            caches.append(cached)
        return self.normalise(states), caches

    def scores(self, part: int, states: Tensor, memory: Memory, table: Tensor) -> tuple[Tensor, Tensor | None]:
        """Unnormalised log probabilities of a part: of its vocabulary, and of the nouns of the text.

        `states` are (steps, changes, size). Nouns are None for a part that cannot be one.
        """
        query = self.query[part](states)
        bias = self.tables[KIND_OF_PART[part]].bias
        texts = query @ table.T * self.scale + bias
        if part not in POINTED:
            return texts, None
        nouns = query @ memory.nouns.transpose(1, 2) * self.scale
        return texts, nouns + memory.noun_bias[:, None, :, 0 if part == ENTITY else 1]

    def embedding(self, part: int, texts: Tensor, table: Tensor, nouns: Tensor, memory: Memory) -> Tensor:
        """The input vectors of a part: of `texts` in its vocabulary, of `nouns` of the step, or the mean of both.

        Both are (steps, changes) int64, -1 for none; neither is an unknown text.
        """
        known = (texts >= 0)[..., None]
        vectors = torch.where(known, table[texts.clamp(min=0)], self.unknown[KIND_OF_PART[part]])
        if part not in POINTED:
            return vectors
        places = nouns.clamp(min=0)[..., None].expand(-1, -1, memory.nouns.shape[2])
        pointed = memory.nouns.gather(1, places)
        return torch.where((nouns >= 0)[..., None], torch.where(known, (vectors + pointed) / 2, pointed), vectors)

    def folded(self) -> Mapping[str, Tensor]:
        """The weights with each table as one tensor, which a network without `vectors` loads."""
        weights = {name: value for name, value in self.state_dict().items() if ".project." not in name}
        for number, table in enumerate(self.tables):
            weights[f"tables.{number}.difference"] = table().detach()
        return weights


class _Layer(nn.Module):
    """Attention to the earlier parts of the same change, attention to the step, and a feed-forward network."""

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3))
        self.own = nn.Linear(size, 3 * size)
        self.own_output = nn.Linear(size, size)
        self.query = nn.Linear(size, size)
        self.read = nn.Linear(size, 2 * size)
        self.read_output = nn.Linear(size, size)
        self.widen = nn.Linear(size, 2 * size)
        self.narrow = nn.Linear(2 * size, size)
        self.dropout = nn.Dropout(dropout)

    def keys(self, read: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the pieces, (steps, heads, pieces, size / heads) each."""
        keys, values = self.read(read).view(*read.shape[:2], 2, _HEADS, -1).unbind(2)
        return keys.transpose(1, 2), values.transpose(1, 2)

    def forward(
        self, states: Tensor, read: tuple[Tensor, Tensor], hidden: Tensor, cache: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        steps, changes, parts, _ = states.shape
        queries, keys, values = (
            self.own(self.norms[0](states)).view(steps, changes, parts, 3, _HEADS, -1).permute(3, 0, 1, 4, 2, 5)
        )
        if cache is not None:
            keys, values = torch.cat([cache[0], keys], dim=3), torch.cat([cache[1], values], dim=3)
        scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
        if parts > 1:
            scores = scores + torch.full((parts, parts), IMPOSSIBLE, device=states.device).triu(1)
        own = (scores.softmax(-1) @ values).permute(0, 1, 3, 2, 4).reshape(states.shape)
        states = states + self.dropout(self.own_output(own))
        query = self.query(self.norms[1](states)).view(steps, changes * parts, _HEADS, -1).transpose(1, 2)
        scores = query @ read[0].transpose(-1, -2) / math.sqrt(query.shape[-1]) + hidden
        seen = (scores.softmax(-1) @ read[1]).transpose(1, 2).reshape(states.shape)
        states = states + self.dropout(self.read_output(seen))
        wide = functional.gelu(self.widen(self.norms[2](states)))
        return states + self.dropout(self.narrow(wide)), (keys, values)
