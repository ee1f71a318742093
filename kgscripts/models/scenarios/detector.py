"""The model of scenarios that ships: the sentences of a text in context, and a chain of their labels.

MiniLM gives a vector of each sentence, a linear layer over the vectors of a sentence and of its surroundings gives the
probability of each scenario and of `NONE`, and the most probable sequence of labels, in which each change of label
costs something, is both the segmentation and the labels (Viterbi).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from itertools import accumulate, groupby
from pathlib import Path

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.encoder import shared_minilm
from kgscripts.models.inference import fixed_threads
from kgscripts.models.loading import TrainedModel, from_checkpoint
from kgscripts.models.registry import load
from kgscripts.models.scenarios.chain import DetectorSettings, biased, detected_segments, label_scores, segment
from kgscripts.models.scenarios.list import new_rows, points_of
from kgscripts.models.scenarios.protocol import NewScenario, sentences_of
from kgscripts.models.sentence_vectors import SIZE, Vectors, quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from schemas.errors import ModelError
from schemas.provenance import Model
from schemas.scenario_documents import DetectedSegment

KIND = "scenario-detector"
FEATURES = 4 * SIZE

_SENTENCES = 512
"""Sentences that are encoded, and whose probabilities are computed, at once; more if a document has more."""
_OTHER_BIAS = -1.5
"""Added to the log odds of other activities: what is like a listed scenario is sooner that."""
_SAME_ACTIVITY = 0.65
"""The cosine of two points from which they are one activity."""
_NEAR, _AROUND, _TEXT = 1, 3, 15
"""The numbers of sentences on either side that are near a sentence, around it, and on the same page."""


class ScenarioDetector(TrainedModel):
    """A `ScenarioModel` and a `SegmentLabeller` of `kgscripts.models.scenarios.protocol`.

    `layer` maps `context_features` to the log odds of the scenarios, of the other activities and, last, of `NONE`.
    `centres` (scenarios, `SIZE`) are the `passages_centre` of what each scenario was trained on, `others` (activities,
    `SIZE`) the `points_of` the other activities. `vectors` encodes sentences.
    """

    def __init__(
        self,
        layer: nn.Linear,
        centres: NDArray[np.float64],
        settings: DetectorSettings,
        model: Model,
        others: NDArray[np.float64] | None = None,
    ) -> None:
        self.model = model
        self.settings = settings
        self._layer = layer.eval()
        self._centres = centres
        self._others = np.zeros((0, SIZE)) if others is None else others
        self.vectors: Vectors = quantised_vectors

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
        return self._made(self._rows()[: len(settings.scenarios)], rows, points, settings, self.model)

    def with_floor(self, floor: float) -> ScenarioDetector:
        """This detector with another floor."""
        settings = attrs.evolve(self.settings, floor=floor)
        found = ScenarioDetector(self._layer, self._centres, settings, self.model, self._others)
        found.vectors = self.vectors
        return found

    def _with(
        self, names: Sequence[str], points: NDArray[np.float64], has_passages: Sequence[bool], model: Model
    ) -> ScenarioDetector:
        known, added = self._rows(), self._predicted(points, has_passages)
        # An activity that is one of the new scenarios would compete with it.
        kept = np.flatnonzero(((self._others @ points.T) < _SAME_ACTIVITY).all(axis=1))
        scenarios, others = self.settings.scenarios, self.settings.others
        settings = attrs.evolve(self.settings, scenarios=[*scenarios, *names], others=[others[place] for place in kept])
        rows = np.concatenate([known[: len(scenarios)], added])
        return self._made(rows, known[len(scenarios) + kept], self._others[kept], settings, model)

    def _predicted(self, points: NDArray[np.float64], has_passages: Sequence[bool]) -> NDArray[np.float64]:
        trained = len(self._centres)
        return new_rows(points, has_passages, self.settings.scenarios[:trained], self._centres, self._rows()[:trained])

    def _rows(self) -> NDArray[np.float64]:
        """Weights and, last, bias of each row of the layer."""
        both = torch.cat([self._layer.weight, self._layer.bias[:, None]], dim=1)
        return np.asarray(both.detach().double().numpy())

    def _made(
        self,
        scenarios: NDArray[np.float64],
        others: NDArray[np.float64],
        points: NDArray[np.float64],
        settings: DetectorSettings,
        model: Model,
    ) -> ScenarioDetector:
        """The detector with the rows of scenarios, of other activities with their points, and its own of `NONE`."""
        # Rounded, since the last bits of a regression differ between processors.
        rows = torch.from_numpy(np.concatenate([scenarios, others, self._rows()[-1:]]).round(4)).float()
        found = ScenarioDetector(_layer(rows[:, :-1], rows[:, -1]), self._centres, settings, model, points)
        found.vectors = self.vectors
        return found

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
        found = []
        for document, own in zip(documents, spans, strict=True):
            scores = biased(self.log_probabilities(document), self.settings)
            found.append([segment(scores[start:end], start, self.settings) for start, end in own])
        return found

    def checkpoint(self, card: ModelCard) -> Checkpoint:
        """Its checkpoint; numbers are stored in half precision."""
        tensors = {name: value.detach().half() for name, value in self._layer.state_dict().items()}
        tensors |= {"centres": torch.from_numpy(self._centres).half(), "others": torch.from_numpy(self._others).half()}
        values = {**attrs.asdict(self.settings), "encoder_sha256": shared_minilm().digest}
        return Checkpoint(kind=KIND, settings=values, tensors=tensors, card=card)

    def log_probabilities(self, document: Sequence[str]) -> NDArray[np.float64]:
        """Log probabilities of the labels of the settings, the last of which is `NONE`: (sentences, labels)."""
        return self.log_probabilities_of(self.vectors(document))

    def all_log_probabilities(self, documents: Sequence[Sequence[str]]) -> list[NDArray[np.float64]]:
        """The `log_probabilities` of each document; short documents are encoded together."""
        return [self.log_probabilities_of(vectors) for vectors in _encoded(documents, self.vectors)]

    def log_probabilities_of(self, vectors: NDArray[np.int8]) -> NDArray[np.float64]:
        """Those of sentences with these `quantised_vectors`, (sentences, `SIZE`)."""
        if not len(vectors):
            return np.zeros((0, len(self.settings.labels)))
        with torch.inference_mode(), fixed_threads():
            features = context_features(torch.from_numpy(vectors.astype(np.float32)) / SCALE)
            # Rounded, since the last bits of a network differ between processors.
            parts = [self._layer(part).log_softmax(-1) for part in torch.split(features, _SENTENCES)]
        return label_scores(torch.cat(parts).double().numpy().round(4), self.settings)


def _encoded(documents: Sequence[Sequence[str]], encode: Vectors) -> Iterator[NDArray[np.int8]]:
    """The vectors of the sentences of each document; short documents are encoded together."""
    ends = list(accumulate(map(len, documents)))
    for _, block in groupby(range(len(documents)), key=lambda number: ends[number] // _SENTENCES):
        numbers = list(block)
        vectors = encode([sentence for number in numbers for sentence in documents[number]])
        yield from np.split(vectors, np.cumsum([len(documents[number]) for number in numbers])[:-1])


def context_features(vectors: Tensor) -> Tensor:
    """The features of each sentence, (sentences, `FEATURES`): its vector, the sums over the sentences near it and
    around it, and the direction of the sum over a page of text. `vectors` (sentences, `SIZE`) are unit vectors.
    """
    # In double precision up to the differences, so that they do not depend on how much text is before a sentence.
    total = nn.functional.pad(vectors.double().cumsum(0), (0, 0, 1, 0))
    places = torch.arange(len(vectors))

    def around(reach: int) -> Tensor:
        first, last = (places - reach).clamp(min=0), (places + reach + 1).clamp(max=len(vectors))
        return (total[last] - total[first]).to(vectors.dtype)

    page = nn.functional.normalize(around(_TEXT), dim=1)
    return torch.cat([vectors, around(_NEAR) / 2, around(_AROUND) / 4, page], dim=1)


def _layer(weight: Tensor, bias: Tensor) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer


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
    tensors = {name: value.float() for name, value in checkpoint.tensors.items()}
    scenarios, others = len(settings.scenarios), len(settings.others)
    sizes = {"weight": (scenarios + others + 1, FEATURES), "centres": (scenarios, SIZE), "others": (others, SIZE)}
    tensors.setdefault("others", torch.zeros(0, SIZE))
    if any(tensors[name].shape != size for name, size in sizes.items()):
        raise ValueError("weights of another size")
    if not all(value.isfinite().all() for value in tensors.values()):
        raise ValueError("weights that are not finite")
    layer = _layer(tensors["weight"], tensors["bias"])
    shared_minilm().check(digest)
    centres, points = (tensors[name].double().numpy() for name in ("centres", "others"))
    return ScenarioDetector(layer, centres, settings, checkpoint.model, points)
