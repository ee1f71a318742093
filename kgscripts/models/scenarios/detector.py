"""The model of scenarios that ships: the sentences of a text in context, and a chain of their labels.

MiniLM gives a vector of each sentence, a linear layer over the vectors of a sentence and of its surroundings gives the
probability of each scenario and of `NONE`, and the most probable sequence of labels, in which each change of label
costs something, is both the segmentation and the labels (Viterbi).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import accumulate, groupby

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.encoder import Encoder, shared_minilm
from kgscripts.models.inference import fixed_threads
from kgscripts.models.loading import TrainedModel, from_checkpoint
from kgscripts.models.scenarios.chain import DetectorSettings, biased, detected_segments, label_scores, segment
from kgscripts.models.scenarios.list import new_rows
from kgscripts.models.scenarios.protocol import NewScenario
from kgscripts.models.sentence_vectors import SIZE, quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from schemas.provenance import Model
from schemas.scenario_documents import DetectedSegment

KIND = "scenario-detector"
FEATURES = 4 * SIZE

_SENTENCES = 512
"""Sentences that are encoded, and whose probabilities are computed, at once; more if a document has more."""
_NEAR, _AROUND, _TEXT = 1, 3, 15
"""The numbers of sentences on either side that are near a sentence, around it, and on the same page."""


class ScenarioDetector(TrainedModel):
    """A `ScenarioModel` and a `SegmentLabeller` of `kgscripts.models.scenarios.protocol`.

    `layer` maps `context_features` to the log odds of the scenarios and, last, of `NONE`. `centres` (scenarios, `SIZE`)
    are the `passages_centre` of what each scenario was trained on.
    """

    def __init__(
        self, layer: nn.Linear, centres: NDArray[np.float64], settings: DetectorSettings, model: Model
    ) -> None:
        self.model = model
        self.settings = settings
        self._layer = layer.eval()
        self._centres = centres
        self._encoder: Encoder | None = None

    def to(self, device: str) -> ScenarioDetector:
        """This detector, with MiniLM on another device; its layer stays on the CPU."""
        self._encoder = shared_minilm(device)
        return self

    def with_scenarios(self, new: Sequence[NewScenario]) -> ScenarioDetector:
        """See `ScenarioAddition`."""
        known = torch.cat([self._layer.weight, self._layer.bias[:, None]], dim=1).detach().double().numpy()
        trained = len(self._centres)
        added = new_rows(new, self.settings.scenarios[:trained], self._centres, known[:trained])
        # Rounded, since the last bits of a regression differ between processors.
        rows = torch.from_numpy(np.concatenate([known[:-1], added.round(4), known[-1:]])).float()
        names = [scenario.name for scenario in new]
        settings = attrs.evolve(self.settings, scenarios=[*self.settings.scenarios, *names])
        digest = sha256(f"{self.model.digest} {[attrs.astuple(scenario) for scenario in new]}".encode()).hexdigest()
        # The scores are those of the model as it was trained.
        model = attrs.evolve(self.model, digest=digest, scores=())
        found = ScenarioDetector(_layer(rows[:, :-1], rows[:, -1]), self._centres, settings, model)
        found._encoder = self._encoder
        return found

    def detect(self, documents: Sequence[Sequence[str]]) -> list[list[DetectedSegment]]:
        """See `ScenarioModel`."""
        vectors = _encoded(documents, self._encoder)
        return [detected_segments(self._log_probabilities(of_document), self.settings) for of_document in vectors]

    def label(
        self, documents: Sequence[Sequence[str]], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[list[DetectedSegment]]:
        """See `SegmentLabeller`."""
        found = []
        for document, own in zip(documents, spans, strict=True):
            scores = biased(self.log_probabilities(document), self.settings)
            found.append([segment(scores[start:end], start, self.settings) for start, end in own])
        return found

    def log_probabilities(self, document: Sequence[str]) -> NDArray[np.float64]:
        """Log probabilities of the labels of the settings, the last of which is `NONE`: (sentences, labels)."""
        return self._log_probabilities(quantised_vectors(document, self._encoder))

    def _log_probabilities(self, vectors: NDArray[np.int8]) -> NDArray[np.float64]:
        """Those of sentences with these `quantised_vectors`."""
        if not len(vectors):
            return np.zeros((0, len(self.settings.labels)))
        features = context_features(torch.from_numpy(vectors).float() / SCALE)
        with torch.inference_mode(), fixed_threads():
            # Rounded, since the last bits of a network differ between processors.
            parts = [self._layer(part).log_softmax(-1) for part in torch.split(features, _SENTENCES)]
        return label_scores(torch.cat(parts).double().numpy().round(4), self.settings)


def _encoded(documents: Sequence[Sequence[str]], encoder: Encoder | None) -> Iterator[NDArray[np.int8]]:
    """The vectors of the sentences of each document; short documents are encoded together."""
    ends = list(accumulate(map(len, documents)))
    for _, block in groupby(range(len(documents)), key=lambda number: ends[number] // _SENTENCES):
        numbers = list(block)
        vectors = quantised_vectors([sentence for number in numbers for sentence in documents[number]], encoder)
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


def detector_checkpoint(
    layer: nn.Linear, centres: NDArray[np.float64], settings: DetectorSettings, card: ModelCard
) -> Checkpoint:
    """The checkpoint of a trained layer; its numbers are stored in half precision."""
    tensors = {name: value.detach().half() for name, value in layer.state_dict().items()}
    values = {**attrs.asdict(settings), "encoder_sha256": shared_minilm().digest}
    tensors["centres"] = torch.from_numpy(centres).half()
    return Checkpoint(kind=KIND, settings=values, tensors=tensors, card=card)


@from_checkpoint
def detector_model(checkpoint: Checkpoint) -> ScenarioDetector:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together, or MiniLM is another one."""
    assert checkpoint.model is not None
    values = dict(checkpoint.settings)
    digest = values.pop("encoder_sha256")
    settings = DetectorSettings(**values)
    tensors = {name: value.float() for name, value in checkpoint.tensors.items()}
    scenarios = len(settings.scenarios)
    if tensors["weight"].shape != (scenarios + 1, FEATURES) or tensors["centres"].shape != (scenarios, SIZE):
        raise ValueError("weights of another size")
    if not all(value.isfinite().all() for value in tensors.values()):
        raise ValueError("weights that are not finite")
    layer = _layer(tensors["weight"], tensors["bias"])
    shared_minilm().check(digest)
    return ScenarioDetector(layer, tensors["centres"].double().numpy(), settings, checkpoint.model)
