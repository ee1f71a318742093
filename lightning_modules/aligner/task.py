"""Training of the aligner: labelled pairs and pairs with hidden anchors, LightningModule and task."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from hashlib import sha256

import attrs
import torch
from attrs import frozen
from torch import Tensor

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.aligner import KIND
from kgscripts.models.alignment.inputs import AlignerInputs, Sides
from kgscripts.models.alignment.words import aligned_places, is_content_word
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.quantised import with_scales
from kgscripts.reproductions.kidscook.alignments.gold import GoldAlignment
from kgscripts.reproductions.torch_networks.bert import load_bert
from kgscripts.reproductions.torch_networks.inference import TensorFields
from lightning_modules.aligner.network import AlignerBatch, AlignerNetwork
from lightning_modules.module import Loss, TrainingBatch, TrainingData, TrainingModule, pair_key, pairs_digest, split
from lightning_modules.task_settings import AlignerSettings

_LONGEST = 90
_HIDDEN = 0.1
"""The share of other content words that are hidden, so that an unknown word need not be an anchor."""

_SEEN_ANCHOR = 0.15
"""The weight of an anchor that is not hidden, relative to hidden or labelled words."""


@frozen
class Target:
    """The concrete word of an example is aligned to one of `places`."""

    concrete: int
    places: tuple[int, ...]
    weight: float


@frozen
class Example:
    """A pair, its hidden words, its targets, the place of the pair in its file, and whether it has labels."""

    sides: Sides
    targets: tuple[Target, ...]
    where: str
    is_labelled: bool


def anchor_example(pair: Pair, draw: random.Random) -> Example:
    """A pair with some of its anchors hidden, and a few other words on both sides."""
    abstract, concrete = pair.abstract[:_LONGEST], pair.concrete[:_LONGEST]
    anchors = _anchors(abstract, concrete)
    rate = draw.random()
    # Sorted, since the order of a set of strings, and with it the draws, would be another in each process.
    gone = {word for word in sorted({concrete[index] for index in anchors}) if draw.random() < rate}
    hidden = {index for index in anchors if concrete[index] in gone or draw.random() < _HIDDEN}
    targets = (Target(index, places, 1.0 if index in hidden else 2 * _SEEN_ANCHOR) for index, places in anchors.items())
    others = _drawn(concrete, draw) - anchors.keys()
    sides = Sides(abstract, concrete, _drawn(abstract, draw), hidden | others)
    return Example(sides, tuple(targets), pair.where, is_labelled=False)


def labelled_example(pair: Pair, label: GoldAlignment, draw: random.Random | None) -> Example:
    """A labelled pair, with a few words hidden if there is a `draw`. Its anchors are targets of a small weight."""
    hidden = _drawn(pair.concrete, draw)
    targets = [Target(index, places, _SEEN_ANCHOR) for index, places in _anchors(pair.abstract, pair.concrete).items()]
    possible = set(aligned_places(pair.abstract))
    for index, accepted in label.aligned.items():
        if places := tuple(place for place in accepted if place in possible):
            targets.append(Target(index, places, 1.0))
    sides = Sides(pair.abstract, pair.concrete, _drawn(pair.abstract, draw), hidden)
    return Example(sides, tuple(targets), pair.where, is_labelled=True)


def _anchors(abstract: Sequence[str], concrete: Sequence[str]) -> dict[int, tuple[int, ...]]:
    places: dict[str, list[int]] = {}
    for index, word in enumerate(abstract):
        if is_content_word(word):
            places.setdefault(word, []).append(index)
    return {index: tuple(places[word]) for index, word in enumerate(concrete) if word in places}


def _drawn(words: Sequence[str], draw: random.Random | None) -> set[int]:
    if draw is None:
        return set()
    return {index for index, word in enumerate(words) if is_content_word(word) and draw.random() < _HIDDEN}


# Not -inf, of which a gradient may be NaN; its exponential is zero in float32 all the same.
_IMPOSSIBLE = -1e4


@frozen(eq=False)
class Targets(TensorFields):
    """Inputs, and the words to be aligned in them.

    `rows` and `concrete` (targets,) int64 are the row and the concrete word of each target; `accepted` (targets,
    abstract) float32 is 0 for the abstract words that are right and very negative for others; `weights` (targets,).
    """

    inputs: AlignerBatch
    rows: Tensor
    concrete: Tensor
    accepted: Tensor
    weights: Tensor


@frozen(eq=False)
class AlignmentBatch(TrainingBatch):
    """Labelled pairs, and pairs with hidden anchors; there are none of these among the held-out ones."""

    labelled: Targets
    anchored: Targets | None


def _key(item: tuple[Pair, GoldAlignment]) -> str:
    return pair_key(item[0])


class AlignmentData(TrainingData[Example]):
    """Labelled pairs of similar length; the hidden words of each are drawn again in every epoch.

    `labels` are gold alignments by the index of their pair. Batches of the held-out pairs hide nothing.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        labels: Mapping[int, GoldAlignment],
        inputs: AlignerInputs,
        settings: AlignerSettings,
    ) -> None:
        super().__init__(split([(pairs[row], label) for row, label in labels.items()], _key), settings)
        held_out = {_key(item) for item in self._parts.held_out}
        # A sentence that is held out is not seen in other pairs either.
        self._train_pairs = [pair for pair in split(pairs, pair_key).train if pair_key(pair) not in held_out]
        self._inputs = inputs
        self._anchored = settings.anchored

    def length(self, example: Example) -> tuple[int, ...]:
        """See `TrainingData`."""
        return (len(example.sides.concrete),)

    def drawn(self, item: tuple[Pair, GoldAlignment], draw: random.Random | None) -> Example:
        """See `TrainingData`."""
        return labelled_example(*item, draw)

    def train_batches(self, draw: random.Random) -> list[list[Example]]:
        """Batches of labelled pairs, each with some pairs whose anchors are hidden behind them."""
        return [
            [*batch, *(anchor_example(draw.choice(self._train_pairs), draw) for _ in range(self._anchored))]
            for batch in super().train_batches(draw)
        ]

    def held_out_batches(self) -> list[list[Example]]:
        """See `TrainingData`."""
        return self.batches([self.drawn(item, None) for item in self._parts.held_out], None)

    def collate(self, examples: Sequence[Example]) -> AlignmentBatch:
        """See `TrainingData`."""
        labelled = [example for example in examples if example.is_labelled]
        anchored = [example for example in examples if not example.is_labelled]
        return AlignmentBatch(
            where=tuple(example.where for example in examples),
            labelled=self._targets(labelled),
            anchored=self._targets(anchored) if anchored else None,
        )

    def _targets(self, examples: Sequence[Example]) -> Targets:
        pairs = [example.sides.shown() for example in examples]
        # Training pairs are cut to what one window holds: later windows, if any, are left out.
        windows = [next(self._inputs.windows(row, pair)) for row, pair in enumerate(pairs)]
        batch = AlignerBatch.of([self._inputs.row(pair, window) for pair, window in zip(pairs, windows, strict=True)])
        targets = [
            (row, target)
            for row, example in enumerate(examples)
            for target in example.targets
            if target.concrete in windows[row].concrete
            and all(index in windows[row].abstract for index in target.places)
        ]
        accepted = torch.full((len(targets), batch.aligned.shape[1]), _IMPOSSIBLE)
        for at, (row, target) in enumerate(targets):
            accepted[at, [index - windows[row].abstract.start for index in target.places]] = 0.0
        return Targets(
            inputs=batch,
            rows=torch.tensor([row for row, _ in targets], dtype=torch.int64),
            concrete=torch.tensor([target.concrete for _, target in targets], dtype=torch.int64),
            accepted=accepted,
            weights=torch.tensor([target.weight for _, target in targets]),
        )


class AlignerModule(TrainingModule):
    """Minimises the surprisal of the labelled words and, with a smaller weight, of anchors in other pairs."""

    network: AlignerNetwork
    _settings: AlignerSettings

    def loss(self, batch: AlignmentBatch) -> Loss:
        """See `TrainingModule`; per labelled word."""
        nats = self._mean_nats(batch.labelled)
        if batch.anchored is not None:
            nats = nats + self._settings.anchor_weight * self._mean_nats(batch.anchored)
        return Loss(nats, max(1, len(batch.labelled.rows)))

    def _mean_nats(self, targets: Targets) -> Tensor:
        """The mean surprisal of the targets; a target for which several words are right is any of these."""
        scores = self.network(targets.inputs)
        if len(targets.rows) == 0:
            # A zero that depends on the weights: the backward pass needs a gradient of each.
            nothing: Tensor = scores.sum() * 0.0
            return nothing
        log_probabilities = scores.float().log_softmax(dim=2)[targets.rows, targets.concrete]
        mean: Tensor = (
            (log_probabilities + targets.accepted).logsumexp(dim=1) * targets.weights
        ).sum() / targets.weights.sum()
        return -mean


_NETWORK_SETTINGS = ("layers", "rank", "size", "smoothing", "shift_probability")


class AlignerTask:
    """Trains the aligner on pairs, of which `labels` label rows; see `lightning_modules.training.TrainingTask`.

    Raises InputError for too few labelled pairs. `prepare` raises ModelError if MiniLM cannot be found.
    """

    name = "aligner"
    purpose = "alignment of concrete with abstract instructions"
    licence = "research use, as the terms of its training data are not stated"

    def __init__(self, pairs: Sequence[Pair], labels: Sequence[GoldAlignment]) -> None:
        self.split = split([pairs[label.row - 1] for label in labels], pair_key)
        self._pairs = pairs
        self._labels = {label.row - 1: label for label in labels}
        aligned = json.dumps([(row, sorted(label.aligned.items())) for row, label in self._labels.items()])
        self.inputs = {"pairs": pairs_digest(pairs), "labels": sha256(aligned.encode()).hexdigest()}

    def prepare(self, settings: AlignerSettings) -> tuple[AlignerModule, AlignmentData]:
        """See `TrainingTask`."""
        network = AlignerNetwork(load_bert(), layers=settings.layers, rank=settings.rank, size=settings.size)
        data = AlignmentData(self._pairs, self._labels, network.inputs, settings)
        return AlignerModule(network, settings), data

    def checkpoint(self, module: AlignerModule, settings: AlignerSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        values = attrs.asdict(settings)
        return Checkpoint(
            kind=KIND,
            settings={name: values[name] for name in _NETWORK_SETTINGS},
            tensors=with_scales({name: value.cpu().numpy() for name, value in module.trained_state().items()}),
            card=card,
        )
