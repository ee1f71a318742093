"""The steps that models of state changes are trained on, retrieval, which is these steps, and the training task of
causal language models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from kgscripts.models.changes.neighbours import KnownSteps
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from kgscripts.reproductions.kidscook.networks.causal_loading import load_causal_model
from kgscripts.reproductions.openpi.causal import answer_pieces, change_causal_checkpoint, prompt_pieces
from kgscripts.reproductions.openpi.reading import OpenPIStep, read_openpi
from kgscripts.reproductions.openpi.retrieval import RetrievalSettings, retrieval_checkpoint
from lightning_modules.causal import CausalData, CausalModule, CausalText
from lightning_modules.configuration import Configuration
from lightning_modules.module import Split, split
from lightning_modules.task_settings import CausalChangeSettings
from schemas.changes import ProcedureStep


def build_retrieval(steps: Sequence[OpenPIStep], settings: RetrievalSettings, card: ModelCard) -> Checkpoint:
    """The checkpoint of steps with their changes; sentences that are no state change are left out.

    Takes about a minute for OpenPI's 3,216 steps on one core. Raises ModelError if MiniLM cannot be found.
    """
    changes = [[answer.change for answer in step.answers if answer.change is not None] for step in steps]
    return retrieval_checkpoint(KnownSteps.of([step.text for step in steps], changes), settings, card)


def read_steps(paths: Sequence[Path]) -> list[OpenPIStep]:
    """The steps of files or folders, without those of how-tos without any change, since they were not annotated.

    Raises InputError for files that cannot be read.
    """
    steps = [step for path in paths for step in read_openpi(path)]
    annotated = {step.procedure for step in steps if step.answers}
    return [step for step in steps if step.procedure in annotated]


def steps_digest(steps: Sequence[OpenPIStep]) -> str:
    """SHA-256 of the steps, their titles, contexts and changes."""
    texts = [
        (step.id, step.title, step.text, step.context, [answer.sentence for answer in step.answers]) for step in steps
    ]
    return sha256(json.dumps(texts).encode()).hexdigest()


class CausalChangeTask:
    """Fine-tunes a causal language model on steps with their changes; see `lightning_modules.training.TrainingTask`.

    A tenth of the procedures is held out. Raises InputError for too few. `prepare` raises ModelError if there is no
    such model, or it has no piece that ends a text.
    """

    purpose = "state changes of a step"
    licence = "terms of the pretrained model; OpenPI is under the MIT licence"

    def __init__(self, configuration: Configuration, steps: Sequence[OpenPIStep]) -> None:
        self.name = configuration.name
        self.split = split(steps, lambda step: step.procedure)
        self.inputs = {"steps": steps_digest(steps)}

    def prepare(self, settings: CausalChangeSettings) -> tuple[CausalModule, CausalData]:
        """See `TrainingTask`."""
        model = load_causal_model(settings.pretrained)
        parts = (self.split.train, self.split.held_out)
        texts = Split(*([step_text(step, model, settings.max_pieces) for step in part] for part in parts))
        return CausalModule(model, settings), CausalData(texts, settings)

    def checkpoint(self, module: CausalModule, settings: CausalChangeSettings, card: ModelCard) -> Checkpoint:
        """See `TrainingTask`."""
        return change_causal_checkpoint(module.model, settings.max_generated, card)


def step_text(step: OpenPIStep, model: CausalModel, most: int) -> CausalText:
    """The context and the step are read, the sentences of the changes predicted.

    What is longer than `most` pieces, or than the model can read, loses its beginning, as in the released code.
    """
    most = min(most, model.network.config.max_position_embeddings)
    prompt = prompt_pieces(model, ProcedureStep(text=step.text, context=step.context))
    answer = answer_pieces(model, [answer.sentence.strip(" .,") for answer in step.answers])[-(most - 1) :]
    return CausalText(prompt[-(most - len(answer)) :], answer, step.id)
