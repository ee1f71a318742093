"""The network of the reader: an encoder, a layer over words for each annotation, and one over pairs of words.

Each set of annotations has output layers of its own, since sets disagree on what an action is; they share all else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from attrs import field, frozen, validators
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.encoder import Bert
from kgscripts.models.inference import TensorFields, padded
from kgscripts.models.reader.windows import Window

_DISTANCES = 24
"""Distances in words, of both directions: each up to 8, then by powers of two."""


@frozen(kw_only=True)
class ReaderSettings:
    """Sizes of the network, and the labels of each annotation: of words and of pairs (the first is none)."""

    pair_size: int = field(validator=[validators.instance_of(int), validators.ge(1)])
    words: Mapping[str, Sequence[str]]
    flags: Sequence[str]
    """What is asked of each word beside its label, in the annotation of the graph."""
    pairs: Mapping[str, Sequence[str]]


@frozen(eq=False)
class WindowBatch(TensorFields):
    """Windows: `ids` and `attention` (rows, pieces); `spans` (rows, words, 2), 0 and 0 behind a row's last word."""

    ids: Tensor
    attention: Tensor
    spans: Tensor

    @classmethod
    def of(cls, windows: Sequence[Window], words: int, padding: int, length: int | None = None) -> WindowBatch:
        """Windows, with room for a number of `words`, padded to a `length`, by default that of the longest."""
        ids, attention = padded([window.pieces for window in windows], length, padding)
        spans = torch.zeros(len(windows), words, 2, dtype=torch.int64)
        for row, window in enumerate(windows):
            spans[row, : len(window.spans)] = torch.tensor(window.spans)
        return cls(ids, attention, spans)


class ReaderNetwork(nn.Module):
    """Windows -> scores of words and of pairs of words."""

    def __init__(self, bert: Bert, settings: ReaderSettings) -> None:
        super().__init__()
        size, inner = bert.config.hidden_size, settings.pair_size
        self.bert = bert
        self.dropout = nn.Dropout(0.1)
        self.word_layers = nn.ModuleDict(
            {name: nn.Linear(size, len(labels)) for name, labels in settings.words.items()}
        )
        self.flags = nn.Linear(size, len(settings.flags))
        self.predicate, self.thing = nn.Linear(size, 2 * inner), nn.Linear(size, 2 * inner)
        self.distance = nn.Embedding(_DISTANCES, inner)
        self.pair_layers = nn.ModuleDict(
            {name: nn.Linear(inner, len(labels)) for name, labels in settings.pairs.items()}
        )

    def states(self, batch: WindowBatch) -> Tensor:
        """The states of words, the mean over their pieces, (rows, words, size)."""
        states: Tensor = self.dropout(self.layers(batch, [-1])[0])
        return states

    def layers(self, batch: WindowBatch, numbers: Sequence[int]) -> list[Tensor]:
        """The states of words in layers of the encoder, 0 being the embeddings, each (rows, words, size)."""
        hidden = self.bert(batch.ids, batch.attention).hidden_states
        begins, ends = batch.spans[:, :, 0], batch.spans[:, :, 1]
        place = torch.arange(batch.ids.shape[1], device=batch.ids.device)
        share = ((place >= begins[:, :, None]) & (place < ends[:, :, None])).to(hidden[0].dtype)
        # Padding has no pieces: its mean is zero instead of NaN.
        share = share / share.sum(dim=2, keepdim=True).clamp(min=1)
        return [share @ hidden[number] for number in numbers]

    def words(self, states: Tensor, annotation: str) -> Tensor:
        """Scores of the labels of words, (rows, words, labels)."""
        scores: Tensor = self.word_layers[annotation](states)
        return scores

    def parts(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """What words are as predicates and as things, for `pairs`, each (rows, words, 2 x `pair_size`)."""
        return self.predicate(states), self.thing(states)

    def pairs(self, parts: tuple[Tensor, Tensor], row: Tensor, place: Tensor, annotation: str) -> Tensor:
        """Scores of the labels of pairs of a predicate, given by its `row` and `place` (predicates,), with each word of
        its row, (predicates, words, labels)."""
        predicates, things = parts
        predicate, gate = predicates[row, place].chunk(2, dim=-1)
        thing, gated = things[row].chunk(2, dim=-1)
        words = torch.arange(things.shape[1], device=things.device)
        apart = self.distance(_distance(words[None] - place[:, None]))
        joined = functional.gelu(predicate[:, None] + thing + gate[:, None] * gated + apart)
        scores: Tensor = self.pair_layers[annotation](self.dropout(joined))
        return scores


def _distance(apart: Tensor) -> Tensor:
    """The number of a distance."""
    size = apart.abs()
    step = torch.where(size <= 8, size, 8 + (size.clamp(min=8).float() / 8).log2().ceil().long()).clamp(max=11)
    return torch.where(apart < 0, step + 12, step)
