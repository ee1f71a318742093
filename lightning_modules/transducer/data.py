"""Pairs as batches of word ids."""

from __future__ import annotations

import random
from collections.abc import Sequence

from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.cloze.pair_batch import PairBatch
from kgscripts.models.cloze.vocabulary import Vocabulary
from lightning_modules.data import Split, TrainingBatch, TrainingData, length_batches
from lightning_modules.transducer.configuration import TransducerTrainingSettings


@frozen(eq=False)
class WordBatch(TrainingBatch):
    """Pairs as ids."""

    pairs: PairBatch


class WordData(TrainingData[Pair]):
    """Pairs of similar length, cut to the longest length that is read."""

    def __init__(self, split: Split[Pair], vocabulary: Vocabulary, settings: TransducerTrainingSettings) -> None:
        super().__init__(settings.seed)
        self._split = split
        self._vocabulary = vocabulary
        self._settings = settings

    @property
    def batches_per_epoch(self) -> int:
        """See `TrainingData`."""
        return -(-len(self._split.train) // self._settings.batch_size)

    def train_batches(self, draw: random.Random) -> list[list[Pair]]:
        """See `TrainingData`."""
        return self._batches(self._split.train, draw)

    def held_out_batches(self) -> list[list[Pair]]:
        """See `TrainingData`."""
        return self._batches(self._split.held_out, None)

    def collate(self, examples: Sequence[Pair]) -> WordBatch:
        """See `TrainingData`."""
        cut = self._settings.max_tokens
        abstracts = [pair.abstract[:cut] for pair in examples]
        concretes = [pair.concrete[: cut - 1] for pair in examples]
        pairs = PairBatch.of_words(abstracts, concretes, self._vocabulary)
        return WordBatch(where=tuple(pair.where for pair in examples), pairs=pairs)

    def _batches(self, pairs: Sequence[Pair], draw: random.Random | None) -> list[list[Pair]]:
        lengths = [(len(pair.abstract), len(pair.concrete)) for pair in pairs]
        return length_batches(pairs, lengths, self._settings.batch_size, draw)
