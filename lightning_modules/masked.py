"""Training of the masked model: clozes of which each epoch hides other words, LightningModule and task."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container, Sequence

import torch
from attrs import frozen
from torch import Tensor
from torch.nn import functional

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.cloze import Cloze
from kgscripts.reproductions.kidscook.networks.masked import (
    InputEncoding,
    MaskedBatch,
    MaskedInput,
    MaskedNetwork,
    masked_checkpoint,
    new_network,
)
from lightning_modules.configuration import Configuration
from lightning_modules.module import (
    Loss,
    Split,
    TrainingBatch,
    TrainingData,
    TrainingModule,
    pair_key,
    pairs_digest,
    split,
)
from lightning_modules.task_settings import MaskedSettings
from schemas.errors import InputError

_BLANKS_HIDDEN = 0.5
_OTHERS_HIDDEN = 0.1
_LEAST_COUNT = 5


@frozen(eq=False)
class ClozeBatch(TrainingBatch):
    """Inputs with their targets.

    `rows` and `places` of the masks and ids of the `words`, (targets,) int64. The ids are those of the blank words,
    then that of the unknown word, then those of the other words.
    """

    inputs: MaskedBatch
    rows: Tensor
    places: Tensor
    words: Tensor


@frozen
class ClozeExample:
    """The input of a cloze, and the masks to learn from: place and id of the word of each."""

    input: MaskedInput
    targets: tuple[tuple[int, int], ...]
    where: str


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
    blank_end = next(end for start, end in pair.slots if start <= position < end)
    end = blank_end if left_only else len(pair.concrete)
    hidden = tuple(blank and place >= position for place, blank in enumerate(pair.blanks))
    return Cloze(pair.abstract, pair.concrete[:end], hidden[:end], position)


def scattered_cloze(pair: Pair, others: Container[str], draw: random.Random) -> Cloze:
    """A cloze that hides one blank word at least, half of the rest of them, and a tenth of the `others`."""
    position = draw.choice([place for place, blank in enumerate(pair.blanks) if blank])
    hidden = tuple(
        place == position or draw.random() < (_BLANKS_HIDDEN if blank else _OTHERS_HIDDEN if word in others else 0.0)
        for place, (word, blank) in enumerate(zip(pair.concrete, pair.blanks, strict=True))
    )
    return Cloze(pair.abstract, pair.concrete, hidden, position)


class ClozeData(TrainingData[ClozeExample]):
    """Clozes of similar length. `words` are the blank words, `others` the other hidden words."""

    def __init__(
        self,
        split: Split[Pair],
        encoding: InputEncoding,
        words: Sequence[str],
        others: Sequence[str],
        settings: MaskedSettings,
    ) -> None:
        super().__init__(split, settings)
        self._encoding = encoding
        self._ids = {word: id for id, word in enumerate(words)}
        self._unknown = len(words)
        self._other_ids = {word: id for id, word in enumerate(others, start=len(words) + 1)}
        self._settings = settings

    def length(self, example: ClozeExample) -> tuple[int, ...]:
        """See `TrainingData`."""
        return (len(example.input.ids),)

    def held_out_batches(self) -> list[list[ClozeExample]]:
        """The held-out pairs, once for the first word of every blank, which alone is measured."""
        clozes = [(pair, cloze_of(pair, start)) for pair in self._parts.held_out for start, _ in pair.slots]
        return self.batches([self._example(pair, cloze, [cloze.position]) for pair, cloze in clozes], None)

    def collate(self, examples: Sequence[ClozeExample]) -> ClozeBatch:
        """See `TrainingData`."""
        inputs = [example.input for example in examples]
        targets = [(row, *target) for row, example in enumerate(examples) for target in example.targets]
        rows, places, words = torch.tensor(targets).T
        return ClozeBatch(
            where=tuple(example.where for example in examples),
            inputs=self._encoding.batch(inputs, max(len(item.ids) for item in inputs)),
            rows=rows,
            places=places,
            words=words,
        )

    def drawn(self, item: Pair, draw: random.Random) -> ClozeExample:
        """One cloze of a pair; every mask is learned from."""
        pair = item
        share = draw.random()
        if share >= 1.0 - self._settings.scattered_share:
            return self._example(pair, scattered_cloze(pair, self._other_ids, draw), None)
        position = draw.choice([index for index, blank in enumerate(pair.blanks) if blank])
        return self._example(pair, cloze_of(pair, position, left_only=share < self._settings.left_share), None)

    def _example(self, pair: Pair, cloze: Cloze, positions: Sequence[int] | None) -> ClozeExample:
        """With the masks at `positions` as targets, or all masks."""
        encoded = self._encoding.encode(cloze)
        targets = (
            (encoded.masks[position], self._id(pair.concrete[position], is_blank=pair.blanks[position]))
            for position in (encoded.masks if positions is None else positions)
        )
        return ClozeExample(encoded, tuple(targets), pair.where)

    def _id(self, word: str, *, is_blank: bool) -> int:
        return self._ids.get(word, self._unknown) if is_blank else self._other_ids.get(word, self._unknown)


class MaskedModule(TrainingModule):
    """Minimises the surprisal of hidden words.

    `others` are further hidden words, from which the language of the texts is learnt. Whether a hidden word is one of
    them is known, so that blank words compete with blank words only. Their vectors are not kept.
    """

    network: MaskedNetwork
    _other_vectors: Tensor
    _other_bias: Tensor

    def __init__(
        self,
        network: MaskedNetwork,
        others: Sequence[str],
        other_frequency: Sequence[float],
        settings: MaskedSettings,
    ) -> None:
        super().__init__(network, settings)
        self.register_buffer("_other_vectors", network.word_vectors(others), persistent=False)
        self.register_buffer("_other_bias", torch.tensor(other_frequency).log(), persistent=False)

    def loss(self, batch: ClozeBatch) -> Loss:
        """See `TrainingModule`; per hidden word."""
        features = self.network.features(batch.inputs, batch.rows, batch.places)
        blanks = self.network.head.scores(features)
        is_blank = batch.words < blanks.shape[1]
        nats = functional.cross_entropy(blanks[is_blank].float(), batch.words[is_blank], reduction="sum")
        if not is_blank.all():
            others = functional.linear(features[~is_blank], self._other_vectors, self._other_bias)
            rest = batch.words[~is_blank] - blanks.shape[1]
            nats = nats + functional.cross_entropy(others.float(), rest, reduction="sum")
        return Loss(nats / len(batch.words), len(batch.words))


_MAX_TOKENS = 50


class MaskedTask:
    """Adapts an encoder to the blanks of cloze templates; see `lightning_modules.training.TrainingTask`.

    Raises InputError if too few pairs have a blank. `prepare` raises ModelError if the encoder cannot be found.
    """

    purpose = "hidden words of a concrete instruction"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(self, configuration: Configuration, pairs: Sequence[Pair]) -> None:
        self.name = configuration.name
        with_blanks = [pair for pair in map(cut, pairs) if any(pair.blanks)]
        try:
            self.split = split(with_blanks, pair_key)
        except InputError as error:
            remedy = "name cloze templates (kgscripts corpora cloze makes them) with 2 abstract sentences at least"
            raise InputError(f"{len(with_blanks)} pairs with blanks are too few", remedy=remedy) from error
        self.inputs = {"pairs": pairs_digest(with_blanks)}

    def prepare(self, settings: MaskedSettings) -> tuple[MaskedModule, ClozeData]:
        """See `TrainingTask`."""
        words, frequency = blank_words(self.split.train)
        others, other_frequency = other_words(self.split.train, set(words))
        network = new_network(words, frequency, rank=settings.rank, dropout=settings.dropout, encoder=settings.encoder)
        module = MaskedModule(network, others, other_frequency, settings)
        return module, ClozeData(self.split, network.inputs, words, others, settings)

    def checkpoint(self, module: MaskedModule, settings: MaskedSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        return masked_checkpoint(module.network, card, encoder=settings.encoder, rank=settings.rank)


def cut(pair: Pair) -> Pair:
    """Both sides cut to 50 tokens, of which the start symbol is one on the concrete side, as the published models."""
    size = _MAX_TOKENS - 1
    steps = tuple(step for step in pair.steps if step < size)
    return Pair(
        abstract=pair.abstract[:_MAX_TOKENS],
        concrete=pair.concrete[:size],
        blanks=pair.blanks[:size],
        steps=steps,
        where=pair.where,
    )
