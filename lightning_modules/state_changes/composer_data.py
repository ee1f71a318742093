"""Steps with the parts of their changes, as the composer learns them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import torch
from attrs import evolve, frozen
from torch import Tensor

from kgscripts.models.changes.inputs import StepBatch, StepInput, batch_of
from kgscripts.models.changes.network import KIND_OF_PART, MOST_COUNTED, PARTS, POINTED
from kgscripts.models.changes.vocabulary import ChangeVocabulary, split_value
from lightning_modules.data import Split, TrainingBatch, TrainingData
from lightning_modules.task_settings import ComposerTrainingSettings
from schemas.changes import Change

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
    found = []
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
        found.append(ComposedChange(tuple(texts), tuple(pointed)))
    return found


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
