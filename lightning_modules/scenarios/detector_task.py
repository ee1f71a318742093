"""The training task of the detector."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from typing import Any

import attrs
import torch
from torch import nn

from kgscripts.corpora.scenario_documents import LabelledStory
from kgscripts.evaluation.scenario_detection import evaluate_scenarios
from kgscripts.evaluation.scenario_predictions import ranked
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.scenario_detector import (
    FEATURES,
    DetectorSettings,
    ScenarioDetector,
    detected_segments,
    detector_checkpoint,
)
from kgscripts.models.sentence_vectors import SCALE, quantised_vectors
from lightning_modules.data import Split
from lightning_modules.scenarios.configuration import Configuration
from lightning_modules.scenarios.detector_module import DetectorData, DetectorModule
from lightning_modules.scenarios.detector_settings import DetectorTrainingSettings
from lightning_modules.scenarios.passages import DocumentMaker, MadeDocument, Passage, written_passages
from lightning_modules.scenarios.stories import StoryFiles
from schemas.provenance import Model
from schemas.scenario_documents import NONE
from schemas.scenario_scheme import concept_scheme

_BIASES = (-4.0, -3.0, -2.0, -1.0, 0.0)
_COSTS = (0.5, 1.0, 2.0, 3.0, 4.0)


class DetectorTask:
    """Trains on documents that are made of the passages written for it, and of labelled stories; see `TrainingTask`.

    The development documents are held out: they decide which weights are kept, and then the bias of `NONE` and the cost
    of a change.
    """

    purpose = "scenarios of the passages of a text"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(self, configuration: Configuration, files: StoryFiles) -> None:
        self.name = configuration.name
        self._passages = written_passages()
        self._held_out = [
            MadeDocument(document.sentences, [labels[0] if labels else NONE for labels in document.labels()])
            for document in files.development
        ]
        self.split: Split[Any] = Split([*self._passages, *files.labelled], self._held_out)
        self._files = files
        self._scenarios = [concept.label for concept in concept_scheme()]

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        passages = json.dumps([attrs.astuple(passage) for passage in self._passages])
        return {"texts": self._files.digest, "passages": hashlib.sha256(passages.encode()).hexdigest()}

    def prepare(self, settings: DetectorTrainingSettings) -> tuple[DetectorModule, DetectorData]:
        """See `TrainingTask`."""
        read: list[Passage | MadeDocument | LabelledStory]
        read = [*self._passages, *self._held_out, *self._files.labelled]
        texts = sorted({sentence for item in read for sentence in item.sentences})
        vectors = torch.from_numpy(quantised_vectors(texts)).float() / SCALE
        data = DetectorData(
            DocumentMaker(self._passages, self._files.labelled, settings.story_share),
            self._held_out,
            dict(zip(texts, vectors, strict=True)),
            {label: place for place, label in enumerate([*self._scenarios, NONE])},
            settings,
        )
        return DetectorModule(nn.Linear(FEATURES, len(self._scenarios) + 1), settings), data

    def checkpoint(
        self,
        module: DetectorModule,
        settings: DetectorTrainingSettings,  # noqa: ARG002
        card: ModelCard,
    ) -> Checkpoint:
        """See `TrainingTask`. Bias and cost are those with the highest micro F1 less P_k."""
        layer = nn.Linear(FEATURES, len(self._scenarios) + 1)
        layer.load_state_dict({name: value.half().float() for name, value in module.network.state_dict().items()})
        model = Model(name=self.name, version=card.version, digest="0" * 64, task=self.purpose)
        detector = ScenarioDetector(layer, DetectorSettings(scenarios=self._scenarios), model)
        documents = self._files.development
        scores = [detector.log_probabilities(document.sentences) for document in documents]

        def quality(chosen: DetectorSettings) -> float:
            found = {
                document.id: [ranked(segment) for segment in detected_segments(own, chosen)]
                for document, own in zip(documents, scores, strict=True)
            }
            report = evaluate_scenarios(documents, found)
            return float(report.micro.f1) - float(report.boundaries.pk or 0.0)

        possible = (
            attrs.evolve(detector.settings, none_bias=bias, change_cost=cost)
            for bias, cost in itertools.product(_BIASES, _COSTS)
        )
        return detector_checkpoint(layer, max(possible, key=quality), card)
