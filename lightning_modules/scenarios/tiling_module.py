"""The classifier of the published model of scenarios under Lightning, and its batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from attrs import frozen
from torch import Tensor

from kgscripts.reproductions.scenarios.classifier import ScenarioClassifier
from lightning_modules.data import TrainingBatch, TrainingData
from lightning_modules.module import Loss, TrainingModule
from lightning_modules.scenarios.settings import TilingTrainingSettings


@frozen(eq=False)
class LabelledVectors:
    """The vectors of a text by kind of features, (size,), and whether it is about each scenario, (scenarios,)."""

    where: str
    vectors: Mapping[str, Tensor]
    labels: Tensor


@frozen(eq=False)
class TilingBatch(TrainingBatch):
    """`features` names the columns of `vectors`, (texts, all features); `labels` are (texts, scenarios)."""

    features: Mapping[str, int]
    vectors: Tensor
    labels: Tensor


class TilingData(TrainingData[LabelledVectors]):
    """Stories to train on; segments of development documents are held out."""

    def collate(self, examples: Sequence[LabelledVectors]) -> TilingBatch:
        """See `TrainingData`."""
        return TilingBatch(
            where=tuple(example.where for example in examples),
            features={name: len(vector) for name, vector in examples[0].vectors.items()},
            vectors=torch.stack([torch.cat(list(example.vectors.values())) for example in examples]),
            labels=torch.stack([example.labels for example in examples]),
        )


class TilingModule(TrainingModule):
    """Minimises the cross-entropy of all binary classifiers with Adam (section 4), for all features at once.

    The classifiers of different features have no weight in common, so that each is trained as if it were alone.
    """

    network: ScenarioClassifier

    def __init__(self, network: ScenarioClassifier, settings: TilingTrainingSettings) -> None:
        super().__init__(network, settings)

    def loss(self, batch: TilingBatch) -> Loss:
        """See `TrainingModule`; per text, summed over features and scenarios."""
        vectors = dict(
            zip(batch.features, torch.split(batch.vectors, list(batch.features.values()), dim=1), strict=True)
        )
        losses = [
            torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.labels, reduction="sum")
            for logits in self.network(vectors).values()
        ]
        return Loss(torch.stack(losses).sum() / len(batch.labels), len(batch.labels))
