"""What is held out of training, and batches of examples of similar length."""

from __future__ import annotations

import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import cycle, islice
from typing import Any, Generic, TypeVar

import pytorch_lightning as pl
from attrs import frozen
from torch.utils.data import DataLoader, Sampler

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.inference import TensorFields
from lightning_modules.settings import TrainingSettings
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

    Items with the same key stay together. Of few keys, one at least is in each part. Raises InputError for fewer than
    two different keys.
    """
    digests = {name: sha256(name.encode()).digest() for name in map(key, items)}
    if len(digests) < 2:
        message = f"{len(items)} training examples with {len(digests)} different texts are too few"
        remedy = "give examples with 2 different texts at least (one of them is held out), or a larger --limit"
        raise InputError(message, remedy=remedy)
    order = sorted(digests, key=lambda name: (digests[name][0] % 10, digests[name]))
    held_out = {name for name in order if digests[name][0] % 10 == 0} - {order[-1]} | {order[0]}
    parts = Split[Item]([], [])
    for item in items:
        (parts.held_out if key(item) in held_out else parts.train).append(item)
    return parts


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
    batches of an uninterrupted one; a run that is resumed within an epoch begins after the batches that it has seen.
    With n devices, each is trained on every n-th batch.
    """

    def __init__(self, parts: Split[Any], settings: TrainingSettings) -> None:
        super().__init__()
        self._parts = parts
        self._seed, self._size = settings.seed, settings.batch_size

    @property
    def batches_per_epoch(self) -> int:
        """Training batches of an epoch, for all devices together."""
        return -(-len(self._parts.train) // self._size)

    def train_batches(self, draw: random.Random) -> Sequence[Sequence[Example]]:
        """The examples of an epoch in batches; all random choices come from `draw`."""
        return self.batches([self.drawn(item, draw) for item in self._parts.train], draw)

    def held_out_batches(self) -> Sequence[Sequence[Example]]:
        """The held-out examples, in the same batches every time."""
        return self.batches(self._parts.held_out, None)

    @abstractmethod
    def collate(self, examples: Sequence[Example]) -> TrainingBatch:
        """The tensors of a batch."""

    def drawn(self, item: Any, draw: random.Random) -> Example:  # noqa: ARG002
        """The example that is made of a training item in an epoch."""
        example: Example = item
        return example

    def length(self, example: Example) -> tuple[int, ...]:  # noqa: ARG002
        """By what examples of a batch are similar; see `length_batches`."""
        return (0,)

    def batches(self, examples: Sequence[Example], draw: random.Random | None) -> list[list[Example]]:
        """Batches of examples of similar length."""
        return length_batches(examples, [self.length(example) for example in examples], self._size, draw)

    @property
    def steps_per_epoch(self) -> int:
        """Steps of an epoch, which every device takes."""
        assert self.trainer is not None
        return -(-self.batches_per_epoch // self.trainer.world_size)

    def train_dataloader(self) -> DataLoader[Any]:
        """The batches of the current epoch, without those that a run has seen that is resumed within it."""
        assert self.trainer is not None
        batches = list(self.train_batches(random.Random(f"{self._seed} {self.trainer.current_epoch}")))
        # Every device takes the same number of steps: batches come again if the number is not a multiple.
        loop = self.trainer.fit_loop
        seen = loop.epoch_loop.batch_progress.current.ready if loop.restarting else 0
        own = islice(cycle(batches), self.trainer.global_rank, None, self.trainer.world_size)
        return self._loader(list(islice(own, -(-len(batches) // self.trainer.world_size))), seen)

    def val_dataloader(self) -> DataLoader[Any]:
        """The held-out batches, all of them on each device: their mean loss does not depend on the devices."""
        return self._loader(self.held_out_batches())

    def _loader(self, batches: Sequence[Sequence[Example]], seen: int = 0) -> DataLoader[Any]:
        return DataLoader(batches, batch_size=None, sampler=_Rest(batches, seen), collate_fn=self.collate)  # type: ignore[arg-type]


class _Rest(Sampler[int]):
    """The places of batches from `seen` on. Its length is that of all: Lightning counts on from those seen."""

    def __init__(self, batches: Sequence[Any], seen: int) -> None:
        self._length, self._seen = len(batches), seen

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._seen, self._length))


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
