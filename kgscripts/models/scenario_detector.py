"""The model of scenarios that ships: the sentences of a text in context, and a chain of their labels.

MiniLM gives a vector of each sentence, a linear layer over the vectors of a sentence and of what is around it gives the
probability of each scenario and of `NONE`, and the most probable sequence of labels, in which each change of label
costs something, is both the segmentation and the labels (Viterbi).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise

import attrs
import numpy as np
import torch
from attrs import field, frozen, validators
from numpy.typing import NDArray
from torch import Tensor, nn

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.encoder import shared_minilm
from kgscripts.models.inference import fixed_threads
from kgscripts.models.sentence_vectors import SCALE, SIZE, quantised_vectors
from schemas.errors import ModelError
from schemas.provenance import Model
from schemas.scenario_documents import NONE, DetectedSegment

KIND = "scenario-detector"
FEATURES = 4 * SIZE

_RANKED = 5
_SENTENCES = 512
"""Sentences that are encoded, and whose probabilities are computed, at once; more if a document has more."""
_NEAR, _AROUND, _TEXT = 1, 3, 15
"""How many sentences on either side are near a sentence, around it, and what the text is about there."""

_number = [validators.instance_of(float), validators.ge(-100.0), validators.le(100.0)]


@frozen(kw_only=True)
class DetectorSettings:
    """What the detector has beside its weights. Raises ValueError or TypeError for values that are out of range."""

    scenarios: tuple[str, ...] = field(
        converter=tuple[str, ...],
        validator=[validators.min_len(1), validators.deep_iterable(validators.instance_of(str))],
    )
    none_bias: float = field(default=-2.0, validator=_number)
    """Added to the log probability of `NONE`, since training texts have more of it than a user wants to see."""
    change_cost: float = field(default=1.0, validator=[*_number, validators.ge(0.0)])
    """What a change of label costs, in nats."""
    second_share: float = field(default=0.5, validator=[*_number, validators.ge(0.0), validators.le(1.0)])
    """A segment has a second scenario whose probability is at least this share of the first one's."""

    def __attrs_post_init__(self) -> None:
        if len(set(self.scenarios)) < len(self.scenarios) or NONE in self.scenarios:
            raise ValueError("a scenario that is listed twice, or that is none")


class ScenarioDetector:
    """A `ScenarioModel` and a `SegmentLabeller` of `kgscripts.models.scenarios`.

    `layer` maps `context_features` to the log odds of the scenarios and, last, of `NONE`.
    """

    def __init__(self, layer: nn.Linear, settings: DetectorSettings, model: Model) -> None:
        self.model = model
        self.settings = settings
        self._layer = layer.eval()

    def detect(self, documents: Sequence[Sequence[str]]) -> list[list[DetectedSegment]]:
        """See `ScenarioModel`."""
        return [detected_segments(self._log_probabilities(vectors), self.settings) for vectors in _encoded(documents)]

    def label(
        self, documents: Sequence[Sequence[str]], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[list[DetectedSegment]]:
        """See `SegmentLabeller`."""
        found = []
        for document, own in zip(documents, spans, strict=True):
            scores = self.log_probabilities(document) + _bias(self.settings)
            found.append([_segment(scores[start:end], start, self.settings) for start, end in own])
        return found

    def log_probabilities(self, document: Sequence[str]) -> NDArray[np.float64]:
        """Log probabilities of the scenarios and, last, of `NONE`: (sentences, labels)."""
        return self._log_probabilities(quantised_vectors(document))

    def _log_probabilities(self, vectors: NDArray[np.int8]) -> NDArray[np.float64]:
        """Those of sentences with these `quantised_vectors`."""
        if not len(vectors):
            return np.zeros((0, len(self.settings.scenarios) + 1))
        features = context_features(torch.from_numpy(vectors).float() / SCALE)
        with torch.inference_mode(), fixed_threads():
            # Rounded, since the last bits of a network differ between processors.
            parts = [self._layer(part).log_softmax(-1) for part in torch.split(features, _SENTENCES)]
        scores: NDArray[np.float64] = torch.cat(parts).double().numpy().round(4)
        return scores


def _encoded(documents: Sequence[Sequence[str]]) -> Iterator[NDArray[np.int8]]:
    """The vectors of the sentences of each document; short documents are encoded together."""
    ends = list(accumulate(map(len, documents)))
    for _, block in groupby(range(len(documents)), key=lambda number: ends[number] // _SENTENCES):
        numbers = list(block)
        vectors = quantised_vectors([sentence for number in numbers for sentence in documents[number]])
        yield from np.split(vectors, np.cumsum([len(documents[number]) for number in numbers])[:-1])


def detected_segments(scores: NDArray[np.float64], settings: DetectorSettings) -> list[DetectedSegment]:
    """The segments of a text with these `log_probabilities` of its sentences."""
    scores = scores + _bias(settings)
    return [
        _segment(scores[start:end], start, settings) for start, end in runs(best_chain(scores, settings.change_cost))
    ]


def _bias(settings: DetectorSettings) -> NDArray[np.float64]:
    return np.array([*[0.0] * len(settings.scenarios), settings.none_bias])


def _segment(scores: NDArray[np.float64], start: int, settings: DetectorSettings) -> DetectedSegment:
    """The segment of these sentences, (sentences, labels), with the label that is most probable for all of them."""
    names = [*settings.scenarios, NONE]
    mean = scores.mean(axis=0)
    shares = np.exp(mean - mean.max())
    shares /= shares.sum()
    first, *others = np.argsort(-shares, kind="stable")
    ranking = [(names[place], round(float(shares[place]), 4)) for place in (first, *others)[:_RANKED]]
    second = [
        names[place]
        for place in others[:2]
        if names[place] != NONE and shares[place] >= settings.second_share * shares[first]
    ]
    return DetectedSegment(
        start=start,
        end=start + len(scores),
        ranking=ranking,
        scenarios=[] if names[first] == NONE else [names[first], *second[:1]],
    )


def context_features(vectors: Tensor) -> Tensor:
    """What is known of each sentence, (sentences, `FEATURES`).

    Its vector, and sums over what is near it and around it, and the direction of the sum over a page of text.
    `vectors` (sentences, `SIZE`) are unit vectors.
    """
    total = torch.cat([vectors.new_zeros(1, vectors.shape[1]), vectors.double().cumsum(0).to(vectors.dtype)])
    places = torch.arange(len(vectors))

    def around(reach: int) -> Tensor:
        first, last = (places - reach).clamp(min=0), (places + reach + 1).clamp(max=len(vectors))
        return total[last] - total[first]

    page = nn.functional.normalize(around(_TEXT), dim=1)
    return torch.cat([vectors, around(_NEAR) / 2, around(_AROUND) / 4, page], dim=1)


def best_chain(scores: NDArray[np.float64], change_cost: float) -> list[int]:
    """The sequence of labels with the highest sum of `scores` (sentences, labels), less the cost of each change."""
    if not len(scores):
        return []
    sums = scores[0]
    came_from = []
    for row in scores[1:]:
        best = int(sums.argmax())
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


def detector_checkpoint(layer: nn.Linear, settings: DetectorSettings, card: ModelCard) -> Checkpoint:
    """The checkpoint of a trained layer; its weights are stored in half precision."""
    tensors = {name: value.detach().half() for name, value in layer.state_dict().items()}
    values = {**attrs.asdict(settings), "encoder_sha256": shared_minilm().digest}
    return Checkpoint(kind=KIND, settings=values, tensors=tensors, card=card)


def detector_model(checkpoint: Checkpoint) -> ScenarioDetector:
    """The model of a checkpoint. Raises ModelError if its parts do not fit together, or MiniLM is another one."""
    assert checkpoint.model is not None
    remedy = "train the model again, or get the checkpoint again"
    try:
        values = dict(checkpoint.settings)
        digest = values.pop("encoder_sha256")
        settings = DetectorSettings(**values)
        weights = {name: value.float() for name, value in checkpoint.tensors.items()}
        if weights["weight"].shape != (len(settings.scenarios) + 1, FEATURES):
            raise ValueError("weights of another size")
        if not all(value.isfinite().all() for value in weights.values()):
            raise ValueError("weights that are not finite")
        layer = nn.Linear(FEATURES, len(settings.scenarios) + 1)
        layer.load_state_dict(weights)
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise ModelError(f"not a checkpoint of the detector: {error}", remedy=remedy) from error
    if digest != shared_minilm().digest:
        message = f"trained over another MiniLM than is here ({shared_minilm().digest[:12]}, not {str(digest)[:12]})"
        raise ModelError(message, remedy=remedy)
    return ScenarioDetector(layer, settings, checkpoint.model)
