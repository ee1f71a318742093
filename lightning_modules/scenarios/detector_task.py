"""Training of the scenario detector: data, LightningModule, task and cross-validation."""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import torch
from attrs import frozen
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.evaluation.result import Evaluation
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.registry import load
from kgscripts.models.scenarios.detector import (
    FEATURES,
    DetectorSettings,
    ScenarioDetector,
    context_features,
    detected_segments,
)
from kgscripts.models.scenarios.list import passages_centre
from kgscripts.models.scenarios.protocol import NewScenario
from kgscripts.models.sentence_vectors import RememberedVectors, quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from kgscripts.reproductions.scenarios.documents import LabelledStory
from kgscripts.reproductions.scenarios.measures import count_labels, micro_score
from kgscripts.reproductions.scenarios.predictions import pair_documents, ranked
from kgscripts.reproductions.scenarios.stories import Classifier, story_accuracy
from lightning_modules.configuration import Configuration
from lightning_modules.module import Loss, Split, TrainingBatch, TrainingData, TrainingModule
from lightning_modules.scenarios.made_documents import (
    DocumentMaker,
    MadeDocument,
    Passage,
    labelled_by_passages,
    written_passages,
    written_stories,
)
from lightning_modules.scenarios.stories import StoryFiles, calibrated
from lightning_modules.settings import Hardware, Withheld
from lightning_modules.task_settings import DetectorTrainingSettings
from lightning_modules.training import train
from schemas.provenance import Model
from schemas.scenario_documents import NONE, ScenarioDocument, concept_scheme


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
        vectors: Mapping[str, NDArray[np.float32]],
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
        return self.batches([self._maker.make(draw) for _ in range(self._documents)], None)

    def collate(self, examples: Sequence[MadeDocument]) -> DetectorBatch:
        """See `TrainingData`."""
        return DetectorBatch(
            where=tuple(example.sentences[0][:60] for example in examples),
            features=torch.from_numpy(
                np.concatenate(
                    [context_features(np.stack([self._vectors[text] for text in item.sentences])) for item in examples]
                )
            ),
            labels=torch.tensor([self._labels[label] for item in examples for label in item.labels]),
        )


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


_BIASES = (-3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5)
_COSTS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)


class DetectorTask:
    """Trains on documents that are made of what was written for it, and of stories; see `TrainingTask`.

    The development documents are held out: they decide which weights are kept, and then the bias of `NONE` and the cost
    of a change. What was written about the scenarios `without` is not trained on, and they are no labels.
    """

    purpose = "scenarios of the passages of a text"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(
        self,
        configuration: Configuration,
        files: StoryFiles,
        *,
        without: Collection[str] = (),
        vectors: Callable[[Sequence[str]], NDArray[np.int8]] = quantised_vectors,
    ) -> None:
        self.name = configuration.name
        self._passages = [passage for passage in written_passages() if passage.scenario not in without]
        self._written = [
            story
            for story in written_stories()
            if not {name for names in story.labels() for name in names} & {*without}
        ]
        self._vectors = vectors
        self._held_out = [
            MadeDocument(document.sentences, [labels[0] if labels else NONE for labels in document.labels()])
            for document in files.development
            if not {name for names in document.labels() for name in names} & {*without}
        ]
        self.split: Split[Any] = Split([*self._passages, *self._written, *files.stories], self._held_out)
        self._files = files
        about = {passage.scenario for passage in self._passages}
        self._scenarios = [concept.label for concept in concept_scheme() if concept.label in about]
        written = [[attrs.astuple(item) for item in items] for items in (self._passages, self._written)]
        digest = hashlib.sha256(json.dumps(written).encode()).hexdigest()
        self.inputs = {"texts": files.digest, "written": digest}

    def prepare(self, settings: DetectorTrainingSettings) -> tuple[DetectorModule, DetectorData]:
        """See `TrainingTask`."""
        files = self._files
        read: list[Passage | ScenarioDocument | MadeDocument | LabelledStory]
        read = [*self._passages, *self._written, *self._held_out, *files.stories]
        texts = sorted({sentence for item in read for sentence in item.sentences})
        vectors = dict(zip(texts, self._vectors(texts).astype(np.float32) / SCALE, strict=True))

        def vectors_of(sentences: Sequence[str]) -> NDArray[np.float64]:
            return np.stack([vectors[sentence] for sentence in sentences]).astype(float)

        self._centres = np.stack(
            [
                passages_centre(
                    vectors_of(passage.sentences) for passage in self._passages if passage.scenario == scenario
                )
                for scenario in self._scenarios
            ]
        )
        unlabelled = [story for story in files.stories if not story.scenario]
        labelled = labelled_by_passages(
            unlabelled, self._passages, files.labelled, vectors_of, share=settings.unlabelled_share
        )
        data = DetectorData(
            DocumentMaker(self._passages, self._written, [*files.labelled, *labelled], settings),
            self._held_out,
            vectors,
            {label: place for place, label in enumerate([*self._scenarios, NONE])},
            settings,
        )
        withheld = [place for place, label in enumerate(self._scenarios) if label in files.withheld]
        return DetectorModule(nn.Linear(FEATURES, len(self._scenarios) + 1), settings, withheld), data

    def checkpoint(
        self,
        module: DetectorModule,
        settings: DetectorTrainingSettings,  # noqa: ARG002
        card: ModelCard,
    ) -> Checkpoint:
        """See `TrainingTask`. Bias and cost are those with the highest micro F1 less P_k, and neighbours as good."""
        parts = module.network.state_dict()
        # As it will be stored, so that bias and cost fit what is loaded later.
        rows = torch.cat([parts["weight"], parts["bias"][:, None]], dim=1).cpu().half().float().numpy()
        # Only to measure with: the real digest is that of the files.
        model = Model(name=self.name, version=card.version, digest="0" * 64, task=self.purpose)
        first = DetectorSettings(scenarios=self._scenarios, withheld=self._files.withheld)
        detector = ScenarioDetector(rows, self._centres, first, model)
        documents = self._files.development
        scores = detector.all_log_probabilities([document.sentences for document in documents])

        def quality(bias: float, cost: float) -> float:
            chosen = attrs.evolve(first, none_bias=bias, change_cost=cost)
            predicted = {
                document.id: [ranked(segment) for segment in detected_segments(of_document, chosen)]
                for document, of_document in zip(documents, scores, strict=True)
            }
            paired = pair_documents(documents, predicted)
            f1 = micro_score(count_labels(paired.outcomes()).values()).f1
            return f1 - (paired.boundaries().pk or 0.0)

        # A mean over neighbours, since few documents decide.
        grid = np.array([[quality(bias, cost) for cost in _COSTS] for bias in _BIASES])
        place = uniform_filter(grid, 3, mode="nearest").argmax()
        bias, cost = np.unravel_index(place, grid.shape)
        best = attrs.evolve(first, none_bias=_BIASES[bias], change_cost=_COSTS[cost])
        return calibrated(ScenarioDetector(rows, self._centres, best, model), documents).checkpoint(card)


def cross_validate(
    files: StoryFiles,
    configuration: Configuration,
    withheld: Withheld,
    *,
    folds: int,
    hardware: Hardware | None = None,
    on_story: Callable[[int], object] = lambda _: None,
) -> Evaluation:
    """The accuracy of detectors on labelled stories, each trained without the stories that it is measured on.

    Raises as `story_accuracy` and `train` do.
    """
    vectors = RememberedVectors()

    def trained(stories: Sequence[LabelledStory]) -> Classifier:
        ids = {story.id for story in stories}
        known = {story.scenario for story in stories}
        added = sorted({story.scenario for story in files.labelled} - known) if withheld is Withheld.KNOWLEDGE else []
        others = [story for story in files.stories if not story.scenario or story.id in ids]
        task = DetectorTask(configuration, attrs.evolve(files, stories=others), without=added, vectors=vectors)
        with tempfile.TemporaryDirectory() as folder:
            train(task, configuration.training, Path(folder) / "model", hardware=hardware)
            model = load("scenarios", Path(folder) / "model")
        assert isinstance(model, ScenarioDetector)
        return partial(_rank, model.with_scenarios([NewScenario(name) for name in added]) if added else model)

    whole = withheld is not Withheld.STORIES
    return story_accuracy(files.labelled, trained, whole_scenarios=whole, folds=folds, on_story=on_story)


def _rank(model: ScenarioDetector, texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """The scenarios of each text, by the mean log probability of its sentences."""
    scenarios = model.settings.labels[:-1]
    means = [model.log_probabilities(text)[:, :-1].mean(axis=0) for text in texts]
    return [[scenarios[place] for place in np.argsort(-mean, kind="stable")] for mean in means]
