"""The network of the detector: what it reads of a text around each sentence, and the log odds of the labels of each."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.sentence_vectors import SIZE

CONTEXT_FEATURES = 4 * SIZE
REACH = 15
"""Sentences on either side of one that its label can depend on."""

HIDDEN = 160
FEATURES = CONTEXT_FEATURES + HIDDEN
_NEAR, _AROUND = 1, 3
"""The numbers of sentences on either side that are near a sentence, and around it."""
_KERNEL, _DILATIONS = 5, (1, 2, 4)
"""Two sentences on either side, at a distance of one, two and four: 14 in all."""
_SCALE = SIZE**0.5
"""Components of unit vectors times this are about one."""


def context_features(vectors: Tensor) -> Tensor:
    """What is read of each sentence, (sentences, `CONTEXT_FEATURES`): its vector, the sums over the sentences near it
    and around it, and the direction of the sum over a page of text. `vectors` (sentences, `SIZE`) are unit vectors.
    """
    # In double precision up to the differences, so that they do not depend on how much text is before a sentence.
    total = functional.pad(vectors.double().cumsum(0), (0, 0, 1, 0))
    places = torch.arange(len(vectors))

    def around(reach: int) -> Tensor:
        first, last = (places - reach).clamp(min=0), (places + reach + 1).clamp(max=len(vectors))
        return (total[last] - total[first]).to(vectors.dtype)

    page = functional.normalize(around(REACH), dim=1)
    return torch.cat([vectors, around(_NEAR) / 2, around(_AROUND) / 4, page], dim=1)


class DetectorNetwork(nn.Module):
    """Log odds of `labels` labels. A last layer reads the `context_features` of a sentence, and what convolutions
    over the sentences around it have found (temporal convolutions with dilations, Bai, Kolter and Koltun 2018).
    """

    def __init__(self, labels: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.read = nn.Linear(SIZE, HIDDEN)
        self.blocks = nn.ModuleList(_Block(dilation, dropout) for dilation in _DILATIONS)
        self.dropout = nn.Dropout(dropout)
        self.layer = nn.Linear(FEATURES, labels)

    def forward(self, features: Tensor, lengths: Sequence[int]) -> Tensor:
        """Of the sentences of several texts, one after the other: (sentences, labels).

        `features` are `context_features`, (sentences, `CONTEXT_FEATURES`); `lengths` are the sentences of each text.
        """
        texts = self.read(features[:, :SIZE] * _SCALE).split(list(lengths))
        states = nn.utils.rnn.pad_sequence(list(texts), batch_first=True)
        is_sentence = torch.arange(states.shape[1]) < torch.tensor(lengths)[:, None]
        for block in self.blocks:
            states = block(states, is_sentence[:, :, None])
        # Masks of rows keep their order, which is that of the texts.
        result: Tensor = self.layer(torch.cat([features, self.dropout(states[is_sentence])], dim=1))
        return result


class _Block(nn.Module):
    """A convolution that adds to the states (texts, sentences, `HIDDEN`) of sentences, and reads those of no others."""

    def __init__(self, dilation: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(HIDDEN)
        self.convolution = nn.Conv1d(HIDDEN, HIDDEN, _KERNEL, padding=_KERNEL // 2 * dilation, dilation=dilation)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, is_sentence: Tensor) -> Tensor:
        found = self.convolution((self.norm(states) * is_sentence).transpose(1, 2)).transpose(1, 2)
        result: Tensor = states + self.dropout(functional.gelu(found))
        return result
