"""Training of the aligner: its LightningModule and its task."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import attrs
from torch import Tensor

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.aligner import KIND
from kgscripts.models.alignment.network import AlignerNetwork
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.encoder import load_encoder
from kgscripts.reproductions.kidscook.alignments.gold import GoldAlignment
from lightning_modules.aligner.data import AlignmentBatch, AlignmentData, Targets
from lightning_modules.data import pair_key, pairs_digest, split
from lightning_modules.module import Loss, TrainingModule
from lightning_modules.task_settings import AlignerSettings


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


_NETWORK_SETTINGS = ("layers", "rank", "size", "smoothing", "shift_probability")


class AlignerTask:
    """Trains the aligner on pairs, of which `labels` label rows; see `lightning_modules.training.TrainingTask`.

    Raises InputError for too few labelled pairs. `prepare` raises ModelError if MiniLM cannot be found.
    """

    name = "aligner"
    purpose = "alignment of concrete with abstract instructions"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(self, pairs: Sequence[Pair], labels: Sequence[GoldAlignment]) -> None:
        self.split = split([pairs[label.row - 1] for label in labels], pair_key)
        self._pairs = pairs
        self._labels = {label.row - 1: label for label in labels}

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        labels = json.dumps([(row, sorted(label.aligned.items())) for row, label in self._labels.items()])
        return {
            "pairs": pairs_digest(self._pairs),
            "labels": sha256(labels.encode()).hexdigest(),
        }

    def prepare(self, settings: AlignerSettings) -> tuple[AlignerModule, AlignmentData]:
        """See `TrainingTask`."""
        network = AlignerNetwork(load_encoder(), layers=settings.layers, rank=settings.rank, size=settings.size)
        data = AlignmentData(self._pairs, self._labels, network.inputs, settings)
        return AlignerModule(network, settings), data

    def checkpoint(self, module: AlignerModule, settings: AlignerSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        values = attrs.asdict(settings)
        return Checkpoint(
            kind=KIND,
            settings={name: values[name] for name in _NETWORK_SETTINGS},
            tensors={name: tensor.detach().half() for name, tensor in module.trained_state().items()},
            card=card,
        )
