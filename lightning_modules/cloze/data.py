"""Clozes to train on: each epoch hides other words of every pair.

A share of them hides what is unknown when one blank word is to be guessed; of these, some show the left side alone. The
rest hide half of the blank words anywhere, and a few others: never the same text twice, so that long training pays.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container, Sequence

import pytorch_lightning as pl
import torch
from attrs import frozen
from torch import Tensor
from torch.utils.data import DataLoader

from kgscripts.corpora.pair import Pair
from kgscripts.models.cloze import Cloze
from kgscripts.models.masked_inputs import InputEncoding, MaskedBatch, MaskedInput

_JITTER = 6.0
_BLANKS_HIDDEN = 0.5
_OTHERS_HIDDEN = 0.1
_LEAST_COUNT = 5


@frozen
class Batch:
    """Inputs, and what is to be guessed in them.

    `rows` and `places` of the masks, ids of the `words`, and `where` the pairs were read. The ids are those of the
    blank words, then that of the unknown word, then those of the other words.
    """

    inputs: MaskedBatch
    rows: Tensor
    places: Tensor
    words: Tensor
    where: tuple[str, ...]


def blank_words(pairs: Sequence[Pair]) -> tuple[list[str], list[float]]:
    """The words that are blanks in the pairs, most frequent first, and their shares, last that of an unknown word."""
    counts = Counter(word for pair in pairs for word, blank in zip(pair.concrete, pair.blanks, strict=True) if blank)
    words = sorted(counts, key=lambda word: (-counts[word], word))
    total = counts.total() + 0.5
    return words, [*(counts[word] / total for word in words), 0.5 / total]


def other_words(pairs: Sequence[Pair], blanks: Container[str]) -> tuple[list[str], list[float]]:
    """Words of the concrete sides that occur five times at least and are never a blank, and their shares of these."""
    counts = Counter(word for pair in pairs for word in pair.concrete if word not in blanks)
    words = sorted((word for word in counts if counts[word] >= _LEAST_COUNT), key=lambda word: (-counts[word], word))
    total = sum(counts[word] for word in words)
    return words, [counts[word] / total for word in words]


def cloze_of(pair: Pair, position: int, *, left_only: bool = False) -> Cloze:
    """The cloze in which the blank words before the position are known, those from there on are not.

    With `left_only` nothing is seen of what follows the blank.
    """
    start, end = next(slot for slot in pair.slots if slot[0] <= position < slot[1])
    end = end if left_only else len(pair.concrete)
    hidden = tuple(blank and place >= position for place, blank in enumerate(pair.blanks))
    return Cloze(pair.abstract, pair.concrete[:end], hidden[:end], position, start)


def scattered_cloze(pair: Pair, others: Container[str], draw: random.Random) -> Cloze:
    """A cloze that hides one blank word at least, half of the rest of them, and a tenth of the `others`."""
    position = draw.choice([place for place, blank in enumerate(pair.blanks) if blank])
    hidden = tuple(
        place == position or draw.random() < (_BLANKS_HIDDEN if blank else _OTHERS_HIDDEN if word in others else 0.0)
        for place, (word, blank) in enumerate(zip(pair.concrete, pair.blanks, strict=True))
    )
    return Cloze(pair.abstract, pair.concrete, hidden, position, position)


class MaskedData(pl.LightningDataModule):
    """Batches of clozes, of similar length, the same for the same seed and epoch."""

    def __init__(
        self,
        train: Sequence[Pair],
        held_out: Sequence[Pair],
        encoding: InputEncoding,
        words: Sequence[str],
        others: Sequence[str],
        *,
        batch_size: int,
        left_share: float,
        scattered_share: float,
        seed: int,
    ) -> None:
        super().__init__()
        self._train, self._held_out = train, held_out
        self._encoding = encoding
        self._ids = {word: place for place, word in enumerate(words)}
        self._unknown = len(words)
        self._other_ids = {word: place for place, word in enumerate(others, start=len(words) + 1)}
        self._left_share, self._scattered_share = left_share, scattered_share
        self._batch_size, self._seed = batch_size, seed

    def train_dataloader(self) -> DataLoader[Batch]:
        """One cloze a pair, in an order and with hidden words that the seed and the epoch decide."""
        epoch = self.trainer.current_epoch if self.trainer is not None else 0
        rng = random.Random(f"{self._seed} {epoch}")
        return self._loader([(pair, self._training_cloze(pair, rng)) for pair in self._train], rng)

    def _training_cloze(self, pair: Pair, rng: random.Random) -> Cloze:
        share = rng.random()
        if share >= 1.0 - self._scattered_share:
            return scattered_cloze(pair, self._other_ids, rng)
        position = rng.choice([place for place, blank in enumerate(pair.blanks) if blank])
        return cloze_of(pair, position, left_only=share < self._left_share)

    def val_dataloader(self) -> DataLoader[Batch]:
        """The held-out pairs, once for the first word of every blank."""
        chosen = [(pair, cloze_of(pair, start)) for pair in self._held_out for start, _ in pair.slots]
        return self._loader(chosen, None)

    def batches(self) -> int:
        """Batches of an epoch."""
        return -(-len(self._train) // self._batch_size)

    def _loader(self, clozes: Sequence[tuple[Pair, Cloze]], rng: random.Random | None) -> DataLoader[Batch]:
        inputs = [(pair, cloze, self._encoding.encode(cloze)) for pair, cloze in clozes]
        length = [len(item[2].ids) + (rng.random() * _JITTER if rng else 0.0) for item in inputs]
        order = sorted(range(len(inputs)), key=length.__getitem__)
        groups = [order[start : start + self._batch_size] for start in range(0, len(order), self._batch_size)]
        if rng:
            rng.shuffle(groups)
        batches = [self._batch([inputs[place] for place in group], every=rng is not None) for group in groups]
        return DataLoader(batches, batch_size=None)  # type: ignore[arg-type]

    def _batch(self, items: Sequence[tuple[Pair, Cloze, MaskedInput]], *, every: bool) -> Batch:
        """Training learns from every mask, measuring asks for the position of each cloze alone."""
        targets = [
            (row, place, self._id(pair.concrete[position], is_blank=pair.blanks[position]))
            for row, (pair, cloze, found) in enumerate(items)
            for position, place in found.masks.items()
            if every or position == cloze.position
        ]
        rows, places, words = torch.tensor(targets).T
        where = tuple(pair.where for pair, _, _ in items)
        return Batch(self._encoding.batch([found for _, _, found in items]), rows, places, words, where)

    def _id(self, word: str, *, is_blank: bool) -> int:
        return self._ids.get(word, self._unknown) if is_blank else self._other_ids.get(word, self._unknown)
