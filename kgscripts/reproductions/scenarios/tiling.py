"""The published model of scenarios (Wanzare, Roth and Pinkal 2019, section 4), and its baselines (section 5.1).

TopicTiling finds segments, a perceptron labels each, and a segment whose probabilities have a high entropy is about no
scenario. The baselines have the same classifier on other segments.

A checkpoint has single words, counts of topics, and a small network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import attrs
import numpy as np
import torch
from attrs import define, evolve, field, frozen, validators
from numpy.typing import NDArray
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.models.scenarios.protocol import sentences_of
from kgscripts.reproductions.scenarios.classifier import (
    FEATURES,
    ScenarioClassifier,
    TfIdf,
    scenario_entropy,
)
from kgscripts.reproductions.scenarios.topic_tiling import (
    TilingSettings,
    TopicModel,
    each_sentence,
    random_segments,
    tile,
)
from kgscripts.text.passages import parse_passages
from kgscripts.text.pipeline import load_pipeline
from schemas.provenance import Model
from schemas.scenario_documents import NONE, DetectedSegment

_PARTS = ("tok2vec", "tagger", "morphologizer", "trainable_lemmatizer", "lemma_corrector")
_CLASSES = frozenset({"NOUN", "VERB"})
_PARTICLE = "RP"


def content_words(texts: Sequence[str]) -> list[list[str]]:
    """The lower-case lemmas of the common nouns and main verbs of each text, and verb particles, in text order.

    A particle is a word of its own: "woke up" gives *wake* and *up* (Wanzare, Roth and Pinkal 2019, section 5.1). The
    shipped pipeline reads the texts, without its parser.
    """
    nlp = load_pipeline()
    words: list[list[str]] = [[] for _ in texts]
    with nlp.select_pipes(enable=_PARTS):
        for piece in parse_passages(nlp, ((text, number) for number, text in enumerate(texts))):
            words[piece.context] += [
                (token.lemma_ or token.text).lower()
                for token in piece.doc
                if token.pos_ in _CLASSES or token.tag_ == _PARTICLE
            ]
    return words


MAJORITY = "majority"
SEGMENTATIONS = ("topic-tiling", "sentence", "random")
"""Those with a threshold of their own. `MAJORITY` has one segment a document and needs none."""
RANKED = 5

_LIKELY = 0.5
_DOCUMENTS, _SEGMENTS = 16, 256
"""Read at once."""
_MOST_SENTENCES = 1000
"""The most sentences of a piece; longer texts are segmented piece by piece."""

Spans = Sequence[tuple[int, int]]

_share = [validators.instance_of(float), validators.ge(0.0), validators.le(1.0)]


@frozen(kw_only=True)
class ScenarioSettings:
    """The settings of the model besides its networks. Raises ValueError or TypeError for values that are out of
    range."""

    tiling: TilingSettings
    scenarios: tuple[str, ...] = field(
        converter=tuple[str, ...],
        validator=[validators.min_len(1), validators.deep_iterable(validators.instance_of(str))],
    )
    sentences: tuple[int, ...] = field(
        converter=tuple[int, ...], validator=validators.deep_iterable(validators.instance_of(int))
    )
    """The number of sentences of the training stories about each scenario."""
    boundary_share: float = field(validator=_share)
    """The share of gaps between sentences that have a boundary, for random segments."""
    seed: int = field(validator=[validators.instance_of(int), validators.ge(0)])
    thresholds: Mapping[str, Mapping[str, float]]
    """Segmentation -> `FEATURES` -> the highest entropy of a segment that is about a scenario."""

    def __attrs_post_init__(self) -> None:
        if len(self.sentences) != len(self.scenarios) or min(self.sentences) < 0:
            raise ValueError(f"numbers of sentences of {len(self.sentences)} scenarios, not {len(self.scenarios)}")
        for segmentation in SEGMENTATIONS:
            for validator in _share:
                validator(self, attrs.fields(type(self)).thresholds, self.thresholds[segmentation][FEATURES])


@frozen
class ReadDocument:
    """The sentences of a document, and the content words of each."""

    sentences: Sequence[str]
    words: Sequence[Sequence[str]]

    @classmethod
    def read(cls, documents: Sequence[Sequence[str]]) -> list[ReadDocument]:
        """With the shipped pipeline."""
        words = iter(content_words([sentence for sentences in documents for sentence in sentences]))
        return [cls(sentences, list(islice(words, len(sentences)))) for sentences in documents]

    def segment(self, start: int, end: int) -> list[str]:
        """The content words of the sentences `start:end`."""
        return [word for sentence in self.words[start:end] for word in sentence]


@frozen(kw_only=True, eq=False)
class ScenarioParts:
    """What training gives."""

    settings: ScenarioSettings
    topics: TopicModel
    tfidf: TfIdf
    classifier: ScenarioClassifier

    def spans(self, segmentation: str, document: ReadDocument) -> list[tuple[int, int]]:
        """The segments of a document."""
        if segmentation == "sentence":
            return each_sentence(document.sentences)
        if segmentation == "random":
            share, seed = self.settings.boundary_share, self.settings.seed
            return random_segments(document.sentences, boundary_share=share, seed=seed)
        if segmentation == MAJORITY:
            return [(0, len(document.sentences))] if document.sentences else []
        segments = []
        for start in range(0, len(document.sentences), _MOST_SENTENCES):
            weights = topic_weights(self.topics, document.words[start : start + _MOST_SENTENCES])
            segments += [(start + first, start + last) for first, last in tile(weights, self.settings.tiling)]
        return segments

    def rankings(self, document: ReadDocument, spans: Spans) -> list[tuple[float, tuple[tuple[str, float], ...]]]:
        """The entropy of each segment, and its `RANKED` most probable scenarios."""
        rankings = []
        for at in range(0, len(spans), _SEGMENTS):
            segments = [document.segment(start, end) for start, end in spans[at : at + _SEGMENTS]]
            probabilities = self.classifier.probabilities(self.tfidf.vectors(segments))
            for entropy, row in zip(scenario_entropy(probabilities), probabilities, strict=True):
                best = np.argsort(-row, kind="stable")[:RANKED]
                ranking = tuple((self.settings.scenarios[place], float(row[place])) for place in best)
                rankings.append((float(entropy), ranking))
        return rankings


@define(eq=False, repr=False, slots=False)
class TopicTilingModel:
    """A `ScenarioModel` and a `SegmentLabeller` of `kgscripts.models.scenarios.protocol`.

    Whether a segment is about no scenario is a hard decision: `NONE` is then first in the ranking with the probability
    1, and otherwise not in it. The probabilities of scenarios are those of independent binary classifiers.
    """

    parts: ScenarioParts
    model: Model
    _segmentation: str = SEGMENTATIONS[0]

    def detect(self, documents: Sequence[Sequence[str] | str]) -> list[list[DetectedSegment]]:
        """See `ScenarioModel`."""
        return self.label(sentences_of(documents), None)

    def label(self, documents: Sequence[Sequence[str]], spans: Sequence[Spans] | None) -> list[list[DetectedSegment]]:
        """See `SegmentLabeller`; without `spans`, those of the model's own segments."""
        detected = []
        for at in range(0, len(documents), _DOCUMENTS):
            for place, document in enumerate(ReadDocument.read(documents[at : at + _DOCUMENTS]), at):
                segments = self.parts.spans(self._segmentation, document) if spans is None else spans[place]
                detected.append(self._detected(document, segments))
        return detected

    def variant(self, segmentation: str) -> TopicTilingModel:
        """The same classifier on other segments: ``sentence``, ``random``, or ``majority``, which needs none."""
        model = evolve(self.model, name=f"scenarios-{segmentation}", scores=())
        return evolve(self, model=model, segmentation=segmentation)

    def _detected(self, document: ReadDocument, spans: Spans) -> list[DetectedSegment]:
        if self._segmentation == MAJORITY:
            ranking = self._majority()
            return [
                DetectedSegment(start=start, end=end, ranking=ranking, scenarios=[ranking[0][0]])
                for start, end in spans
            ]
        threshold = self.parts.settings.thresholds[self._segmentation][FEATURES]
        rankings = self.parts.rankings(document, spans)
        segments = []
        for (start, end), (entropy, ranking) in zip(spans, rankings, strict=True):
            likely = [name for rank, (name, probability) in enumerate(ranking) if not rank or probability > _LIKELY]
            if entropy > threshold:
                ranking, likely = ((NONE, 1.0), *ranking), []
            segments.append(DetectedSegment(start=start, end=end, ranking=ranking, scenarios=likely))
        return segments

    def _majority(self) -> tuple[tuple[str, float], ...]:
        """The scenarios with the most sentences in training, with their shares of all sentences."""
        settings = self.parts.settings
        order = np.argsort(-np.array(settings.sentences), kind="stable")[:RANKED]
        total = sum(settings.sentences) or 1
        return tuple((settings.scenarios[place], settings.sentences[place] / total) for place in order)


def topic_weights(topics: TopicModel, words: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """For each sentence, the share of its known words whose most relevant topic is each topic, (sentences, topics).

    The relevance of topics depends on the whole text. A sentence without a known word has weights of zero.
    """
    weights = np.zeros((len(words), len(topics.priors)))
    topic_of = topics.topics_of_words([word for sentence in words for word in sentence])
    for row, sentence in zip(weights, words, strict=True):
        known = [topic_of[word] for word in sentence if word in topic_of]
        np.add.at(row, known, 1 / max(1, len(known)))
    return weights


def settings_of(values: Mapping[str, Any]) -> ScenarioSettings:
    """Settings as a checkpoint has them. Raises TypeError or ValueError for unknown and missing ones."""
    if set(values["tiling"]) != {attribute.name for attribute in attrs.fields(TilingSettings)}:
        raise ValueError(f"settings of the segmentation: {', '.join(map(str, values['tiling']))}")
    return ScenarioSettings(**{**values, "tiling": TilingSettings(**values["tiling"])})


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
    tensors = checkpoint.as_torch()
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
    return ScenarioParts(
        settings=settings,
        topics=topics,
        tfidf=tfidf,
        classifier=_classifier(tensors, len(tfidf.words), len(settings.scenarios)),
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
    classifier = ScenarioClassifier(size, hidden=len(state["0.bias"]), scenarios=scenarios)
    classifier.layers.load_state_dict(state)
    return classifier.double().eval()


def _words(values: Sequence[object]) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError("the words are no list of texts")
    if len(set(values)) < len(values):
        raise ValueError("a word occurs twice")
    return tuple(values)
