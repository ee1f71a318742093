"""The steps that models of state changes are trained on, and retrieval, which is these steps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.openpi.composer.neighbours import KnownSteps
from kgscripts.reproductions.openpi.reading import OpenPIStep, read_openpi
from kgscripts.reproductions.openpi.retrieval import RetrievalSettings, retrieval_checkpoint


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
