"""The masked model under Lightning: cross entropy of the hidden words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from kgscripts.reproductions.kidscook.networks.masked import MaskedNetwork
from lightning_modules.cloze.data import ClozeBatch
from lightning_modules.cloze.settings import MaskedSettings
from lightning_modules.module import Loss, TrainingModule


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
