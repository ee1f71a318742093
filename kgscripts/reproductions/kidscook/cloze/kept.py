"""Answers of a slow cloze model that are kept, so that a stopped evaluation goes on from there."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from kgscripts.evaluation.finished import Finished, part_key
from kgscripts.models.cloze import Cloze, ClozeModel
from kgscripts.reproductions.kidscook.cloze.models import HUGGING_FACE, checkpoint_names

if TYPE_CHECKING:
    import torch


class KeptAnswers:
    """A cloze model without alignments that gives the answers of a stopped run again.

    They are kept by batch: probabilities depend a little on the batch that a question is in.
    """

    def __init__(self, model: ClozeModel, finished: Finished, *identity: object) -> None:
        self.name = model.name
        self.context: Literal["left", "both"] = model.context
        self._model = model
        self._finished = finished
        self._identity = identity
        """What decides the answers besides the questions."""

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        """See `ClozeModel`."""
        key = part_key(*self._identity, clozes, candidates)
        kept = self._finished.once(key, lambda: _packed(self._model.predict(clozes, candidates)))
        return _unpacked(kept).reshape(len(clozes), -1)

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> torch.Tensor | None:
        """See `ClozeModel`."""

        def packed() -> str | None:
            scores = self._model.score(abstract, concrete)
            return None if scores is None else _packed(scores)

        kept = self._finished.once(part_key(*self._identity, abstract, concrete), packed)
        return None if kept is None else _unpacked(kept)


def model_digests(name: str) -> list[str]:
    """The digests of the models of a name that `open_cloze_model` knows. Raises ModelError if there is none."""
    from kgscripts.models.registry import describe
    from kgscripts.reproductions.kidscook.networks.causal_base import find_pretrained

    return [
        find_pretrained(plain.removeprefix(HUGGING_FACE)).digest()
        if plain.startswith(HUGGING_FACE)
        else describe(plain).digest
        for plain in checkpoint_names(name)
    ]


def _packed(rows: torch.Tensor) -> str:
    return b64encode(rows.float().cpu().numpy().tobytes()).decode("ascii")


def _unpacked(kept: str) -> torch.Tensor:
    import torch

    return torch.from_numpy(np.frombuffer(b64decode(kept), np.float32).copy())
