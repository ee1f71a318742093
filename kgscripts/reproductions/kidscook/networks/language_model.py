"""Baseline: a language model of the concrete side, which does not see the abstract one (KidsCook, section 3)."""

from __future__ import annotations

from torch import Tensor

from kgscripts.reproductions.kidscook.networks.pair_batch import PairBatch
from kgscripts.reproductions.kidscook.networks.recurrent import PairNetwork, WordOutput
from kgscripts.reproductions.kidscook.networks.settings import LanguageModelSettings


class LanguageModel(PairNetwork):
    """A decoder alone. Parameters as `PairNetwork`."""

    def __init__(
        self, settings: LanguageModelSettings, vocabulary_size: int, start: int, vectors: Tensor | None = None
    ) -> None:
        super().__init__(settings, vocabulary_size, start, vectors)
        self.output = WordOutput(settings.hidden_size, settings, vocabulary_size)

    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """See `PairNetwork`; the abstract side is not read."""
        return self.output.log_likelihood(self.decode(batch.concrete)[:, :-1], batch)

    def next_word(self, batch: PairBatch, rows: Tensor, positions: Tensor) -> Tensor:
        """See `PairNetwork`."""
        logits: Tensor = self.output(self.decode(batch.concrete)[rows, positions])
        return logits
