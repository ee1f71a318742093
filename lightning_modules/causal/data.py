"""Texts of pieces for a causal language model, and pairs as such texts."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from attrs import frozen
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.reproductions.kidscook.cloze.items import cloze_item
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from lightning_modules.data import TrainingBatch, TrainingData

NO_LABEL = -100
"""What the networks of Hugging Face leave out of their loss."""


@frozen(eq=False)
class CausalBatch(TrainingBatch):
    """Texts, padded at the end: `ids`, `attention` and `labels` (batch, length) int64. Labels are the targets."""

    ids: Tensor
    attention: Tensor
    labels: Tensor


@frozen
class CausalText:
    """The pieces of an example: the input of the model and the target."""

    prompt: list[int]
    answer: list[int]
    where: str


class CausalData(TrainingData[CausalText]):
    """Texts of similar length."""

    def length(self, example: CausalText) -> tuple[int, ...]:
        """See `TrainingData`."""
        return len(example.prompt), len(example.answer)

    def collate(self, examples: Sequence[CausalText]) -> CausalBatch:
        """See `TrainingData`."""
        whole = [torch.tensor(text.prompt + text.answer) for text in examples]
        labels = [torch.tensor([NO_LABEL] * len(text.prompt) + text.answer) for text in examples]
        return CausalBatch(
            where=tuple(text.where for text in examples),
            ids=pad_sequence(whole, batch_first=True),
            attention=pad_sequence([torch.ones_like(text) for text in whole], batch_first=True),
            labels=pad_sequence(labels, batch_first=True, padding_value=NO_LABEL),
        )


def pair_text(pair: Pair, model: CausalModel) -> CausalText:
    """The abstract side is read, the concrete side predicted; cut as in the cloze task.

    What is longer than the model can read loses its end.
    """
    item = cloze_item(pair)
    prompt = model.prompt(item.abstract, ())
    most: int = model.network.config.max_position_embeddings
    return CausalText(prompt[: most - 1], model.pieces(item.concrete)[: max(1, most - len(prompt))], pair.where)
