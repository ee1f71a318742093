"""The checkpoint of retrieval: the training steps themselves."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.models.changes.neighbours import KnownSteps
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.reproductions.openpi.reading import OpenPIStep
from kgscripts.reproductions.openpi.retrieval import RetrievalSettings, retrieval_checkpoint


def build_retrieval(steps: Sequence[OpenPIStep], settings: RetrievalSettings, card: ModelCard) -> Checkpoint:
    """The checkpoint of steps with their changes; sentences that are no state change are left out.

    Takes about a minute for OpenPI's 3,216 steps on one core. Raises ModelError if MiniLM cannot be found.
    """
    changes = [[answer.change for answer in step.answers if answer.change is not None] for step in steps]
    return retrieval_checkpoint(KnownSteps.of([step.text for step in steps], changes), settings, card)
