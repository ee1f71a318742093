"""The protocol of models of state changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from schemas.changes import PredictedChange, ProcedureStep
from schemas.provenance import Model


class ChangeModel(Protocol):
    """Predicts which attributes of which entities a step of a procedure changes (OpenPI, Tandon et al. 2020)."""

    model: Model
    """Its provenance, for the statements of a graph."""

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        """The changes of each step, most probable first; an empty list for a step that changes nothing.

        The models of kgscripts also take ``predict(["Boil the water in a pot."])``: a string is a step without earlier
        steps and title.

        Steps are run in batches of a fixed size, so that memory does not grow with their number. Of long texts, a model
        uses a part, such as the beginning of the step and the end of the context.
        """
