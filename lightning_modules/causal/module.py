"""A causal language model under Lightning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytorch_lightning as pl
import torch
from torch import Tensor

from lightning_modules.causal.data import CausalBatch
from lightning_modules.causal.settings import CausalSettings
from schemas.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class CausalTraining(pl.LightningModule):
    """Minimises the mean surprisal of the concrete side's pieces, in nats, given the abstract side.

    Raises ModelError for a loss that is not finite, saying where.
    """

    def __init__(self, network: PreTrainedModel, settings: CausalSettings, steps: int) -> None:
        super().__init__()
        self.network = network
        self._settings = settings
        self._steps = steps

    def configure_optimizers(self) -> Any:
        """AdamW; the learning rate rises, then falls to nothing over all steps."""
        from transformers import get_linear_schedule_with_warmup

        settings = self._settings
        optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        warm_up = max(1, round(settings.warm_up * self._steps))
        schedule = get_linear_schedule_with_warmup(optimizer, warm_up, self._steps)  # type: ignore[no-untyped-call]
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    def training_step(self, batch: CausalBatch, number: int) -> Tensor:
        """The loss of a batch."""
        return self._logged("train_loss", batch, number)

    def validation_step(self, batch: CausalBatch, number: int) -> Tensor:
        """The loss of a held-out batch."""
        return self._logged("held_out_loss", batch, number)

    def _logged(self, name: str, batch: CausalBatch, number: int) -> Tensor:
        loss: Tensor = self.network(input_ids=batch.ids, attention_mask=batch.attention, labels=batch.labels).loss
        if not math.isfinite(loss.item()):
            where = f"epoch {self.current_epoch + 1}, batch {number + 1} ({', '.join(batch.where)})"
            remedy = "look at these pairs or lower the learning rate; finished epochs are kept for --resume"
            raise ModelError(f"the loss is {loss.item()}", where=where, remedy=remedy)
        # Weighted by pieces, so that the figure does not depend on how pairs are batched.
        pieces = int((batch.labels[:, 1:] >= 0).sum())
        self.log(name, loss, batch_size=pieces, on_step=False, on_epoch=True, sync_dist=True, prog_bar=True)
        return loss
