"""The classifier of the published model of scenarios under Lightning, and its batches."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from attrs import frozen
from torch import Tensor

from kgscripts.reproductions.scenarios.classifier import ScenarioClassifier
from lightning_modules.data import TrainingBatch, TrainingData
from lightning_modules.module import Loss, TrainingModule
from lightning_modules.scenarios.settings import TilingTrainingSettings


@frozen(eq=False)
class LabelledVectors:
    """The vector of a text, (size,), and whether it is about each scenario, (scenarios,)."""

    where: str
    vector: Tensor
    labels: Tensor


@frozen(eq=False)
class TilingBatch(TrainingBatch):
    """`vectors` are (texts, size), `labels` (texts, scenarios)."""

    vectors: Tensor
    labels: Tensor


class TilingData(TrainingData[LabelledVectors]):
    """Stories to train on; segments of development documents are held out."""

    def collate(self, examples: Sequence[LabelledVectors]) -> TilingBatch:
        """See `TrainingData`."""
        return TilingBatch(
            where=tuple(example.where for example in examples),
            vectors=torch.stack([example.vector for example in examples]),
            labels=torch.stack([example.labels for example in examples]),
        )


class TilingModule(TrainingModule):
    """Minimises the cross-entropy of all binary classifiers with Adam (section 4)."""

    network: ScenarioClassifier

    def __init__(self, network: ScenarioClassifier, settings: TilingTrainingSettings) -> None:
        super().__init__(network, settings)

    def loss(self, batch: TilingBatch) -> Loss:
        """See `TrainingModule`; per text, summed over scenarios."""
        logits = self.network(batch.vectors)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.labels, reduction="sum")
        return Loss(loss / len(batch.labels), len(batch.labels))
