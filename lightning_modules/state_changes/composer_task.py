"""Training of the composer of state changes: data, LightningModule and task."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import attrs
import torch
from attrs import evolve, frozen
from torch import Tensor
from torch.nn import functional

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.sentence_vectors import SIZE, quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from kgscripts.reproductions.openpi.composer.composer import ComposerSettings, below, composer_checkpoint
from kgscripts.reproductions.openpi.composer.inputs import StepBatch, StepInput, batch_of, step_inputs
from kgscripts.reproductions.openpi.composer.neighbours import KnownSteps
from kgscripts.reproductions.openpi.composer.network import (
    AFTER_FILLER,
    BEFORE_FILLER,
    IMPOSSIBLE,
    KIND_OF_PART,
    KINDS,
    MOST_COUNTED,
    PARTS,
    POINTED,
    ChangeNetwork,
    Memory,
    NetworkSize,
)
from kgscripts.reproductions.openpi.composer.vocabulary import SLOT, ChangeVocabulary, plain, split_value
from kgscripts.reproductions.openpi.reading import OpenPIStep
from kgscripts.reproductions.torch_networks.adapters import layer_weights
from kgscripts.reproductions.torch_networks.bert import Bert, load_bert
from lightning_modules.configuration import Configuration
from lightning_modules.module import Loss, Split, TrainingBatch, TrainingData, TrainingModule, split
from lightning_modules.state_changes.task import steps_digest
from lightning_modules.task_settings import ComposerTrainingSettings
from schemas.changes import Change, ProcedureStep
from schemas.errors import InputError

UNKNOWN, ABSENT = -1, -2


@frozen
class ComposedChange:
    """The parts of a change, each as a text of the vocabulary and as a noun of the step. A part that is neither is
    `UNKNOWN`; an absent filler is `ABSENT` in both.
    """

    texts: tuple[int, ...]
    nouns: tuple[int, ...]


@frozen
class ComposerExample:
    """A step, its changes, and how many there are in the corpus."""

    input: StepInput
    changes: Sequence[ComposedChange]
    count: int
    where: str


@frozen(eq=False)
class ComposerBatch(TrainingBatch):
    """`texts` and `nouns` (steps, changes, `PARTS`), `is_change` (steps, changes), `counts` (steps,)."""

    inputs: StepBatch
    texts: Tensor
    nouns: Tensor
    is_change: Tensor
    counts: Tensor


def composed(
    changes: Sequence[Change], input: StepInput, vocabulary: ChangeVocabulary, frequency: Counter[str]
) -> list[ComposedChange]:
    """Plain changes as parts; `frequency` counts the values of all training changes."""
    nouns = {noun.noun: place for place, noun in enumerate(input.nouns)}
    entities = vocabulary.places[0]
    composed_changes = []
    for change in changes:
        before, after = (split_value(value, nouns, entities, frequency) for value in (change.before, change.after))
        parts = (change.entity, change.attribute, *before, *after)
        texts = [
            ABSENT if part is None else vocabulary.places[kind].get(part, UNKNOWN)
            for part, kind in zip(parts, KIND_OF_PART, strict=True)
        ]
        pointed = [
            ABSENT if part is None else nouns.get(part, UNKNOWN) if place in POINTED else UNKNOWN
            for place, part in enumerate(parts)
        ]
        composed_changes.append(ComposedChange(tuple(texts), tuple(pointed)))
    return composed_changes


class ComposerData(TrainingData[ComposerExample]):
    """Steps of similar length. Each epoch draws some of the changes of a step, and hides some titles and contexts."""

    def __init__(self, parts: Split[ComposerExample], settings: ComposerTrainingSettings) -> None:
        super().__init__(parts, settings)
        self._settings = settings

    def length(self, example: ComposerExample) -> tuple[int, ...]:
        """See `TrainingData`."""
        return (len(example.input.ids),)

    def collate(self, examples: Sequence[ComposerExample]) -> ComposerBatch:
        """See `TrainingData`."""
        most = max(1, *(len(example.changes) for example in examples))
        texts = torch.full((len(examples), most, PARTS), UNKNOWN)
        nouns = torch.full_like(texts, UNKNOWN)
        is_change = torch.zeros(len(examples), most, dtype=torch.bool)
        for row, example in enumerate(examples):
            for place, change in enumerate(example.changes):
                texts[row, place], nouns[row, place] = torch.tensor(change.texts), torch.tensor(change.nouns)
                is_change[row, place] = True
        return ComposerBatch(
            where=tuple(example.where for example in examples),
            inputs=batch_of([example.input for example in examples], max(len(one.input.ids) for one in examples)),
            texts=texts,
            nouns=nouns,
            is_change=is_change,
            counts=torch.tensor([min(example.count, MOST_COUNTED) for example in examples]),
        )

    def drawn(self, item: ComposerExample, draw: random.Random) -> ComposerExample:
        """Some of the changes of a step, and at times no title or no context."""
        example = item
        most = self._settings.most_changes
        changes = draw.sample(example.changes, most) if len(example.changes) > most else example.changes
        start, end = example.input.title
        if draw.random() < self._settings.hidden_titles:
            example = _without(example, start, end)
            end = start
        if draw.random() < self._settings.hidden_contexts:
            example, changes = _without_context(example, changes, end)
        return evolve(example, changes=changes)


def _without(example: ComposerExample, start: int, end: int) -> ComposerExample:
    """Without the pieces of the title; those of the context move to the front."""
    item = example.input
    shift = end - start
    nouns = [
        evolve(
            noun,
            pieces=tuple((a, b) if a < start else (a - shift, b - shift) for a, b in noun.pieces),
        )
        for noun in item.nouns
    ]
    ids, types = ([*values[:start], *values[end:]] for values in (item.ids, item.types))
    return evolve(example, input=StepInput(ids=ids, types=types, nouns=nouns, title=(start, start)))


def _without_context(
    example: ComposerExample, changes: Sequence[ComposedChange], end: int
) -> tuple[ComposerExample, list[ComposedChange]]:
    """Without the pieces of the context, and the nouns that only it mentions.

    The features of the other nouns stay as they are: the number of mentions of a noun, and whether it has all its
    modifiers, still include the hidden context. The weights that ship were trained in this way.
    """
    item = example.input
    kept = [evolve(noun, pieces=own) for noun in item.nouns if (own := tuple(p for p in noun.pieces if p[0] < end))]
    places = {noun.noun: place for place, noun in enumerate(kept)}
    moved = {place: places.get(noun.noun, UNKNOWN) for place, noun in enumerate(item.nouns)}
    pointed = [evolve(one, nouns=tuple(moved.get(place, place) for place in one.nouns)) for one in changes]
    ids, types = [*item.ids[: end + 1], item.ids[-1]], [*item.types[: end + 1], item.types[-1]]
    return evolve(example, input=StepInput(ids=ids, types=types, nouns=kept, title=item.title)), pointed


_COUNT_WEIGHT = 0.3
_ENCODER, _NETWORK = "encoder.", "network."


class ComposerModule(TrainingModule):
    """Minimises the surprisal of changes, per change, plus a share of that of their number, per step.

    Of the encoder, the weights of the linear layers are trained too, at a learning rate of their own.
    """

    network: ChangeNetwork
    _settings: ComposerTrainingSettings

    def __init__(self, network: ChangeNetwork, encoder: Bert, settings: ComposerTrainingSettings) -> None:
        super().__init__(network, settings)
        self.encoder = encoder
        self._layers = layer_weights(encoder)
        for weight in self._layers.values():
            weight.requires_grad_(True)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The network, and the encoder at its own learning rate."""
        own = {"params": list(self._layers.values()), "lr": self._settings.encoder_learning_rate}
        return [*super().parameter_groups(), own]

    def trained_state(self) -> Mapping[str, Tensor]:
        """The network, and the weights of the encoder."""
        layers = {_ENCODER + name: weight.detach() for name, weight in self._layers.items()}
        return {**layers, **{_NETWORK + name: value for name, value in self.network.state_dict().items()}}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """See `TrainingModule`."""
        self.network.load_state_dict(below(_NETWORK, state))
        for name, weight in below(_ENCODER, state).items():
            self._layers[name].data.copy_(weight)

    @property
    def encoder_weights(self) -> Mapping[str, Tensor]:
        """The trained weights of the encoder, by the names of their layers."""
        return {name: weight.detach() for name, weight in self._layers.items()}

    def loss(self, batch: ComposerBatch) -> Loss:
        """See `TrainingModule`; per change."""
        inputs = batch.inputs
        states = self.encoder(inputs.ids, inputs.attention, inputs.types).last_hidden_state.float()
        counts = self.network.counts(states, inputs).float()
        nats = _COUNT_WEIGHT * functional.cross_entropy(counts, batch.counts)
        changes = int(batch.is_change.sum())
        if changes:
            nats = nats + self._of_changes(batch, states) / changes
        return Loss(nats, max(changes, 1))

    def _of_changes(self, batch: ComposerBatch, states: Tensor) -> Tensor:
        network, memory = self.network, self.network.memory(states, batch.inputs)
        tables = [table() for table in network.tables]
        decoded, _ = network.decode(self._vectors(batch, tables, memory), memory)
        total = states.new_zeros(())
        for part in range(PARTS):
            texts, nouns = batch.texts[..., part], batch.nouns[..., part]
            table = tables[KIND_OF_PART[part]]
            scores, pointed = network.scores(part, decoded[:, :, part], memory, table)
            scores = scores.float()
            right = _picked(scores, texts)
            every = scores.logsumexp(-1)
            if pointed is not None:
                pointed = pointed.float().masked_fill(~batch.inputs.is_noun[:, None], IMPOSSIBLE)
                right = torch.logaddexp(right, _picked(pointed, nouns))
                every = torch.logaddexp(every, pointed.logsumexp(-1))
            counted = batch.is_change & ((texts >= 0) | (nouns >= 0))
            total = total + (every - right)[counted].sum()
        return total

    def _vectors(self, batch: ComposerBatch, tables: list[Tensor], memory: Memory) -> Tensor:
        """The input of each part: the part before it; (steps, changes, parts, size)."""
        network = self.network
        vectors = [network.begin.expand(*batch.is_change.shape, -1)]
        for part in range(PARTS - 1):
            texts, nouns = batch.texts[..., part], batch.nouns[..., part]
            embedding = network.embedding(part, texts, tables[KIND_OF_PART[part]], nouns, memory)
            if part in (BEFORE_FILLER, AFTER_FILLER):
                embedding = torch.where((texts == ABSENT)[..., None], network.no_filler, embedding)
            vectors.append(embedding)
        return torch.stack(vectors, dim=2) + network.place


def _picked(scores: Tensor, places: Tensor) -> Tensor:
    """The scores (steps, changes) at the given indices, very small for negative ones."""
    picked = scores.gather(2, places.clamp(min=0)[..., None])[..., 0]
    return torch.where(places >= 0, picked, IMPOSSIBLE)


class ComposerTask:
    """Trains the composer on steps with their changes; see `lightning_modules.training.TrainingTask`.

    A tenth of the procedures is held out. Sentences that change nothing, written for this project, are added as steps
    without changes. Raises InputError for too few steps; `prepare` raises it for too few changes, and ModelError if
    MiniLM cannot be found.
    """

    purpose = "state changes of a step"
    licence = "MIT"

    def __init__(self, configuration: Configuration, steps: Sequence[OpenPIStep]) -> None:
        self.name = configuration.name
        self.split = split(steps, lambda step: step.procedure)
        self.inputs = {"steps": steps_digest(steps), "no_change": no_change_steps()}
        self._steps = steps
        self._vocabulary = ChangeVocabulary((), (), (), ())

    def prepare(self, settings: ComposerTrainingSettings) -> tuple[ComposerModule, ComposerData]:
        """See `TrainingTask`."""
        encoder = load_bert()
        parts = self.split.train, self.split.held_out
        read = [list(step_inputs([procedure_step(step) for step in part], encoder)) for part in parts]
        changes = [[plain_changes(step) for step in part] for part in parts]
        nouns = [[noun.noun for noun in item.nouns] for item in read[0]]
        self._vocabulary = vocabulary = ChangeVocabulary.of(zip(changes[0], nouns, strict=True))
        if not all(vocabulary.places):
            message = "no entity, attribute or value occurs twice in the changes of the training steps"
            raise InputError(message, remedy="train on a larger corpus")
        values = Counter(value for own in changes[0] for change in own for value in (change.before, change.after))
        examples = Split(
            *(
                [
                    ComposerExample(item, composed(own, item, vocabulary, values), len(step.answers), step.id)
                    for step, item, own in zip(part, items, part_changes, strict=True)
                ]
                for part, items, part_changes in zip(parts, read, changes, strict=True)
            )
        )
        still = [ProcedureStep(text=text) for text in no_change_steps()]
        examples.train.extend(
            ComposerExample(item, (), 0, step.text)
            for step, item in zip(still, step_inputs(still, encoder), strict=True)
        )
        network = ChangeNetwork(
            [len(places) for places in vocabulary.places],
            NetworkSize(settings.size, settings.layers),
            dropout=settings.dropout,
            vectors=[_text_vectors(getattr(vocabulary, kind)) for kind in KINDS],
        )
        return ComposerModule(network, encoder.network, settings), ComposerData(examples, settings)

    def checkpoint(self, module: ComposerModule, settings: ComposerTrainingSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`. The steps that it looks up are all of them, held-out ones included."""
        changes = [plain_changes(step) for step in self._steps]
        known = KnownSteps.of([step.text for step in self._steps], changes)
        shape = ComposerSettings(size=settings.size, layers=settings.layers, rank=settings.rank)
        trained = module.encoder_weights
        return composer_checkpoint(module.network, self._vocabulary, known, shape, card, trained)


def no_change_steps() -> list[str]:
    """Sentences that change nothing."""
    file = resources.files("lightning_modules.state_changes") / "data" / "no_change.txt"
    return file.read_text(encoding="utf-8").split("\n")[:-1]


def procedure_step(step: OpenPIStep) -> ProcedureStep:
    """The step with its context and title, as a model reads it."""
    return ProcedureStep(text=step.text, context=step.context, title=step.title)


def plain_changes(step: OpenPIStep) -> list[Change]:
    """The changes of a step in plain words; changes without an entity or with a missing value are left out."""
    changes = []
    for answer in step.answers:
        if answer.change is not None:
            parts = {name: plain(text) for name, text in attrs.asdict(answer.change).items()}
            if all(parts.values()):
                changes.append(Change(**parts))
    return changes


def _text_vectors(texts: Sequence[str]) -> torch.Tensor:
    """MiniLM's vectors of texts, of the size of its hidden states, (texts, 384)."""
    vectors = quantised_vectors([text.replace(SLOT, "something") for text in texts])
    return torch.from_numpy(vectors).float() * (math.sqrt(SIZE) / 2 / SCALE)
