"""Pairs as texts of pieces for a causal language model."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytorch_lightning as pl
import torch
from attrs import frozen
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from kgscripts.corpora.pair import Pair
from kgscripts.evaluation.cloze_items import cloze_item
from kgscripts.models.causal import CausalModel
from lightning_modules.causal.settings import CausalSettings
from lightning_modules.transducer.data import Split, length_batches

NO_LABEL = -100
"""What the networks of Hugging Face leave out of their loss."""


@frozen(eq=False)
class CausalBatch:
    """Texts, padded behind: `ids`, `attention` and `labels` (batch, length) int64. Labels are the concrete side's."""

    ids: Tensor
    attention: Tensor
    labels: Tensor
    where: tuple[str, ...]

    def to(self, device: torch.device | str, non_blocking: bool = False) -> CausalBatch:
        """The same batch on a device."""
        return CausalBatch(
            ids=self.ids.to(device, non_blocking=non_blocking),
            attention=self.attention.to(device, non_blocking=non_blocking),
            labels=self.labels.to(device, non_blocking=non_blocking),
            where=self.where,
        )


@frozen
class _Text:
    prompt: list[int]
    answer: list[int]
    where: str


class CausalData(pl.LightningDataModule):
    """Batches of texts of similar length, drawn anew each epoch from the seed and the epoch's number alone."""

    def __init__(self, split: Split, model: CausalModel, settings: CausalSettings) -> None:
        super().__init__()
        self._train = [_text(pair, model) for pair in split.train]
        self._held_out = [_text(pair, model) for pair in split.held_out]
        self._settings = settings

    @property
    def steps(self) -> int:
        """Steps of all epochs."""
        return self._settings.epochs * -(-len(self._train) // self._settings.batch_size)

    def train_dataloader(self) -> DataLoader[_Text]:
        """The batches of the current epoch."""
        assert self.trainer is not None
        return self._loader(self._train, random.Random(f"{self._settings.seed} {self.trainer.current_epoch}"))

    def val_dataloader(self) -> DataLoader[_Text]:
        """Held-out pairs, always in the same batches."""
        return self._loader(self._held_out, None)

    def _loader(self, texts: Sequence[_Text], draw: random.Random | None) -> DataLoader[_Text]:
        lengths = [(len(text.prompt), len(text.answer)) for text in texts]
        batches = length_batches(lengths, self._settings.batch_size, draw)
        return DataLoader(texts, batch_sampler=batches, collate_fn=_collate)  # type: ignore[arg-type]


def _text(pair: Pair, model: CausalModel) -> _Text:
    """Cut as it is in the cloze task. What is longer than the model can read loses its end."""
    item = cloze_item(pair)
    prompt = model.prompt(item.abstract, ())
    most: int = model.network.config.max_position_embeddings
    return _Text(prompt[: most - 1], model.pieces(item.concrete)[: max(1, most - len(prompt))], pair.where)


def _collate(texts: Sequence[_Text]) -> CausalBatch:
    whole = [torch.tensor(text.prompt + text.answer) for text in texts]
    labels = [torch.tensor([NO_LABEL] * len(text.prompt) + text.answer) for text in texts]
    return CausalBatch(
        ids=pad_sequence(whole, batch_first=True),
        attention=pad_sequence([torch.ones_like(text) for text in whole], batch_first=True),
        labels=pad_sequence(labels, batch_first=True, padding_value=NO_LABEL),
        where=tuple(text.where for text in texts),
    )
