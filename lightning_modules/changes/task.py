"""Training of the generator of state changes: its batches, LightningModule and task."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Sequence

import attrs
import numpy as np
import torch
from attrs import frozen
from torch import Tensor
from torch.nn import functional

from kgscripts.changes.values import SLOT
from kgscripts.models.changes.generator import KIND, VOCABULARY, ChangeVocabulary
from kgscripts.models.changes.heads import ChangeSizes, Pairs
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.quantised import with_scales
from kgscripts.models.reader.reader import STATE_LAYERS, Reader, WindowStates
from kgscripts.models.registry import DEFAULT, describe, load
from kgscripts.reproductions.torch_networks.inference import TensorFields
from lightning_modules.changes.examples import (
    UNNAMED,
    ChangeEvent,
    ChangeText,
    labelled_texts,
)
from lightning_modules.changes.network import ChangeNetwork, PairTensors
from lightning_modules.module import Loss, Split, TrainingBatch, TrainingData, TrainingModule, split
from lightning_modules.task_settings import ChangeTrainingSettings
from schemas.errors import InputError

_UNLIKELY = 0.02
"""Of the labels of the reader, the least share of any part in an event that makes a word worth a look."""
_OTHERS = 12
"""Further words of a window that an event is compared with."""


@frozen(eq=False)
class EventExample(TensorFields):
    """An event with the things that it is compared with, `pairs`, and what is known of each.

    `gold` (pairs, attributes) is how sure a change of the attribute is. `values` (known, 2) are pairs with the number
    of their values; `befores` and `afters` (known, 2) pairs with the place in the value.
    """

    pairs: PairTensors
    gold: Tensor
    values: Tensor
    befores: Tensor
    afters: Tensor


@frozen(eq=False)
class ChangeExample:
    """A window with its events."""

    id: str
    states: Tensor
    events: Sequence[EventExample]

    @property
    def size(self) -> int:
        """The number of its pairs."""
        return sum(len(event.gold) for event in self.events)


@frozen(eq=False)
class ChangeBatch(TrainingBatch):
    """Windows: the states of their words, one behind the other, and events, whose pairs name words by these places.

    Pairs and places are numbers in the batch. Beside each of `befores` and `afters` stand the first pair of its event
    and the one behind the last.
    """

    states: Tensor
    pairs: PairTensors
    gold: Tensor
    values: Tensor
    befores: Tensor
    afters: Tensor
    events: int


class ChangeData(TrainingData[ChangeExample]):
    """Batches of windows with about as many pairs."""

    @property
    def batches_per_epoch(self) -> int:
        """See `TrainingData`."""
        return len(self.batches(self._parts.train, None))

    def batches(self, examples: Sequence[ChangeExample], draw: random.Random | None) -> list[list[ChangeExample]]:
        """See `TrainingData`; a batch has no more pairs than `batch_size`, or one window."""
        order = list(examples)
        if draw is not None:
            draw.shuffle(order)
        batches: list[list[ChangeExample]] = []
        pairs = self._size
        for example in order:
            if pairs + example.size > self._size:
                batches.append([])
                pairs = 0
            batches[-1].append(example)
            pairs += example.size
        return batches

    def collate(self, examples: Sequence[ChangeExample]) -> ChangeBatch:
        """See `TrainingData`."""
        words = sum(len(example.states) for example in examples)
        first, rows = 0, 0
        pairs: list[PairTensors] = []
        known: dict[str, list[Tensor]] = {"values": [], "befores": [], "afters": []}
        for example in examples:
            count = len(example.states)
            for event in example.events:
                thing = event.pairs.thing
                # The things that texts need not name stand behind the words of all windows.
                placed = torch.where(thing < count, thing + first, thing - count + words)
                pairs.append(attrs.evolve(event.pairs, predicate=event.pairs.predicate + first, thing=placed))
                known["values"].append(event.values + torch.tensor([rows, 0]))
                for name in ("befores", "afters"):
                    own: Tensor = getattr(event, name) + rows
                    span = torch.tensor([rows, rows + len(thing)]).expand(len(own), 2)
                    known[name].append(torch.cat([own, span], dim=1))
                rows += len(thing)
            first += count
        events = [event for example in examples for event in example.events]
        return ChangeBatch(
            where=tuple(sorted({example.id for example in examples})),
            states=torch.cat([example.states for example in examples]).float(),
            pairs=PairTensors(*(torch.cat(column) for column in zip(*map(attrs.astuple, pairs), strict=True))),
            gold=torch.cat([event.gold for event in events]),
            values=torch.cat(known["values"]),
            befores=torch.cat(known["befores"]),
            afters=torch.cat(known["afters"]),
            events=len(events),
        )


class ChangeModule(TrainingModule):
    """Minimises the surprisal of which attributes change, of their values, and of the places in these."""

    network: ChangeNetwork

    def __init__(self, network: ChangeNetwork, settings: ChangeTrainingSettings, of_attribute: Tensor) -> None:
        super().__init__(network, settings)
        self.register_buffer("of_attribute", of_attribute, persistent=False)

    def loss(self, batch: ChangeBatch) -> Loss:
        """See `TrainingModule`; per event."""
        network = self.network
        words = network.words(batch.states)
        pairs, keys = network.pairs(words, batch.pairs), network.keys(words, batch.pairs)
        total = functional.binary_cross_entropy_with_logits(network.attributes(pairs), batch.gold, reduction="sum")
        if len(batch.values):
            row, number = batch.values.T
            of_attribute = self.of_attribute[:, number].float().argmax(dim=0)  # type: ignore[index]
            scores = network.values(pairs[row]).masked_fill(~self.of_attribute[of_attribute], -1e4)  # type: ignore[index]
            total = total + functional.cross_entropy(scores, number, reduction="sum") / 2
        for layer, known in ((network.before, batch.befores), (network.after, batch.afters)):
            if len(known):
                row, place, begin, end = known.T
                numbers = torch.arange(len(keys), device=keys.device)[None]
                is_other = (numbers < begin[:, None]) | (numbers >= end[:, None])
                scores = network.places(layer, pairs[row], keys).masked_fill(is_other, -1e4)
                total = total + functional.cross_entropy(scores, place, reduction="sum") / 2
        return Loss(total / batch.events, batch.events)


class ChangeTask:
    """Learns to generate state changes from the labelled passages that ship; see `TrainingTask`."""

    purpose = "state changes of events"
    licence = "CC-BY-NC-SA-3.0"
    """That of the reader, over whose states it is trained."""

    def __init__(self, name: str, limit: int | None = None) -> None:
        self.name = name
        self.reader: Reader = load("reader", DEFAULT)
        texts = list(labelled_texts())[:limit]
        self.split = split(texts, lambda text: text.id)
        self.vocabulary = vocabulary_of(self.split.train)
        if not self.vocabulary.values:
            raise InputError("no value of a change is seen often enough", remedy="give a larger --limit")
        content = json.dumps([attrs.asdict(text) for text in texts], default=str)
        self._reader_digest = describe(DEFAULT, "reader").digest
        self.inputs = {"texts": hashlib.sha256(content.encode()).hexdigest(), "reader": self._reader_digest}

    def prepare(self, settings: ChangeTrainingSettings) -> tuple[ChangeModule, ChangeData]:
        """See `TrainingTask`."""
        sizes = ChangeSizes(
            state=len(STATE_LAYERS) * self.reader.size,
            inner=settings.inner,
            attributes=len(self.vocabulary.attributes),
            values=len(self.vocabulary.values),
            unnamed=len(UNNAMED),
        )
        network = ChangeNetwork(sizes, settings.dropout)
        of_attribute = torch.from_numpy(self.vocabulary.of_attribute())
        return ChangeModule(network, settings, of_attribute), self._data(settings)

    def _data(self, settings: ChangeTrainingSettings) -> ChangeData:
        train, held_out = (self._examples(texts, settings) for texts in (self.split.train, self.split.held_out))
        return ChangeData(Split(train, held_out), settings)

    def _examples(self, texts: Sequence[ChangeText], settings: ChangeTrainingSettings) -> list[ChangeExample]:
        examples = []
        windows = self.reader.states([text.text for text in texts])
        maker = _ExampleMaker(self.vocabulary, settings.seed)
        for text, own in zip(texts, windows, strict=True):
            for window in own:
                events = [maker.example(text, event, window) for event in text.events if window.is_for(event.predicate)]
                if events:
                    examples.append(ChangeExample(text.id, torch.from_numpy(window.layers).half(), events))
        return examples

    def checkpoint(self, module: ChangeModule, settings: ChangeTrainingSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        stored = {
            "inner": settings.inner,
            "reader_sha256": self._reader_digest,
            "calibration": {"bias": settings.bias, "attribute": settings.slope, "value": settings.value_slope},
        }
        tensors = with_scales({name: value.cpu().numpy() for name, value in module.network.state_dict().items()})
        vocabulary = json.dumps(attrs.asdict(self.vocabulary), ensure_ascii=False, indent=0) + "\n"
        return Checkpoint(
            kind=KIND, settings=stored, tensors=tensors, card=card, files={VOCABULARY: vocabulary.encode()}
        )


def vocabulary_of(texts: Sequence[ChangeText], least: int = 4) -> ChangeVocabulary:
    """The attributes and values that are seen at least so often, the most frequent first."""
    counts = Counter(
        (change.attribute, change.before[0], change.after[0])
        for text in texts
        for event in text.events
        for change in event.changes
        if change.before[0] and change.after[0]
    )
    values = tuple(value for value, count in counts.most_common() if count >= least)
    return ChangeVocabulary(tuple(sorted({attribute for attribute, _, _ in values})), values, UNNAMED)


class _ExampleMaker:
    """Makes examples of events, by a vocabulary."""

    def __init__(self, vocabulary: ChangeVocabulary, seed: int) -> None:
        self._attributes = {name: number for number, name in enumerate(vocabulary.attributes)}
        self._values = {value: number for number, value in enumerate(vocabulary.values)}
        # The most frequent value with the same state afterwards stands in for one that is rare.
        self._by_after: dict[tuple[str, str], int] = {}
        for (attribute, _, after), number in self._values.items():
            self._by_after.setdefault((attribute, after), number)
        self._names = vocabulary.values
        self._draw = random.Random(seed)

    def example(self, text: ChangeText, event: ChangeEvent, window: WindowStates) -> EventExample:
        first, count, total = window.window.first, len(window.window.spans), text.text.words

        def placed(thing: int | None) -> int | None:
            """The place among the words of the window and, behind them, the things that need no name."""
            if thing is None or thing >= total:
                return None if thing is None else thing - total + count
            return thing - first if window.has(thing) else None

        changes = [(place, change) for change in event.changes if (place := placed(change.thing)) is not None]
        named = {place for place, _ in changes}
        named |= {place for _, change in changes for _, own in (change.before, change.after)
                  if (place := placed(own)) is not None}  # fmt: skip
        roles = window.roles(event.predicate)
        likely = np.flatnonzero(1 - roles[:, 0] >= _UNLIKELY).tolist()
        others = sorted(set(range(count)) - set(likely))
        self._draw.shuffle(others)
        left_out = {thing - first for thing in event.unknown} | {event.predicate - first}
        things = sorted(place for place in {*likely, *others[:_OTHERS], *named} - left_out if place < count)
        at = {place: row for row, place in enumerate([*things, *range(count, count + len(UNNAMED))])}
        pairs = PairTensors.of(Pairs.of(roles, event.predicate - first, things, count, len(UNNAMED)))
        gold = torch.zeros(len(at), len(self._attributes))
        known: dict[str, list[tuple[int, int]]] = {"values": [], "befores": [], "afters": []}
        for place, change in changes:
            number = self._attributes.get(change.attribute)
            if place not in at or number is None:
                continue
            row = at[place]
            gold[row, number] = max(float(gold[row, number]), change.share)
            value = self._value(change.attribute, change.before[0], change.after[0])
            if value is None:
                continue
            known["values"].append((row, value))
            for name, template, (_, own) in (
                ("befores", self._names[value][1], change.before),
                ("afters", self._names[value][2], change.after),
            ):
                if SLOT in template and (other := at.get(placed(own) if own is not None else -1)) is not None:
                    known[name].append((row, other))
        tensors = {name: torch.tensor(own, dtype=torch.int64).reshape(-1, 2) for name, own in known.items()}
        return EventExample(pairs=pairs, gold=gold, **tensors)

    def _value(self, attribute: str, before: str, after: str) -> int | None:
        exact = self._values.get((attribute, before, after))
        return exact if exact is not None else self._by_after.get((attribute, after))
