"""What all networks have in common under Lightning."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import pytorch_lightning as pl
import torch
from attrs import frozen
from torch import Tensor, nn
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR

from lightning_modules.data import TrainingBatch, TrainingData
from lightning_modules.settings import CONSTANT, ONE_CYCLE, TrainingSettings
from schemas.errors import ModelError


@frozen(eq=False)
class Loss:
    """The mean loss of a batch in nats, (), and over how many items it is the mean."""

    mean: Tensor
    items: int


class TrainingModule(pl.LightningModule):
    """Minimises a loss, which a subclass computes in `loss`, with the optimiser and schedule of the settings.

    Random numbers depend only on the seed, the epoch and the batch, so that a resumed run gives the result of an
    uninterrupted one. Raises ModelError for a loss that is not finite, with where the examples of the batch were read.
    """

    phase: str = ""
    """The current phase; see `TrainingSettings.phases`."""

    def __init__(self, network: nn.Module, settings: TrainingSettings) -> None:
        super().__init__()
        self.network = network
        self._settings = settings
        self._nats, self._items = 0.0, 0

    @abstractmethod
    def loss(self, batch: Any) -> Loss:
        """The loss of a batch."""

    def trained_state(self) -> Mapping[str, Tensor]:
        """What training changes, by name."""
        return self.network.state_dict()

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Load what `trained_state` gave."""
        self.network.load_state_dict(state)

    def trained_parameters(self) -> list[nn.Parameter]:
        """The parameters that are not frozen."""
        return [parameter for parameter in self.network.parameters() if parameter.requires_grad]

    def parameter_groups(self) -> list[dict[str, Any]]:
        """What the optimiser trains, in groups with settings of their own."""
        return [{"params": self.trained_parameters()}]

    def configure_optimizers(self) -> Any:
        """AdamW, and the schedule of its learning rate."""
        settings, data = self._settings, self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, TrainingData)
        optimizer = torch.optim.AdamW(
            self.parameter_groups(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        if settings.schedule == CONSTANT:
            return optimizer
        schedule = _schedule(optimizer, settings, sum(settings.phases.values()) * data.steps_per_epoch)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    @property
    def train_loss(self) -> float:
        """The mean loss of the epoch so far, in nats."""
        return self._nats / max(1, self._items)

    def on_train_epoch_start(self) -> None:
        """Begin the mean. A run that is resumed within an epoch goes on with that of its first part."""
        self._nats, self._items = 0.0, 0

    def on_train_epoch_end(self) -> None:
        """Log the mean."""
        self.log("train_loss", self.train_loss, sync_dist=True)

    def training_step(self, batch: TrainingBatch, number: int) -> Tensor:
        """The loss of a batch."""
        torch.manual_seed((self._settings.seed * 100_003 + self.current_epoch) * 100_003 + number)
        loss = self._finite_loss(batch, number)
        self._nats += loss.mean.item() * loss.items
        self._items += loss.items
        self.log("loss", loss.mean, batch_size=loss.items)
        return loss.mean

    def validation_step(self, batch: TrainingBatch, number: int) -> Tensor:
        """The loss of a held-out batch."""
        loss = self._finite_loss(batch, number)
        self.log("held_out_loss", loss.mean, batch_size=loss.items, sync_dist=True)
        return loss.mean

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Save only trained tensors, not a frozen encoder, and the mean loss of an epoch so far."""
        checkpoint["state_dict"] = dict(self.trained_state())
        checkpoint["train_loss"] = [self._nats, self._items]

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Load what `on_save_checkpoint` saved."""
        self.restore(checkpoint["state_dict"])
        checkpoint["state_dict"] = self.state_dict()
        self._nats, self._items = checkpoint["train_loss"]

    def _finite_loss(self, batch: TrainingBatch, number: int) -> Loss:
        loss = self.loss(batch)
        if not math.isfinite(loss.mean.item()):
            where = f"epoch {self.current_epoch + 1}, batch {number + 1} ({', '.join(batch.where)})"
            remedy = "look at these examples or lower the learning rate; what came before is kept for --resume"
            raise ModelError(f"the loss is {loss.mean.item()}", where=where, remedy=remedy)
        return loss


def _schedule(optimizer: torch.optim.Optimizer, settings: TrainingSettings, steps: int) -> LRScheduler:
    """How the learning rate rises and falls over all steps."""
    if settings.schedule == ONE_CYCLE:
        rates = [group["lr"] for group in optimizer.param_groups]
        return OneCycleLR(optimizer, rates, total_steps=steps + 1, pct_start=settings.warm_up)
    from transformers import get_linear_schedule_with_warmup

    rising = max(1, round(settings.warm_up * steps))
    return get_linear_schedule_with_warmup(optimizer, rising, steps)  # type: ignore[no-any-return, no-untyped-call]
