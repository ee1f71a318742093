"""The masked model under Lightning: cross entropy of the hidden words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from kgscripts.models.cloze.masked import MaskedNetwork
from lightning_modules.cloze.data import ClozeBatch
from lightning_modules.cloze.settings import MaskedSettings
from lightning_modules.module import Loss, TrainingModule, with_linear_schedule


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
        self._settings = settings
        self.register_buffer("_other_vectors", network.word_vectors(others), persistent=False)
        self.register_buffer("_other_bias", torch.tensor(other_frequency).log(), persistent=False)

    def configure_optimizers(self) -> Any:
        """AdamW with a linear schedule."""
        settings = self._settings
        optimizer = torch.optim.AdamW(
            self.trained_parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        return with_linear_schedule(optimizer, warm_up=settings.warm_up, steps=settings.epochs * self.steps_per_epoch)

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
