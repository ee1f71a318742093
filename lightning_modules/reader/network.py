"""The network of the reader: an encoder, a layer over words for each annotation, and one over pairs of words.

Each set of annotations has output layers of its own, since sets disagree on what an action is; they share all else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from attrs import field, frozen, validators
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.distances import distance_numbers
from kgscripts.models.reader.heads import FARTHEST
from kgscripts.models.reader.windows import MOST_PIECES, Window
from kgscripts.reproductions.torch_networks.bert import Bert
from kgscripts.reproductions.torch_networks.inference import TensorFields, padded


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
    """Windows -> scores of words and of pairs of words, as `kgscripts.models.reader.heads` computes them."""

    numbers: Tensor

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
        self.distance = nn.Embedding(2 * FARTHEST + 2, inner)
        numbers = distance_numbers(np.arange(-MOST_PIECES, MOST_PIECES + 1), FARTHEST)
        self.register_buffer("numbers", torch.from_numpy(numbers), persistent=False)
        self.pair_layers = nn.ModuleDict(
            {name: nn.Linear(inner, len(labels)) for name, labels in settings.pairs.items()}
        )

    def states(self, batch: WindowBatch) -> Tensor:
        """The states of words, the mean over their pieces, (rows, words, size)."""
        hidden = self.bert(batch.ids, batch.attention).last_hidden_state
        begins, ends = batch.spans[:, :, 0], batch.spans[:, :, 1]
        place = torch.arange(batch.ids.shape[1], device=batch.ids.device)
        share = ((place >= begins[:, :, None]) & (place < ends[:, :, None])).to(hidden.dtype)
        # Padding has no pieces: its mean is zero instead of NaN.
        share = share / share.sum(dim=2, keepdim=True).clamp(min=1)
        states: Tensor = self.dropout(share @ hidden)
        return states

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
        apart = self.distance(self.numbers[words[None] - place[:, None] + MOST_PIECES])
        joined = functional.gelu(predicate[:, None] + thing + gate[:, None] * gated + apart)
        scores: Tensor = self.pair_layers[annotation](self.dropout(joined))
        return scores
