"""Training of topic tiling: topics, classifiers of scenarios, and the thresholds of boundaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
import torch
from attrs import frozen
from numpy.typing import NDArray
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.scenarios.classifier import FEATURES, ScenarioClassifier, TfIdf
from kgscripts.reproductions.scenarios.documents import gold_spans
from kgscripts.reproductions.scenarios.measures import compare, count_labels
from kgscripts.reproductions.scenarios.tiling import (
    SEGMENTATIONS,
    ReadDocument,
    ScenarioParts,
    ScenarioSettings,
    tiling_checkpoint,
    tiling_parts,
)
from kgscripts.reproductions.scenarios.topic_tiling import TopicModel
from lightning_modules.configuration import Configuration
from lightning_modules.module import Loss, Split, TrainingBatch, TrainingData, TrainingModule
from lightning_modules.scenarios.stories import StoryFiles
from lightning_modules.task_settings import TilingTrainingSettings
from schemas.errors import InputError, ModelError
from schemas.scenario_documents import NONE, ScenarioDocument


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

    def loss(self, batch: TilingBatch) -> Loss:
        """See `TrainingModule`; per text, summed over scenarios."""
        logits = self.network(batch.vectors)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.labels, reduction="sum")
        return Loss(loss / len(batch.labels), len(batch.labels))


def check_library() -> None:
    """Raise ModelError, with the command that installs it, if tomotopy is not installed."""
    if find_spec("tomotopy") is None:
        raise ModelError("training topics needs tomotopy", remedy="pip install 'kgscripts[train]'")


def train_topics(texts: Sequence[Sequence[str]], settings: TilingTrainingSettings) -> TopicModel:
    """Topics of texts, given as content words; the same texts and settings give the same topics.

    It runs on one thread, since the sampling of several depends on their number. Raises InputError if no word occurs
    in `minimum_documents` texts, and ModelError if tomotopy is not installed.
    """
    check_library()
    import tomotopy

    model = tomotopy.LDAModel(
        k=settings.topics,
        alpha=settings.topic_prior,
        eta=settings.word_prior,
        min_df=settings.minimum_documents,
        seed=settings.seed,
    )
    for text in texts:
        if text:
            model.add_doc(list(text))
    model.train(0, workers=1)
    if not len(model.used_vocabs):
        message = f"no content word occurs in {settings.minimum_documents} texts"
        raise InputError(message, remedy="train on a larger corpus")
    model.train(settings.topic_iterations, workers=1)
    counts = np.array([model.get_topic_word_dist(topic, normalize=False) for topic in range(settings.topics)])
    return TopicModel(
        words=tuple(model.used_vocabs),
        counts=(counts - settings.word_prior).round().clip(min=0).astype(np.float64),
        priors=np.array(model.alpha, dtype=np.float64),
        word_prior=settings.word_prior,
    )


def boundary_share(documents: Sequence[ScenarioDocument]) -> float:
    """The share of gaps between sentences where the gold labels change."""
    changes = [set(left) != set(right) for document in documents for left, right in pairwise(document.labels())]
    return sum(changes) / max(1, len(changes))


def _tuned(
    parts: ScenarioParts,
    segmentation: str,
    documents: Sequence[ScenarioDocument],
    read: Sequence[ReadDocument],
) -> float:
    """The threshold with the best micro F1 of sentences."""
    entropies, kept, refused = [], [], []
    for document, words in zip(documents, read, strict=True):
        labels = document.labels()
        spans = parts.spans(segmentation, words)
        for (start, end), (entropy, ranking) in zip(spans, parts.rankings(words, spans), strict=True):
            names = [name for name, _ in ranking]
            entropies.append(entropy)
            kept.append(_counts(labels[start:end], names))
            refused.append(_counts(labels[start:end], [NONE, *names]))
    return best_threshold(np.array(entropies), np.array(kept), np.array(refused))


def _counts(labels: Sequence[Sequence[str]], ranking: Sequence[str]) -> tuple[float, float, float]:
    """True positives, predicted and gold labels of the sentences of a segment."""
    counts = count_labels(compare(gold, ranking) for gold in labels).values()
    true = float(sum(count.true_positives for count in counts))
    return (
        true,
        true + sum(count.false_positives for count in counts),
        true + float(sum(count.false_negatives for count in counts)),
    )


def best_threshold(entropies: NDArray[np.float64], kept: NDArray[np.float64], refused: NDArray[np.float64]) -> float:
    """The threshold with the best F1 if segments above it are about no scenario; the highest of equally good ones.

    Parameters
    ----------
    entropies:
        Of each segment, (segments,).
    kept, refused:
        True positives, predicted and gold labels of each segment, (segments, 3), with its scenario and without.
    """
    order = np.argsort(entropies, kind="stable")
    values = entropies[order]
    none = np.zeros((1, 3))
    below = np.concatenate([none, kept[order].cumsum(axis=0)])
    above = np.concatenate([refused[order][::-1].cumsum(axis=0)[::-1], none])
    true, predicted, gold = (below + above).T
    scores = 2 * true / np.maximum(predicted + gold, 1e-9)
    edges = np.concatenate([[0.0], (values[:-1] + values[1:]) / 2, [1.0]])
    # Segments of equal entropy are on the same side of any threshold.
    possible = np.concatenate([[values[0] > 0], values[:-1] < values[1:], [True]])
    best = max(np.flatnonzero(possible), key=lambda place: (round(scores[place], 9), place))
    return float(edges[best])


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
        self.inputs = {"texts": files.digest}
        self._files = files
        self._scenarios = sorted({story.scenario for story in files.labelled})

    def prepare(self, settings: TilingTrainingSettings) -> tuple[TilingModule, TilingData]:
        """See `TrainingTask`."""
        files = self._files
        stories = ReadDocument.read([story.sentences for story in files.stories])
        texts = [story.segment(0, len(story.sentences)) for story in stories]
        labelled = [text for text, story in zip(texts, files.stories, strict=True) if story.scenario]
        self._topics = train_topics(texts, settings)
        used = {word for text in labelled for word in text}
        words = [word for word in self._topics.words if word in used]
        self._tfidf = TfIdf.of(words, texts)
        self._development = ReadDocument.read([document.sentences for document in files.development])
        held_out: list[LabelledVectors] = []
        for document, read in zip(files.development, self._development, strict=True):
            spans, labels = gold_spans(document), document.labels()
            held_out += self._examples(
                [document.sentences[start] for start, _ in spans],
                [read.segment(*span) for span in spans],
                [labels[start] for start, _ in spans],
            )
        torch.manual_seed(settings.seed)
        network = ScenarioClassifier(
            len(words), hidden=settings.hidden, scenarios=len(self._scenarios), dropout=settings.dropout
        )
        first = [story.sentences[0] for story in files.labelled]
        train = self._examples(first, labelled, [(story.scenario,) for story in files.labelled])
        return TilingModule(network, settings), TilingData(Split(train, held_out), settings)

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
            # Every segment is about a scenario.
            thresholds={segmentation: {FEATURES: 1.0} for segmentation in SEGMENTATIONS},
        )
        parts = ScenarioParts(
            settings=chosen,
            topics=self._topics,
            tfidf=self._tfidf,
            classifier=module.network,
        )
        stored = tiling_parts(tiling_checkpoint(parts, card))
        thresholds = {
            segmentation: {FEATURES: _tuned(stored, segmentation, self._files.development, self._development)}
            for segmentation in SEGMENTATIONS
        }
        return tiling_checkpoint(attrs.evolve(stored, settings=attrs.evolve(chosen, thresholds=thresholds)), card)

    def _examples(
        self, first: Sequence[str], texts: Sequence[Sequence[str]], labels: Sequence[Sequence[str]]
    ) -> list[LabelledVectors]:
        """Of texts, given as their first sentences and their content words."""
        return [
            LabelledVectors(
                where=sentence[:60],
                vector=torch.from_numpy(vector).float(),
                labels=torch.tensor([float(scenario in of_sentence) for scenario in self._scenarios]),
            )
            for sentence, vector, of_sentence in zip(first, self._tfidf.vectors(texts), labels, strict=True)
        ]
