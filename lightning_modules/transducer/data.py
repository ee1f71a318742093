"""Pairs as batches of word ids."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.reproductions.kidscook.networks.pair_batch import PairBatch
from kgscripts.reproductions.kidscook.networks.vocabulary import Vocabulary
from lightning_modules.data import Split, TrainingBatch, TrainingData
from lightning_modules.transducer.settings import TransducerTrainingSettings


@frozen(eq=False)
class WordBatch(TrainingBatch):
    """Pairs as ids."""

    pairs: PairBatch


class WordData(TrainingData[Pair]):
    """Pairs of similar length, cut to the longest length that is read."""

    def __init__(self, split: Split[Pair], vocabulary: Vocabulary, settings: TransducerTrainingSettings) -> None:
        super().__init__(split, settings)
        self._vocabulary = vocabulary
        self._cut = settings.max_tokens

    def length(self, example: Pair) -> tuple[int, ...]:
        """See `TrainingData`."""
        return len(example.abstract), len(example.concrete)

    def collate(self, examples: Sequence[Pair]) -> WordBatch:
        """See `TrainingData`."""
        abstracts = [pair.abstract[: self._cut] for pair in examples]
        concretes = [pair.concrete[: self._cut - 1] for pair in examples]
        pairs = PairBatch.of_words(abstracts, concretes, self._vocabulary)
        return WordBatch(where=tuple(pair.where for pair in examples), pairs=pairs)
