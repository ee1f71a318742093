"""The aligner under Lightning."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from kgscripts.models.alignment.network import AlignerNetwork
from lightning_modules.aligner.data import AlignmentBatch, Targets
from lightning_modules.aligner.settings import AlignerSettings
from lightning_modules.module import Loss, TrainingModule


class AlignerModule(TrainingModule):
    """Minimises the surprisal of the labelled words and, with a smaller weight, of anchors in other pairs."""

    network: AlignerNetwork
    _settings: AlignerSettings

    def __init__(self, network: AlignerNetwork, settings: AlignerSettings) -> None:
        super().__init__(network, settings)

    def loss(self, batch: AlignmentBatch) -> Loss:
        """See `TrainingModule`; per labelled word."""
        nats = self._mean_nats(batch.labelled)
        if batch.anchored is not None:
            nats = nats + self._settings.anchor_weight * self._mean_nats(batch.anchored)
        return Loss(nats, max(1, len(batch.labelled.rows)))

    def trained_state(self) -> Mapping[str, Tensor]:
        """Adapters and scores; the encoder stays as it is."""
        return self.network.trained_tensors()

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """See `TrainingModule`."""
        self.network.load_trained_tensors(state)

    def _mean_nats(self, targets: Targets) -> Tensor:
        """The mean surprisal of the targets; a target for which several words are right is any of these."""
        scores = self.network(targets.inputs)
        if len(targets.rows) == 0:
            nothing: Tensor = scores.sum() * 0.0
            return nothing
        own = scores.float().log_softmax(dim=2)[targets.rows, targets.concrete]
        mean: Tensor = ((own + targets.accepted).logsumexp(dim=1) * targets.weights).sum() / targets.weights.sum()
        return -mean
