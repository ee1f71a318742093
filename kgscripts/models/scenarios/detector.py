"""The model of scenarios that ships: the sentences of a text in context, and a chain of their labels.

MiniLM gives a vector of each sentence, a linear layer over the vectors of a sentence and of its surroundings gives the
probability of each scenario and of `NONE`, and the most probable sequence of labels, in which each change of label
costs something, is both the segmentation and the labels (Viterbi).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from itertools import accumulate, groupby, pairwise
from pathlib import Path

import attrs
import numpy as np
from attrs import define, field, frozen, validators
from numpy.typing import NDArray

from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.models.encoder import shared_minilm
from kgscripts.models.quantised import as_floats
from kgscripts.models.registry import load
from kgscripts.models.runtime import Array
from kgscripts.models.scenarios.list import new_rows, points_of
from kgscripts.models.scenarios.protocol import NewScenario, sentences_of
from kgscripts.models.sentence_vectors import SIZE, Vectors, quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from schemas.errors import ModelError
from schemas.provenance import Model
from schemas.scenario_documents import NONE, DetectedSegment, concept_scheme

_RANKED = 5
_BROADER_SHARE = 0.2
"""The factor by which the share of a scenario is raised in the ranking if it is broader than the first one: shopping
for clothes is also going shopping."""

_number = [validators.instance_of(float), validators.ge(-100.0), validators.le(100.0)]


@frozen(kw_only=True)
class DetectorSettings:
    """The settings of the detector besides its weights. Raises ValueError or TypeError for values that are out of
    range."""

    scenarios: tuple[str, ...] = field(
        converter=tuple[str, ...],
        validator=[validators.min_len(1), validators.deep_iterable(validators.instance_of(str))],
    )
    withheld: tuple[str, ...] = field(converter=tuple[str, ...], default=())
    """Scenarios that it knows but does not report: their sentences have the label `NONE`."""
    others: tuple[str, ...] = field(converter=tuple[str, ...], default=())
    """Activities that are no listed scenarios: it knows them, so as not to take them for one that is; their sentences
    have the label `NONE`."""
    none_bias: float = field(default=-1.5, validator=_number)
    """Added to the log probability of `NONE`, since training texts have more of it than a user wants to see."""
    change_cost: float = field(default=0.5, validator=[*_number, validators.ge(0.0)])
    """The cost of a change of label, in nats."""
    floor: float = field(default=0.0, validator=[*_number, validators.ge(0.0), validators.le(1.0)])
    """A segment has no scenario if the first of its ranking has a smaller share there."""
    second_share: float = field(default=0.15, validator=[*_number, validators.ge(0.0), validators.le(1.0)])
    """A segment has a second scenario if that is broader than the first and has at least this part of its share."""

    def __attrs_post_init__(self) -> None:
        if len(set(self.scenarios)) < len(self.scenarios) or NONE in self.scenarios:
            raise ValueError("a scenario that is listed twice, or that is none")
        if not set(self.withheld) < set(self.scenarios):
            raise ValueError("withheld scenarios that are unknown, or all")

    @property
    def labels(self) -> list[str]:
        """The labels of sentences: the scenarios that are reported and, last, `NONE`."""
        return [scenario for scenario in self.scenarios if scenario not in self.withheld] + [NONE]


def label_scores(scores: NDArray[np.float64], settings: DetectorSettings) -> NDArray[np.float64]:
    """Log probabilities of `settings.labels`, (sentences, labels), from those of all scenarios, the other activities
    and, last, `NONE`."""
    if not settings.withheld and not settings.others:
        return scores
    reported = [scenario not in settings.withheld for scenario in settings.scenarios]
    withheld = ~np.array([*reported, *(False for _ in settings.others), False])
    none = np.logaddexp.reduce(scores[:, withheld], axis=1, keepdims=True)
    return np.concatenate([scores[:, ~withheld], none], axis=1).round(4)


def detected_segments(scores: NDArray[np.float64], settings: DetectorSettings) -> list[DetectedSegment]:
    """The segments of a text with these `label_scores` of its sentences."""
    scores = biased(scores, settings)
    chain = best_chain(scores, settings.change_cost)
    return [segment(scores[start:end], start, settings, chain[start]) for start, end in runs(chain)]


def biased(scores: NDArray[np.float64], settings: DetectorSettings) -> NDArray[np.float64]:
    """Scores with the bias of `NONE`."""
    bias = np.zeros(scores.shape[1])
    bias[-1] = settings.none_bias
    return scores + bias


def segment(
    scores: NDArray[np.float64], start: int, settings: DetectorSettings, label: int | None = None
) -> DetectedSegment:
    """The segment of sentences with these `biased` scores, (sentences, labels), the first of which is at `start`.

    Its first scenario is `label`, by default the one that is most probable for all of its sentences. Shares are mean
    probabilities, so that the second scenario may be one that some of the sentences are about.
    """
    names = settings.labels
    mean = scores.mean(axis=0)
    first = int(mean.argmax()) if label is None else label
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
    # A change costs, so that the chain may keep a label that is not the most probable one here.
    shares[first] = shares.max()
    broader = [names.index(label) for label in _broader().get(names[first], ()) if label in names]
    second = [place for place in broader if shares[place] >= settings.second_share * shares[first]]
    ranks = shares.copy()
    ranks[broader] += _BROADER_SHARE
    ranks[first] = ranks.max()
    others = [place for place in np.argsort(-ranks, kind="stable") if place != first]
    ranking = [(names[place], round(float(ranks[place] / ranks.sum()), 4)) for place in (first, *others)[:_RANKED]]
    is_none = names[first] == NONE or ranking[0][1] < settings.floor
    return DetectedSegment(
        start=start,
        end=start + len(scores),
        ranking=ranking,
        scenarios=[] if is_none else [names[place] for place in (first, *second[:1])],
    )


@cache
def _broader() -> Mapping[str, tuple[str, ...]]:
    return {concept.label: concept.broader for concept in concept_scheme() if concept.broader}


def best_chain(scores: NDArray[np.float64], change_cost: float) -> list[int]:
    """The sequence of labels with the highest sum of `scores` (sentences, labels), less the cost of each change."""
    if not len(scores):
        return []
    sums = scores[0]
    came_from = []
    for row in scores[1:]:
        best = int(sums.argmax())
        # A label follows itself or the best one: from any other, a change costs as much and begins with less.
        changes = sums < sums[best] - change_cost
        came_from.append(np.where(changes, best, np.arange(len(sums))))
        sums = np.where(changes, sums[best] - change_cost, sums) + row
    label = int(sums.argmax())
    chain = [label]
    for places in reversed(came_from):
        label = int(places[label])
        chain.append(label)
    return chain[::-1]


def runs(chain: Sequence[int]) -> list[tuple[int, int]]:
    """The maximal stretches of one label, as start and end."""
    edges = [place for place in range(len(chain)) if not place or chain[place] != chain[place - 1]]
    return list(pairwise([*edges, len(chain)]))


KIND = "scenario-detector"
FEATURES = 4 * SIZE

_SENTENCES = 512
"""Sentences that are encoded at once; more if a document has more."""
_OTHER_BIAS = -1.5
"""Added to the log odds of other activities: what is like a listed scenario is sooner that."""
_SAME_ACTIVITY = 0.65
"""The cosine of two points from which they are one activity."""
_NEAR, _AROUND, _TEXT = 1, 3, 15
"""The numbers of sentences on either side that are near a sentence, around it, and on the same page."""


@define(eq=False, repr=False, slots=False)
class ScenarioDetector:
    """A `ScenarioModel` and a `SegmentLabeller` of `kgscripts.models.scenarios.protocol`.

    `rows` are weights and, last, the bias of a layer that maps `context_features` to the log odds of the scenarios, of
    the other activities and, last, of `NONE`: (labels, `FEATURES` + 1).
    `centres` (scenarios, `SIZE`) are the `passages_centre` of what each scenario was trained on, `others` (activities,
    `SIZE`) the `points_of` the other activities. `vectors` encodes sentences.
    """

    _rows: Array
    _centres: NDArray[np.float64]
    settings: DetectorSettings
    model: Model
    _others: NDArray[np.float64] = field(factory=lambda: np.zeros((0, SIZE)))
    vectors: Vectors = field(factory=lambda: quantised_vectors)

    def to(self, device: str) -> ScenarioDetector:
        """This detector, with MiniLM on another device; its layer stays on the CPU."""
        self.vectors = partial(quantised_vectors, encoder=shared_minilm(device))
        return self

    def with_scenarios(self, new: Sequence[NewScenario]) -> ScenarioDetector:
        """See `ScenarioAddition`."""
        digest = sha256(f"{self.model.digest} {[attrs.astuple(scenario) for scenario in new]}".encode()).hexdigest()
        # The scores are those of the model as it was trained.
        model = attrs.evolve(self.model, digest=digest, scores=())
        has_passages = [bool(scenario.passages) for scenario in new]
        return self._with([scenario.name for scenario in new], points_of(new), has_passages, model)

    def with_points(self, names: Sequence[str], points: NDArray[np.float64]) -> ScenarioDetector:
        """This detector with further scenarios, of which the `scenario_point`s are given, (scenarios, `SIZE`)."""
        return self._with(names, points, [True] * len(names), self.model)

    def with_others(self, activities: Sequence[NewScenario]) -> ScenarioDetector:
        """This detector with these activities, which all have passages, as its `settings.others`."""
        points = points_of(activities)
        rows = self._predicted(points, [True] * len(activities))
        rows[:, -1] += _OTHER_BIAS
        settings = attrs.evolve(self.settings, others=[activity.name for activity in activities])
        return self._made(self._rows[: len(settings.scenarios)], rows, points, settings, self.model)

    def with_floor(self, floor: float) -> ScenarioDetector:
        """This detector with another floor."""
        return attrs.evolve(self, settings=attrs.evolve(self.settings, floor=floor))

    def _with(
        self, names: Sequence[str], points: NDArray[np.float64], has_passages: Sequence[bool], model: Model
    ) -> ScenarioDetector:
        known, added = self._rows, self._predicted(points, has_passages)
        # An activity that is one of the new scenarios would compete with it.
        kept = np.flatnonzero(((self._others @ points.T) < _SAME_ACTIVITY).all(axis=1))
        scenarios, others = self.settings.scenarios, self.settings.others
        settings = attrs.evolve(self.settings, scenarios=[*scenarios, *names], others=[others[place] for place in kept])
        rows = np.concatenate([known[: len(scenarios)], added])
        return self._made(rows, known[len(scenarios) + kept], self._others[kept], settings, model)

    def _predicted(self, points: NDArray[np.float64], has_passages: Sequence[bool]) -> NDArray[np.float64]:
        # Rows that were added are predictions themselves, from which nothing is to be learnt.
        trained = len(self._centres)
        return new_rows(
            points, has_passages, self.settings.scenarios[:trained], self._centres, self._rows[:trained].astype(float)
        )

    def _made(
        self,
        scenarios: NDArray[np.floating],
        others: NDArray[np.floating],
        points: NDArray[np.float64],
        settings: DetectorSettings,
        model: Model,
    ) -> ScenarioDetector:
        """The detector with the rows of scenarios, of other activities with their points, and its own of `NONE`."""
        # Rounded, since the last bits of a regression differ between processors.
        rows = np.concatenate([scenarios, others, self._rows[-1:]]).astype(float).round(4).astype(np.float32)
        return attrs.evolve(self, rows=rows, settings=settings, model=model, others=points)

    def detect(self, documents: Sequence[Sequence[str] | str]) -> list[list[DetectedSegment]]:
        """See `ScenarioModel`."""
        return self.detect_vectors(_encoded(sentences_of(documents), self.vectors))

    def detect_vectors(self, documents: Iterable[NDArray[np.int8]]) -> list[list[DetectedSegment]]:
        """The segments of documents whose sentences have these `quantised_vectors`, (sentences, `SIZE`) each."""
        return [detected_segments(self.log_probabilities_of(vectors), self.settings) for vectors in documents]

    def label(
        self, documents: Sequence[Sequence[str]], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[list[DetectedSegment]]:
        """See `SegmentLabeller`."""
        segments = []
        for document, of_document in zip(documents, spans, strict=True):
            scores = biased(self.log_probabilities(document), self.settings)
            segments.append([segment(scores[start:end], start, self.settings) for start, end in of_document])
        return segments

    def checkpoint(self, card: ModelCard) -> Checkpoint:
        """Its checkpoint; numbers are stored in half precision."""
        parts = {
            "weight": self._rows[:, :-1],
            "bias": self._rows[:, -1],
            "centres": self._centres,
            "others": self._others,
        }
        tensors = {name: np.asarray(value, dtype=np.float16) for name, value in parts.items()}
        values = {**attrs.asdict(self.settings), "encoder_sha256": shared_minilm().digest}
        return Checkpoint(kind=KIND, settings=values, tensors=tensors, card=card)

    def log_probabilities(self, document: Sequence[str]) -> NDArray[np.float64]:
        """Log probabilities of the labels of the settings, the last of which is `NONE`: (sentences, labels)."""
        return self.log_probabilities_of(self.vectors(document))

    def all_log_probabilities(self, documents: Sequence[Sequence[str]]) -> list[NDArray[np.float64]]:
        """The `log_probabilities` of each document; short documents are encoded together."""
        return [self.log_probabilities_of(vectors) for vectors in _encoded(documents, self.vectors)]

    def other_activity(self, vectors: NDArray[np.int8]) -> tuple[str, float]:
        """See `OtherActivities`."""
        if not self.settings.others or not len(vectors):
            return "", 0.0
        first = len(self.settings.scenarios)
        shares = np.exp(self._all_scores(vectors)[:, first : first + len(self.settings.others)]).mean(axis=0)
        place = int(shares.argmax())
        return self.settings.others[place], round(float(shares[place]), 4)

    def log_probabilities_of(self, vectors: NDArray[np.int8]) -> NDArray[np.float64]:
        """Those of sentences with these `quantised_vectors`, (sentences, `SIZE`)."""
        if not len(vectors):
            return np.zeros((0, len(self.settings.labels)))
        return label_scores(self._all_scores(vectors), self.settings)

    def _all_scores(self, vectors: NDArray[np.int8]) -> NDArray[np.float64]:
        """Log probabilities of all scenarios, the other activities and, last, `NONE`."""
        features = context_features(vectors.astype(np.float32) / np.float32(SCALE))
        odds = (features @ self._rows[:, :-1].T + self._rows[:, -1]).astype(float)
        # Rounded, since the last bits of a product differ between processors.
        scores: NDArray[np.float64] = (odds - np.logaddexp.reduce(odds, axis=1, keepdims=True)).round(4)
        return scores


def _encoded(documents: Sequence[Sequence[str]], encode: Vectors) -> Iterator[NDArray[np.int8]]:
    """The vectors of the sentences of each document; short documents are encoded together."""
    ends = list(accumulate(map(len, documents)))
    for _, block in groupby(range(len(documents)), key=lambda number: ends[number] // _SENTENCES):
        numbers = list(block)
        vectors = encode([sentence for number in numbers for sentence in documents[number]])
        yield from np.split(vectors, np.cumsum([len(documents[number]) for number in numbers])[:-1])


def context_features(vectors: Array) -> Array:
    """The features of each sentence, (sentences, `FEATURES`): its vector, the sums over the sentences near it and
    around it, and the direction of the sum over a page of text. `vectors` (sentences, `SIZE`) are unit vectors.
    """
    # In double precision up to the differences, so that they do not depend on how much text is before a sentence.
    total = np.concatenate([np.zeros((1, vectors.shape[1])), vectors.astype(float).cumsum(axis=0)])
    places = np.arange(len(vectors))

    def around(reach: int) -> Array:
        first, last = (places - reach).clip(min=0), (places + reach + 1).clip(max=len(vectors))
        sums: Array = (total[last] - total[first]).astype(np.float32)
        return sums

    page = around(_TEXT)
    page /= np.maximum(np.linalg.norm(page, axis=1, keepdims=True), 1e-12)
    # Sums are divided to about the length of a single vector, so that no part outweighs the others.
    features: Array = np.concatenate([vectors, around(_NEAR) / 2, around(_AROUND) / 4, page], axis=1)
    return features


def load_detector(name_or_directory: str | Path) -> ScenarioDetector:
    """The detector of that name or in that directory.

    Raises ModelError as `kgscripts.models.registry.load`, and for a model of scenarios of another kind.
    """
    model = load("scenarios", name_or_directory)
    if not isinstance(model, ScenarioDetector):
        remedy = "use the model `default`, or one that was trained as `detector`"
        raise ModelError(f"the model {model.model.name!r} is no detector", remedy=remedy)
    return model


@from_checkpoint
def detector_model(checkpoint: Checkpoint) -> ScenarioDetector:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together, or MiniLM is another one."""
    assert checkpoint.model is not None
    values = dict(checkpoint.settings)
    digest = values.pop("encoder_sha256")
    settings = DetectorSettings(**values)
    tensors = as_floats(checkpoint.tensors)
    scenarios, others = len(settings.scenarios), len(settings.others)
    sizes = {"weight": (scenarios + others + 1, FEATURES), "centres": (scenarios, SIZE), "others": (others, SIZE)}
    # A detector that knows no other activities may have been stored without them.
    tensors.setdefault("others", np.zeros((0, SIZE), dtype=np.float32))
    if any(tensors[name].shape != size for name, size in sizes.items()):
        raise ValueError("weights of another size")
    rows = np.concatenate([tensors["weight"], tensors["bias"][:, None]], axis=1)
    shared_minilm().check(digest)
    centres, points = (tensors[name].astype(float) for name in ("centres", "others"))
    return ScenarioDetector(rows, centres, settings, checkpoint.model, points)
