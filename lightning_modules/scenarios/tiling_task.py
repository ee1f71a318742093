"""The training task of the published model of scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import torch

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.scenarios.classifier import ScenarioClassifier
from kgscripts.reproductions.scenarios.documents import gold_spans
from kgscripts.reproductions.scenarios.features import SegmentText, TfIdf
from kgscripts.reproductions.scenarios.tiling import ReadDocument, ScenarioParts, ScenarioSettings
from kgscripts.reproductions.scenarios.tiling_checkpoint import tiling_checkpoint, tiling_parts
from kgscripts.reproductions.scenarios.topics import TopicModel
from lightning_modules.configuration import Configuration
from lightning_modules.data import Split
from lightning_modules.scenarios.settings import TilingTrainingSettings
from lightning_modules.scenarios.stories import StoryFiles
from lightning_modules.scenarios.thresholds import boundary_share, no_thresholds, tuned_thresholds
from lightning_modules.scenarios.tiling_module import LabelledVectors, TilingData, TilingModule
from lightning_modules.scenarios.topics import train_topics


class TilingTask:
    """Trains topics on all stories and a classifier on those with a scenario; see `TrainingTask`.

    The segments of the development documents are held out: they decide when training ends, and then the entropy above
    which a segment is about no scenario. `prepare` raises InputError if there are too few stories, and ModelError if
    tomotopy is missing.
    """

    purpose = "scenarios of the passages of a text"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(self, configuration: Configuration, files: StoryFiles) -> None:
        self.name = configuration.name
        self.split: Split[Any] = Split(
            files.labelled, [span for document in files.development for span in gold_spans(document)]
        )
        self._files = files
        self._scenarios = sorted({story.scenario for story in files.labelled})

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        return {"texts": self._files.digest}

    def prepare(self, settings: TilingTrainingSettings) -> tuple[TilingModule, TilingData]:
        """See `TrainingTask`."""
        files = self._files
        stories = ReadDocument.read([story.sentences for story in files.stories])
        texts = [story.segment(0, len(story.sentences)) for story in stories]
        labelled = [text for text, story in zip(texts, files.stories, strict=True) if story.scenario]
        self._topics = train_topics([text.words for text in texts], settings)
        used = {word for text in labelled for word in text.words}
        words = [word for word in self._topics.words if word in used]
        self._tfidf = TfIdf.of(words, [text.words for text in texts])
        self._scenario_topics = self._mean_topics(labelled)
        self._development = ReadDocument.read([document.sentences for document in files.development])
        held_out: list[tuple[SegmentText, Sequence[str]]] = []
        for document, read in zip(files.development, self._development, strict=True):
            labels = document.labels()
            held_out += [(read.segment(*span), labels[span[0]]) for span in gold_spans(document)]
        torch.manual_seed(settings.seed)
        network = ScenarioClassifier(
            len(words), hidden=settings.hidden, scenarios=len(self._scenarios), dropout=settings.dropout
        )
        parts = Split(
            self._examples(labelled, [(story.scenario,) for story in files.labelled]),
            self._examples([text for text, _ in held_out], [labels for _, labels in held_out]),
        )
        return TilingModule(network, settings), TilingData(parts, settings)

    def checkpoint(self, module: TilingModule, settings: TilingTrainingSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`. Thresholds are tuned here, with the weights as they are stored."""
        sentences: Counter[str] = Counter()
        for story in self._files.labelled:
            sentences[story.scenario] += len(story.sentences)
        chosen = ScenarioSettings(
            tiling=settings.tiling,
            scenarios=self._scenarios,
            sentences=[sentences[scenario] for scenario in self._scenarios],
            boundary_share=boundary_share(self._files.development),
            seed=abs(settings.seed),
            thresholds=no_thresholds(),
        )
        parts = ScenarioParts(
            settings=chosen,
            topics=self._topics,
            tfidf=self._tfidf,
            classifier=module.network,
            scenario_topics=self._scenario_topics,
        )
        stored = tiling_parts(tiling_checkpoint(parts, card))
        thresholds = tuned_thresholds(stored, self._files.development, self._development)
        return tiling_checkpoint(attrs.evolve(stored, settings=attrs.evolve(chosen, thresholds=thresholds)), card)

    def _mean_topics(self, texts: Sequence[SegmentText]) -> Any:
        topics: TopicModel = self._topics
        rows = np.array([topics.proportions(text.words) for text in texts])
        labels = np.array([self._scenarios.index(story.scenario) for story in self._files.labelled])
        return np.array([rows[labels == place].mean(axis=0) for place in range(len(self._scenarios))])

    def _examples(self, texts: Sequence[SegmentText], labels: Sequence[Sequence[str]]) -> list[LabelledVectors]:
        vectors = self._tfidf.vectors([text.words for text in texts])
        return [
            LabelledVectors(
                where=text.text[:60],
                vector=torch.from_numpy(vector).float(),
                labels=torch.tensor([float(scenario in own) for scenario in self._scenarios]),
            )
            for text, vector, own in zip(texts, vectors, labels, strict=True)
        ]
