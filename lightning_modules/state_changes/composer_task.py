"""The training task of the composer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import attrs
import torch

from kgscripts.models.changes.composer import ComposerSettings, composer_checkpoint
from kgscripts.models.changes.inputs import step_inputs
from kgscripts.models.changes.neighbours import KnownSteps
from kgscripts.models.changes.network import KINDS, ChangeNetwork, NetworkSize
from kgscripts.models.changes.vocabulary import SLOT, ChangeVocabulary, plain
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.encoder import load_encoder
from kgscripts.models.sentence_vectors import SIZE, quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from kgscripts.reproductions.openpi.reading import OpenPIStep
from lightning_modules.configuration import Configuration
from lightning_modules.data import Split, split
from lightning_modules.state_changes.composer_data import ComposerData, ComposerExample, composed
from lightning_modules.state_changes.composer_module import ComposerModule
from lightning_modules.state_changes.settings import ComposerTrainingSettings
from lightning_modules.state_changes.steps import steps_digest
from schemas.changes import Change, ProcedureStep
from schemas.errors import InputError


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
        self._steps = steps
        self._vocabulary = ChangeVocabulary((), (), (), ())

    @property
    def inputs(self) -> Mapping[str, Any]:
        """See `TrainingTask`."""
        return {"steps": steps_digest(self._steps), "no_change": no_change_steps()}

    def prepare(self, settings: ComposerTrainingSettings) -> tuple[ComposerModule, ComposerData]:
        """See `TrainingTask`."""
        encoder = load_encoder()
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
                    for step, item, own in zip(part, items, found, strict=True)
                ]
                for part, items, found in zip(parts, read, changes, strict=True)
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
