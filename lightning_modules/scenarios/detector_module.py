"""The detector under Lightning, and the documents that it learns from."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import torch
from attrs import frozen
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.scenarios.detector import context_features
from lightning_modules.data import Split, TrainingBatch, TrainingData
from lightning_modules.module import Loss, TrainingModule
from lightning_modules.scenarios.made_documents import DocumentMaker, MadeDocument
from lightning_modules.scenarios.settings import DetectorTrainingSettings


@frozen(eq=False)
class DetectorBatch(TrainingBatch):
    """`features` (sentences, features) of several documents, and the place of each sentence's label, (sentences,)."""

    features: Tensor
    labels: Tensor


class DetectorData(TrainingData[MadeDocument]):
    """Documents that are made of passages, anew each epoch; natural ones are held out."""

    def __init__(
        self,
        train: DocumentMaker,
        held_out: Sequence[MadeDocument],
        vectors: Mapping[str, Tensor],
        labels: Mapping[str, int],
        settings: DetectorTrainingSettings,
    ) -> None:
        super().__init__(Split([], list(held_out)), settings)
        self._maker = train
        self._vectors, self._labels = vectors, labels
        self._documents = settings.documents

    @property
    def batches_per_epoch(self) -> int:
        """See `TrainingData`."""
        return -(-self._documents // self._size)

    def train_batches(self, draw: random.Random) -> Sequence[Sequence[MadeDocument]]:
        """See `TrainingData`."""
        return self._batches([self._maker.make(draw) for _ in range(self._documents)])

    def held_out_batches(self) -> Sequence[Sequence[MadeDocument]]:
        """See `TrainingData`."""
        return self._batches(self._parts.held_out)

    def collate(self, examples: Sequence[MadeDocument]) -> DetectorBatch:
        """See `TrainingData`."""
        return DetectorBatch(
            where=tuple(example.sentences[0][:60] for example in examples),
            features=torch.cat(
                [context_features(torch.stack([self._vectors[text] for text in item.sentences])) for item in examples]
            ),
            labels=torch.tensor([self._labels[label] for item in examples for label in item.labels]),
        )

    def _batches(self, documents: Sequence[MadeDocument]) -> list[Sequence[MadeDocument]]:
        return [documents[start : start + self._size] for start in range(0, len(documents), self._size)]


class DetectorModule(TrainingModule):
    """Minimises the surprisal of the label of each sentence.

    In held-out documents, the scenarios at the indices `withheld` are `NONE`, as the model will report them.
    """

    network: nn.Linear
    _settings: DetectorTrainingSettings

    def __init__(self, network: nn.Linear, settings: DetectorTrainingSettings, withheld: Sequence[int] = ()) -> None:
        super().__init__(network, settings)
        self._none = [*withheld, network.out_features - 1]

    def loss(self, batch: DetectorBatch) -> Loss:
        """See `TrainingModule`; per sentence."""
        features = functional.dropout(batch.features, self._settings.dropout, self.training)
        scores = self.network(features).log_softmax(-1)
        if not self.training:
            scores = torch.cat([scores[:, :-1], scores[:, self._none].logsumexp(-1, keepdim=True)], dim=1)
        return Loss(functional.nll_loss(scores, batch.labels), len(batch.labels))
