"""Pairs as batches of similar length; a tenth of the abstract sentences is held out of training."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import sha256

import pytorch_lightning as pl
import torch
from attrs import frozen
from torch.utils.data import DataLoader

from kgscripts.corpora.pair import Pair
from kgscripts.models.pair_batch import PairBatch
from kgscripts.models.vocabulary import Vocabulary
from lightning_modules.transducer.configuration import TrainingSettings
from schemas.errors import InputError


@frozen(eq=False)
class TrainingBatch:
    """Pairs as ids, and where they came from."""

    pairs: PairBatch
    where: tuple[str, ...]

    def to(self, device: torch.device | str, non_blocking: bool = False) -> TrainingBatch:
        """The same batch on a device."""
        return TrainingBatch(self.pairs.to(device, non_blocking), self.where)


@frozen(eq=False)
class Split:
    """Pairs to train on, and pairs to decide by when training ends."""

    train: list[Pair]
    held_out: list[Pair]


def split_pairs(pairs: Sequence[Pair]) -> Split:
    """Hold out a tenth of the abstract sentences, the same ones whatever the order, the seed or the other pairs.

    All realisations of an abstract sentence stay together. Raises InputError if either part is empty.
    """
    held_out = [pair for pair in pairs if _is_held_out(pair)]
    train = [pair for pair in pairs if not _is_held_out(pair)]
    if not train or not held_out:
        message = f"{len(pairs)} pairs are too few: a tenth of the abstract sentences is held out"
        raise InputError(message, remedy="train on a larger corpus")
    return Split(train, held_out)


def _is_held_out(pair: Pair) -> bool:
    return sha256(" ".join(pair.abstract).encode()).digest()[0] % 10 == 0


class PairData(pl.LightningDataModule):
    """Batches of both parts of a corpus.

    Training batches hold pairs of similar length, drawn anew each epoch from the seed and the epoch's number alone, so
    that a resumed run sees what an unbroken one would have seen. Each of several devices gets every n-th batch.
    """

    def __init__(self, split: Split, vocabulary: Vocabulary, settings: TrainingSettings) -> None:
        super().__init__()
        self._split = split
        self._vocabulary = vocabulary
        self._settings = settings

    def train_dataloader(self) -> DataLoader[Pair]:
        """The batches of the current epoch."""
        assert self.trainer is not None
        lengths = [(len(pair.abstract), len(pair.concrete)) for pair in self._split.train]
        draw = random.Random(f"{self._settings.seed} {self.trainer.current_epoch}")
        batches = length_batches(lengths, self._settings.batch_size, draw)
        # Every device takes the same number of steps: the first batches come twice where they do not come out even.
        missing = -len(batches) % self.trainer.world_size
        return self._loader(self._split.train, batches + batches[:missing])

    def val_dataloader(self) -> DataLoader[Pair]:
        """Held-out pairs, always in the same batches."""
        lengths = [(len(pair.abstract), len(pair.concrete)) for pair in self._split.held_out]
        return self._loader(self._split.held_out, length_batches(lengths, self._settings.batch_size, None))

    def _loader(self, pairs: list[Pair], batches: list[list[int]]) -> DataLoader[Pair]:
        assert self.trainer is not None
        mine = batches[self.trainer.global_rank :: self.trainer.world_size]
        return DataLoader(pairs, batch_sampler=mine, collate_fn=self._collate)  # type: ignore[arg-type]

    def _collate(self, pairs: list[Pair]) -> TrainingBatch:
        cut = self._settings.max_tokens
        abstracts = [pair.abstract[:cut] for pair in pairs]
        concretes = [pair.concrete[: cut - 1] for pair in pairs]
        batch = PairBatch.of_words(abstracts, concretes, self._vocabulary)
        return TrainingBatch(batch, tuple(pair.where for pair in pairs))


def length_batches(lengths: Sequence[tuple[int, int]], batch_size: int, draw: random.Random | None) -> list[list[int]]:
    """Places of pairs by length (abstract, concrete), in batches; with `draw` equal ones and batches are shuffled."""
    places = list(range(len(lengths)))
    if draw is not None:
        draw.shuffle(places)
    places.sort(key=lambda place: (lengths[place][0], lengths[place][1] // 4))
    batches = [places[start : start + batch_size] for start in range(0, len(places), batch_size)]
    if draw is not None:
        draw.shuffle(batches)
    return batches
