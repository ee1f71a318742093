"""The networks under Lightning: a thin wrapper that trains them on likelihood or by hard EM."""

from __future__ import annotations

import math

import pytorch_lightning as pl
import torch
from torch import Tensor

from kgscripts.models.recurrent import PairNetwork
from kgscripts.models.transducer import Transducer
from lightning_modules.transducer.configuration import TrainingSettings
from lightning_modules.transducer.data import TrainingBatch
from schemas.errors import ModelError


class PairTraining(pl.LightningModule):
    """Minimises the mean over pairs of -log p(concrete | abstract), in nats.

    While `hard_em` is set, of -log p(concrete, path | abstract) with the Viterbi path under the current weights
    (appendix A.3). Raises ModelError for a loss that is not finite, saying where.
    """

    def __init__(self, network: PairNetwork, settings: TrainingSettings) -> None:
        super().__init__()
        self.network = network
        self.hard_em = False
        self._settings = settings

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Adam on what is trained."""
        trained = [parameter for parameter in self.network.parameters() if parameter.requires_grad]
        return torch.optim.Adam(trained, lr=self._settings.learning_rate)

    def training_step(self, batch: TrainingBatch, number: int) -> Tensor:
        """The loss of a batch; dropout depends on seed, epoch and batch alone, so a resumed run is the unbroken one."""
        torch.manual_seed((self._settings.seed * 100_003 + self.current_epoch) * 100_003 + number)
        return self._logged("train_loss", batch, number)

    def validation_step(self, batch: TrainingBatch, number: int) -> Tensor:
        """The loss of a held-out batch."""
        return self._logged("held_out_loss", batch, number)

    def _logged(self, name: str, batch: TrainingBatch, number: int) -> Tensor:
        loss = self._loss(batch)
        if not math.isfinite(loss.item()):
            where = f"epoch {self.current_epoch + 1}, batch {number + 1} ({', '.join(batch.where)})"
            remedy = "look at these pairs or lower the learning rate; finished epochs are kept for --resume"
            raise ModelError(f"the loss is {loss.item()}", where=where, remedy=remedy)
        self.log(name, loss, batch_size=len(batch.pairs), on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def _loss(self, batch: TrainingBatch) -> Tensor:
        if not self.hard_em:
            return -self.network.log_likelihood(batch.pairs).mean()
        assert isinstance(self.network, Transducer)
        training = self.network.training
        self.network.eval()  # the best path is that of the whole network, not of what dropout leaves of it
        path = self.network.viterbi(batch.pairs).path
        self.network.train(training)
        return -self.network.path_log_likelihood(batch.pairs, path).mean()
