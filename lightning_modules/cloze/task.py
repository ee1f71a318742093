"""Training of the masked model: its LightningModule and its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.kidscook.networks.masked import MaskedNetwork, masked_checkpoint, new_network
from lightning_modules.cloze.data import ClozeBatch, ClozeData, blank_words, other_words
from lightning_modules.configuration import Configuration
from lightning_modules.data import pair_key, pairs_digest, split
from lightning_modules.module import Loss, TrainingModule
from lightning_modules.task_settings import MaskedSettings
from schemas.errors import InputError


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

    def trained_state(self) -> Mapping[str, Tensor]:
        """Adapters and head; the encoder stays as it is."""
        return self.network.trained()

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """See `TrainingModule`."""
        self.network.restore(state)


_MAX_TOKENS = 50


class MaskedTask:
    """Adapts an encoder to the blanks of cloze templates; see `lightning_modules.training.TrainingTask`.

    Raises InputError if too few pairs have a blank. `prepare` raises ModelError if the encoder cannot be found.
    """

    purpose = "hidden words of a concrete instruction"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(self, configuration: Configuration, pairs: Sequence[Pair]) -> None:
        self.name = configuration.name
        self._pairs = [pair for pair in map(cut, pairs) if any(pair.blanks)]
        try:
            self.split = split(self._pairs, pair_key)
        except InputError as error:
            remedy = "name cloze templates (kgscripts corpora cloze makes them) with 2 abstract sentences at least"
            raise InputError(f"{len(self._pairs)} pairs with blanks are too few", remedy=remedy) from error

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        return {"pairs": pairs_digest(self._pairs)}

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
