"""Baselines: sequence to sequence (Sutskever et al. 2014), without and with attention (Luong et al. 2015)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from kgscripts.reproductions.kidscook.networks.pair_batch import PairBatch
from kgscripts.reproductions.kidscook.networks.recurrent import AbstractEncoder, PairNetwork, WordOutput
from kgscripts.reproductions.kidscook.networks.settings import SequenceToSequenceSettings


class SequenceToSequence(PairNetwork):
    """The decoder starts from the encoder's last state. Parameters as `PairNetwork`.

    With attention, a word is predicted from the decoder's state and the mean of the encoder's states under
    softmax(d W e) (Luong's "general" score); the context is not fed back to the decoder.
    """

    def __init__(
        self, settings: SequenceToSequenceSettings, vocabulary_size: int, start: int, vectors: Tensor | None = None
    ) -> None:
        super().__init__(settings, vocabulary_size, start, vectors)
        size = settings.hidden_size
        self.encoder = AbstractEncoder(settings, bidirectional=settings.bidirectional)
        self.attention = nn.Linear(size, size) if settings.attention else None
        self.output = WordOutput(2 * size if settings.attention else size, settings, vocabulary_size)

    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """See `PairNetwork`."""
        return self.output.log_likelihood(self._states(batch)[:, :-1], batch)

    def next_word(self, batch: PairBatch, rows: Tensor, positions: Tensor) -> Tensor:
        """See `PairNetwork`."""
        logits: Tensor = self.output(self._states(batch)[rows, positions])
        return logits

    def _states(self, batch: PairBatch) -> Tensor:
        """The states from which words are predicted, (batch, concrete + 1, hidden or twice that with attention)."""
        encoded = self.encoder(self.embedding(batch.abstract), batch.abstract_lengths)
        decoded = self.decode(batch.concrete, encoded.last)
        if self.attention is None:
            return decoded
        scores = self.attention(decoded) @ encoded.states.transpose(1, 2)
        weights = scores.masked_fill(~batch.abstract_mask[:, None, :], float("-inf")).softmax(dim=2)
        return torch.cat([decoded, weights @ encoded.states], dim=2)
