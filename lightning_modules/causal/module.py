"""A causal language model under Lightning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torch import Tensor
from torch.nn import functional

from kgscripts.reproductions.kidscook.networks.causal_adapters import (
    add_trainable_adapters,
    restore_adapters,
    trained_adapters,
)
from lightning_modules.causal.data import CausalBatch
from lightning_modules.causal.settings import CausalSettings
from lightning_modules.module import Loss, TrainingModule

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from kgscripts.reproductions.kidscook.networks.causal import CausalModel


class CausalModule(TrainingModule):
    """Minimises the mean surprisal of the target pieces, given the input.

    Trains all weights, or with a `rank` adapters alone. Raises ModelError if peft is then not installed.
    """

    network: PreTrainedModel

    def __init__(self, model: CausalModel, settings: CausalSettings) -> None:
        super().__init__(model.network, settings)
        self.model = model
        self._has_adapters = settings.rank > 0
        if self._has_adapters:
            add_trainable_adapters(model.network, settings.rank)
        else:
            model.network.requires_grad_(True)

    def loss(self, batch: CausalBatch) -> Loss:
        """See `TrainingModule`; per piece. Only targets go through the output layer, a costly one."""
        states = self.network.base_model(input_ids=batch.ids, attention_mask=batch.attention).last_hidden_state
        targets = batch.labels[:, 1:]
        is_target = targets >= 0
        output = self.network.get_output_embeddings()  # type: ignore[no-untyped-call]
        logits: Tensor = output(states[:, :-1][is_target])
        return Loss(functional.cross_entropy(logits.float(), targets[is_target]), int(is_target.sum()))

    def trained_state(self) -> Mapping[str, Tensor]:
        """See `TrainingModule`; a network that stays as it is, is not saved with its adapters."""
        return trained_adapters(self.network) if self._has_adapters else super().trained_state()

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """See `TrainingModule`."""
        if self._has_adapters:
            restore_adapters(self.network, state)
        else:
            super().restore(state)
