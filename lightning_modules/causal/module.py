"""A causal language model under Lightning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from lightning_modules.causal.data import CausalBatch
from lightning_modules.causal.settings import CausalSettings
from lightning_modules.module import Loss, TrainingModule

if TYPE_CHECKING:
    from kgscripts.models.cloze.causal import CausalModel


class CausalModule(TrainingModule):
    """Minimises the mean surprisal of the target pieces, given the input."""

    def __init__(self, model: CausalModel, settings: CausalSettings) -> None:
        super().__init__(model.network, settings)
        self.model = model

    def loss(self, batch: CausalBatch) -> Loss:
        """See `TrainingModule`; per piece."""
        loss: Tensor = self.network(input_ids=batch.ids, attention_mask=batch.attention, labels=batch.labels).loss
        return Loss(loss, int((batch.labels[:, 1:] >= 0).sum()))
