"""Pairs as padded tensors of word ids."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from attrs import frozen
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from kgscripts.models.inference import TensorFields
from kgscripts.reproductions.kidscook.networks.vocabulary import Vocabulary


@frozen(eq=False)
class PairBatch(TensorFields):
    """Word ids of pairs, int64.

    `abstract` (batch, abstract) and `concrete` (batch, concrete), without the start symbol, are padded;
    `abstract_lengths` and `concrete_lengths` (batch,) are the lengths without padding. An empty concrete side is
    allowed (the prefix before the first word); an abstract side has at least one token.
    """

    abstract: Tensor
    concrete: Tensor
    abstract_lengths: Tensor
    concrete_lengths: Tensor

    @classmethod
    def of_ids(cls, abstracts: Sequence[Sequence[int]], concretes: Sequence[Sequence[int]], padding: int) -> PairBatch:
        """Pads the ids of pairs."""
        return cls(
            abstract=_padded(abstracts, padding),
            concrete=_padded(concretes, padding),
            abstract_lengths=torch.tensor([len(ids) for ids in abstracts], dtype=torch.int64),
            concrete_lengths=torch.tensor([len(ids) for ids in concretes], dtype=torch.int64),
        )

    @classmethod
    def of_words(
        cls, abstracts: Sequence[Sequence[str]], concretes: Sequence[Sequence[str]], vocabulary: Vocabulary
    ) -> PairBatch:
        """Looks up the words of pairs and pads them."""
        abstract, concrete = ([vocabulary.ids(words) for words in side] for side in (abstracts, concretes))
        return cls.of_ids(abstract, concrete, vocabulary.padding)

    def __len__(self) -> int:
        return len(self.abstract)

    @property
    def abstract_mask(self) -> Tensor:
        """True where a pair has an abstract token, (batch, abstract)."""
        return _mask(self.abstract_lengths, self.abstract.shape[1])

    @property
    def concrete_mask(self) -> Tensor:
        """True where a pair has a concrete token, (batch, concrete)."""
        return _mask(self.concrete_lengths, self.concrete.shape[1])


def _padded(sequences: Sequence[Sequence[int]], padding: int) -> Tensor:
    tensors = [torch.tensor(ids, dtype=torch.int64) for ids in sequences]
    return pad_sequence(tensors, batch_first=True, padding_value=padding)


def _mask(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size, device=lengths.device) < lengths[:, None]
