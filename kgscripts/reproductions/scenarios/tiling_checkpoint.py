"""The checkpoint of the published model of scenarios: single words, counts of topics, and small networks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.reproductions.scenarios.classifier import ScenarioClassifier
from kgscripts.reproductions.scenarios.features import FEATURES, TfIdf
from kgscripts.reproductions.scenarios.tiling import ScenarioParts, TopicTilingModel, settings_of
from kgscripts.reproductions.scenarios.topics import TopicModel

KIND = "topic-tiling"
WORDS = "words.json"

_CLASSIFIER = f"classifier.heads.{FEATURES}."
"""Begins the names of its weights; a checkpoint may have those for other features too."""
_MOST_COUNTS = 100_000_000
"""Topics times words, which are in memory."""


def tiling_checkpoint(parts: ScenarioParts, card: ModelCard) -> Checkpoint:
    """The checkpoint of a model, which `tiling_model` loads; weights are stored in half precision."""
    topics, tfidf = parts.topics, parts.tfidf
    topic, word = topics.counts.nonzero()
    places = {name: place for place, name in enumerate(topics.words)}
    tensors = {
        "topics.topic": torch.from_numpy(topic.astype(np.int16)),
        "topics.word": torch.from_numpy(word.astype(np.int32)),
        "topics.count": torch.from_numpy(topics.counts[topic, word].astype(np.int32)),
        "topics.priors": torch.from_numpy(topics.priors.astype(np.float32)),
        "tfidf.words": torch.tensor([places[name] for name in tfidf.words], dtype=torch.int32),
        "tfidf.idf": torch.from_numpy(tfidf.idf.astype(np.float32)),
        "scenarios.topics": torch.from_numpy(parts.scenario_topics.astype(np.float16)),
        **{_CLASSIFIER + name: value.detach().half() for name, value in parts.classifier.layers.state_dict().items()},
    }
    settings = {**attrs.asdict(parts.settings), "word_prior": topics.word_prior}
    files = {WORDS: json.dumps(topics.words, ensure_ascii=False, indent=0).encode()}
    return Checkpoint(kind=KIND, settings=settings, tensors=tensors, card=card, files=files)


@from_checkpoint
def tiling_model(checkpoint: Checkpoint) -> TopicTilingModel:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together."""
    assert checkpoint.model is not None
    return TopicTilingModel(tiling_parts(checkpoint), checkpoint.model)


def tiling_parts(checkpoint: Checkpoint) -> ScenarioParts:
    """The stored results of training."""
    tensors = checkpoint.tensors
    settings = settings_of({name: value for name, value in checkpoint.settings.items() if name != "word_prior"})
    words = _words(checkpoint.json(WORDS))
    priors = tensors["topics.priors"].double().numpy()
    topics = TopicModel(
        words=words,
        counts=_counts(tensors, len(priors), len(words)),
        priors=priors,
        word_prior=checkpoint.settings["word_prior"],
    )
    chosen = tensors["tfidf.words"].tolist()
    if len(set(chosen)) < len(chosen):
        raise ValueError("tf.idf of a word twice")
    if not all(0 <= place < len(words) for place in chosen):
        raise ValueError("tf.idf of a word that is not in the list")
    tfidf = TfIdf(words=[words[place] for place in chosen], idf=tensors["tfidf.idf"].double().numpy())
    scenario_topics = tensors["scenarios.topics"].double().numpy()
    if scenario_topics.shape != (len(settings.scenarios), len(priors)) or not np.isfinite(scenario_topics).all():
        raise ValueError(f"shares of topics of {scenario_topics.shape}")
    return ScenarioParts(
        settings=settings,
        topics=topics,
        tfidf=tfidf,
        classifier=_classifier(tensors, len(tfidf.words), len(settings.scenarios)),
        scenario_topics=scenario_topics,
    )


def _counts(tensors: Mapping[str, Tensor], topics: int, words: int) -> NDArray[np.float64]:
    topic, word, count = (tensors[f"topics.{name}"].long().numpy() for name in ("topic", "word", "count"))
    if topic.ndim != 1 or not topic.shape == word.shape == count.shape:
        raise ValueError(f"counts of {count.shape} for topics of {topic.shape} and words of {word.shape}")
    if topics * words > _MOST_COUNTS:
        raise ValueError(f"{topics:,} topics of {words:,} words")
    if len(topic) and min(topic.min(), word.min()) < 0:
        raise ValueError("a negative topic or word")
    counts = np.zeros((topics, words))
    counts[topic, word] = count
    return counts


def _classifier(tensors: Mapping[str, Tensor], size: int, scenarios: int) -> ScenarioClassifier:
    state = {name.removeprefix(_CLASSIFIER): value for name, value in tensors.items() if name.startswith(_CLASSIFIER)}
    if not all(value.isfinite().all() for value in state.values()):
        raise ValueError("a weight that is not finite")
    classifier = ScenarioClassifier(size, hidden=len(state["0.bias"]), scenarios=scenarios)
    classifier.layers.load_state_dict(state)
    return classifier.double().eval()


def _words(values: Sequence[object]) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError("the words are no list of texts")
    if len(set(values)) < len(values):
        raise ValueError("a word occurs twice")
    return tuple(values)
