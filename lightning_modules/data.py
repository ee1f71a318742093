"""What is held out of training, and batches of examples of similar length."""

from __future__ import annotations

import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, Generic, TypeVar

import pytorch_lightning as pl
from attrs import frozen
from torch.utils.data import DataLoader

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.tensor_fields import TensorFields
from schemas.errors import InputError

Example = TypeVar("Example")
Item = TypeVar("Item")

_LENGTH_STEP = 4


@frozen(eq=False)
class Split(Generic[Item]):
    """What is trained on, and what decides when training ends."""

    train: list[Item]
    held_out: list[Item]


def split(items: Sequence[Item], key: Callable[[Item], str]) -> Split[Item]:
    """Hold out a tenth of the keys, the same ones whatever the order, the seed or the other items.

    Items with the same key stay together. Raises InputError if either part is empty.
    """
    parts = Split[Item]([], [])
    for item in items:
        (parts.held_out if is_held_out(key(item)) else parts.train).append(item)
    if not parts.train or not parts.held_out:
        message = f"{len(items)} training examples are too few: a tenth of their texts is held out"
        raise InputError(message, remedy="train on a larger corpus")
    return parts


def is_held_out(key: str) -> bool:
    """Whether items of that key are held out."""
    return sha256(key.encode()).digest()[0] % 10 == 0


def pair_key(pair: Pair) -> str:
    """The key of a pair: its abstract sentence, so that all realisations of a sentence stay together."""
    return " ".join(pair.abstract)


def pairs_digest(pairs: Sequence[Pair]) -> str:
    """SHA-256 of the text of pairs."""
    texts = json.dumps([(pair.abstract, pair.concrete, pair.blanks) for pair in pairs])
    return sha256(texts.encode()).hexdigest()


@frozen(eq=False)
class TrainingBatch(TensorFields):
    """Base of the batches of each task: `where` its examples were read, for errors."""

    where: tuple[str, ...]


class TrainingData(pl.LightningDataModule, ABC, Generic[Example]):
    """Batches of both parts of a corpus; each task has a subclass.

    Training batches are drawn in each epoch from the seed and the number of the epoch, so that a resumed run has the
    batches of an uninterrupted one. With n devices, each gets every n-th batch.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed

    @property
    @abstractmethod
    def batches_per_epoch(self) -> int:
        """Training batches of an epoch, for all devices together."""

    @abstractmethod
    def train_batches(self, draw: random.Random) -> Sequence[Sequence[Example]]:
        """The examples of an epoch in batches; all random choices come from `draw`."""

    @abstractmethod
    def held_out_batches(self) -> Sequence[Sequence[Example]]:
        """The held-out examples, in the same batches every time."""

    @abstractmethod
    def collate(self, examples: Sequence[Example]) -> TrainingBatch:
        """The tensors of a batch."""

    @property
    def steps_per_epoch(self) -> int:
        """Steps of an epoch, which every device takes."""
        assert self.trainer is not None
        return -(-self.batches_per_epoch // self.trainer.world_size)

    def train_dataloader(self) -> DataLoader[Any]:
        """The batches of the current epoch."""
        assert self.trainer is not None
        batches = list(self.train_batches(random.Random(f"{self._seed} {self.trainer.current_epoch}")))
        # Every device takes the same number of steps: the first batches come twice if the number is not a multiple.
        return self._loader(batches + batches[: -len(batches) % self.trainer.world_size])

    def val_dataloader(self) -> DataLoader[Any]:
        """The held-out batches."""
        return self._loader(self.held_out_batches())

    def _loader(self, batches: Sequence[Sequence[Example]]) -> DataLoader[Any]:
        assert self.trainer is not None
        own = batches[self.trainer.global_rank :: self.trainer.world_size]
        return DataLoader(own, batch_size=None, collate_fn=self.collate)  # type: ignore[arg-type]


def length_batches(
    examples: Sequence[Example], lengths: Sequence[tuple[int, ...]], size: int, draw: random.Random | None
) -> list[list[Example]]:
    """Batches of examples of similar length. With `draw`, similar ones and the batches are shuffled.

    `lengths` are compared in order, the last of them in steps of four.
    """
    order = list(range(len(lengths)))
    if draw is not None:
        draw.shuffle(order)
    order.sort(key=lambda index: (*lengths[index][:-1], lengths[index][-1] // _LENGTH_STEP))
    batches = [[examples[index] for index in order[start : start + size]] for start in range(0, len(order), size)]
    if draw is not None:
        draw.shuffle(batches)
    return batches
