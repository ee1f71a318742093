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

from lightning_modules.data import TrainingBatch, TrainingData
from lightning_modules.settings import TrainingSettings
from schemas.errors import ModelError


@frozen(eq=False)
class Loss:
    """The mean loss of a batch in nats, (), and over how many items it is the mean."""

    mean: Tensor
    items: int


class TrainingModule(pl.LightningModule):
    """Minimises a loss; a subclass computes it in `loss` and chooses an optimiser.

    Random numbers depend only on the seed, the epoch and the batch, so that a resumed run gives the result of an
    uninterrupted one. Raises ModelError for a loss that is not finite, with where the examples of the batch were read.
    """

    phase: str = ""
    """The current phase; see `TrainingSettings.phases`."""

    def __init__(self, network: nn.Module, settings: TrainingSettings) -> None:
        super().__init__()
        self.network = network
        self._seed = settings.seed

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

    @property
    def steps_per_epoch(self) -> int:
        """Steps of an epoch on each device."""
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, TrainingData)
        return data.steps_per_epoch

    def training_step(self, batch: TrainingBatch, number: int) -> Tensor:
        """The loss of a batch."""
        torch.manual_seed((self._seed * 100_003 + self.current_epoch) * 100_003 + number)
        return self._logged("train_loss", batch, number)

    def validation_step(self, batch: TrainingBatch, number: int) -> Tensor:
        """The loss of a held-out batch."""
        return self._logged("held_out_loss", batch, number)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Save only trained tensors, not a frozen encoder."""
        checkpoint["state_dict"] = dict(self.trained_state())

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Load what `on_save_checkpoint` saved."""
        self.restore(checkpoint["state_dict"])
        checkpoint["state_dict"] = self.state_dict()

    def _logged(self, name: str, batch: TrainingBatch, number: int) -> Tensor:
        loss = self.loss(batch)
        if not math.isfinite(loss.mean.item()):
            where = f"epoch {self.current_epoch + 1}, batch {number + 1} ({', '.join(batch.where)})"
            remedy = "look at these examples or lower the learning rate; finished epochs are kept for --resume"
            raise ModelError(f"the loss is {loss.mean.item()}", where=where, remedy=remedy)
        self.log(name, loss.mean, batch_size=loss.items, on_step=False, on_epoch=True, sync_dist=True, prog_bar=True)
        return loss.mean


def with_linear_schedule(optimizer: torch.optim.Optimizer, *, warm_up: float, steps: int) -> dict[str, Any]:
    """The optimiser with a learning rate that rises for a share `warm_up` of all steps, then falls to zero."""
    from transformers import get_linear_schedule_with_warmup

    rising = max(1, round(warm_up * steps))
    schedule = get_linear_schedule_with_warmup(optimizer, rising, steps)  # type: ignore[no-untyped-call]
    return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}
