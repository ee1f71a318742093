"""The model of scenarios that ships: the sentences of a text in context, and a chain of their labels.

MiniLM gives a vector of each sentence, a small network over the vectors of a sentence and of its surroundings gives the
probability of each scenario and of `NONE`, and the most probable sequence of labels, in which each change of label
costs something, is both the segmentation and the labels (Viterbi).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from hashlib import sha256
from itertools import accumulate, groupby

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.encoder import Encoder, shared_minilm
from kgscripts.models.inference import fixed_threads
from kgscripts.models.loading import TrainedModel, from_checkpoint
from kgscripts.models.scenarios.chain import DetectorSettings, biased, detected_segments, label_scores, segment
from kgscripts.models.scenarios.list import new_rows
from kgscripts.models.scenarios.network import DetectorNetwork, context_features
from kgscripts.models.scenarios.protocol import NewScenario
from kgscripts.models.sentence_vectors import SIZE, quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from schemas.provenance import Model
from schemas.scenario_documents import DetectedSegment

KIND = "scenario-detector"

_SENTENCES = 512
"""Sentences that are encoded at once; more if a document has more."""


class ScenarioDetector(TrainedModel):
    """A `ScenarioModel` and a `SegmentLabeller` of `kgscripts.models.scenarios.protocol`.

    `network` gives the log odds of the scenarios and, last, of `NONE`. `centres` (scenarios, `SIZE`) are the
    `passages_centre` of what each scenario was trained on.
    """

    def __init__(
        self, network: DetectorNetwork, centres: NDArray[np.float64], settings: DetectorSettings, model: Model
    ) -> None:
        self.model = model
        self.settings = settings
        self._network = network.eval()
        self._centres = centres
        self._encoder: Encoder | None = None

    def to(self, device: str) -> ScenarioDetector:
        """This detector, with MiniLM on another device; the network over its vectors stays on the CPU."""
        self._encoder = shared_minilm(device)
        return self

    def with_scenarios(self, new: Sequence[NewScenario]) -> ScenarioDetector:
        """See `ScenarioAddition`."""
        layer = self._network.layer
        known = torch.cat([layer.weight, layer.bias[:, None]], dim=1).detach().double().numpy()
        trained = len(self._centres)
        added = new_rows(new, self.settings.scenarios[:trained], self._centres, known[:trained])
        # Rounded, since the last bits of a regression differ between processors.
        rows = torch.from_numpy(np.concatenate([known[:-1], added.round(4), known[-1:]])).float()
        names = [scenario.name for scenario in new]
        settings = attrs.evolve(self.settings, scenarios=[*self.settings.scenarios, *names])
        digest = sha256(f"{self.model.digest} {[attrs.astuple(scenario) for scenario in new]}".encode()).hexdigest()
        # The scores are those of the model as it was trained.
        model = attrs.evolve(self.model, digest=digest, scores=())
        network = deepcopy(self._network)
        network.layer = nn.Linear(rows.shape[1] - 1, len(rows))
        network.layer.load_state_dict({"weight": rows[:, :-1], "bias": rows[:, -1]})
        found = ScenarioDetector(network, self._centres, settings, model)
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
            scores = self._network(features, [len(features)]).log_softmax(-1)
        # Rounded, since the last bits of a network differ between processors.
        return label_scores(scores.double().numpy().round(4), self.settings)


def _encoded(documents: Sequence[Sequence[str]], encoder: Encoder | None) -> Iterator[NDArray[np.int8]]:
    """The vectors of the sentences of each document; short documents are encoded together."""
    ends = list(accumulate(map(len, documents)))
    for _, block in groupby(range(len(documents)), key=lambda number: ends[number] // _SENTENCES):
        numbers = list(block)
        vectors = quantised_vectors([sentence for number in numbers for sentence in documents[number]], encoder)
        yield from np.split(vectors, np.cumsum([len(documents[number]) for number in numbers])[:-1])


def detector_checkpoint(
    network: DetectorNetwork, centres: NDArray[np.float64], settings: DetectorSettings, card: ModelCard
) -> Checkpoint:
    """The checkpoint of a trained network; its numbers are stored in half precision."""
    tensors = {name: value.detach().half() for name, value in network.state_dict().items()}
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
    centres = tensors.pop("centres")
    if centres.shape != (len(settings.scenarios), SIZE):
        raise ValueError("centres of another size")
    if not all(value.isfinite().all() for value in (centres, *tensors.values())):
        raise ValueError("weights that are not finite")
    network = DetectorNetwork(len(settings.scenarios) + 1)
    network.load_state_dict(tensors)
    shared_minilm().check(digest)
    return ScenarioDetector(network, centres.double().numpy(), settings, checkpoint.model)
