"""The segment transducer: a latent monotonic alignment between the two sides (KidsCook, appendix A; Yu et al. 2016)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from kgscripts.reproductions.kidscook.lattice.lattice import (
    Transitions,
    ViterbiPath,
    fixed_transitions,
    log_marginal,
    next_alignments,
    parameterised_transitions,
    transition_log_probability,
    viterbi,
)
from kgscripts.reproductions.kidscook.networks.emission import WordEmission
from kgscripts.reproductions.kidscook.networks.recurrent import AbstractEncoder, PairNetwork, TransducerSettings
from kgscripts.reproductions.kidscook.networks.vocabulary import PairBatch

_SCORES = 2**24
"""The most scores of words that are computed at once where alignments are summed over: 64 MiB."""


class Transducer(PairNetwork):
    """Each word is emitted from the state of one abstract token and the decoder's. Parameters as `PairNetwork`.

    Between words the alignment may shift to later tokens, with a fixed probability or with a network's
    (equations 4 to 6). The aligned state is not fed to the decoder, which starts from zeros.
    """

    def __init__(
        self, settings: TransducerSettings, vocabulary_size: int, start: int, vectors: Tensor | None = None
    ) -> None:
        super().__init__(settings, vocabulary_size, start, vectors)
        size = settings.hidden_size
        self.encoder = AbstractEncoder(settings, bidirectional=settings.bidirectional)
        self.emission = WordEmission(size, size, settings.emission_hidden, vocabulary_size, settings.dropout)
        self.shift = ShiftNetwork(size, settings.dropout) if settings.transitions == "parameterised" else None
        self._shift_probability = settings.shift_probability

    def lattice(self, batch: PairBatch) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """What the functions of `kgscripts.reproductions.kidscook.lattice.lattice` take of these pairs."""
        encoded, decoded = self._read(batch)
        transitions = self.transitions(encoded, decoded[:, :-1])
        emissions = self._emissions(encoded, decoded, batch)
        return emissions, transitions.shift, transitions.emit, batch.abstract_lengths, batch.concrete_lengths

    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """The marginal over all alignments whose last word is at the last abstract token (equation 7), (batch,)."""
        return log_marginal(*self.lattice(batch))

    @torch.no_grad()
    def viterbi(self, batch: PairBatch) -> ViterbiPath:
        """The best alignments and their log probabilities together with the words (appendix A.4)."""
        return viterbi(*self.lattice(batch))

    def path_log_likelihood(self, batch: PairBatch, path: Tensor) -> Tensor:
        """log p(concrete, path | abstract), (batch,), for `path` (batch, concrete) int64: hard EM (appendix A.3).

        The vocabulary is computed for the aligned cells alone.
        """
        encoded, decoded = self._read(batch)
        item, word = batch.concrete_mask.nonzero(as_tuple=True)
        with torch.autocast(encoded.device.type, enabled=False):
            emitted = self.emission.at(encoded, decoded[:, :-1], batch.concrete, (item, word, path[item, word]))
        words = emitted.new_zeros(path.shape).index_put((item, word), emitted)
        transitions = self.transitions(encoded, decoded[:, :-1])
        return words.sum(dim=1) + transition_log_probability(
            transitions.shift, transitions.emit, path, batch.abstract_lengths, batch.concrete_lengths
        )

    def next_word(self, batch: PairBatch, rows: Tensor, positions: Tensor) -> Tensor:
        """See `PairNetwork`: summed over all alignments of the words before, and over those of the next."""
        encoded, decoded = self._read(batch)
        transitions = self.transitions(encoded, decoded)
        lengths = batch.abstract_lengths, batch.concrete_lengths
        alignments = next_alignments(
            self._emissions(encoded, decoded, batch), transitions.shift, transitions.emit, *lengths
        )[rows, positions]
        at_once = max(1, _SCORES // (encoded.shape[1] * self.emission.vocabulary.out_features))
        mixtures = []
        for queries in torch.arange(len(rows), device=rows.device).split(at_once):  # type: ignore[no-untyped-call]
            states = encoded[rows[queries]], decoded[rows[queries], positions[queries]][:, None]
            words = self.emission.logits(*states).log_softmax(dim=2)
            mixtures.append((words + alignments[queries, :, None]).logsumexp(dim=1))
        return torch.cat(mixtures)

    def transitions(self, encoded: Tensor, decoded: Tensor) -> Transitions:
        """Log probabilities of shift and emit, broadcastable to (batch, concrete, abstract)."""
        if self.shift is not None:
            return parameterised_transitions(self.shift(encoded, decoded))
        fixed = fixed_transitions(self._shift_probability)
        return Transitions(shift=fixed.shift.to(encoded), emit=fixed.emit.to(encoded))

    def _read(self, batch: PairBatch) -> tuple[Tensor, Tensor]:
        """States (batch, abstract, hidden) of the encoder and (batch, concrete + 1, hidden) of the decoder."""
        encoded = self.encoder(self.embedding(batch.abstract), batch.abstract_lengths)
        # The lattice and the emission are functions of their own, outside of mixed precision.
        return encoded.states.float(), self.decode(batch.concrete).float()

    def _emissions(self, encoded: Tensor, decoded: Tensor, batch: PairBatch) -> Tensor:
        with torch.autocast(encoded.device.type, enabled=False):
            emissions: Tensor = self.emission(
                encoded, decoded[:, :-1], batch.concrete, batch.abstract_mask, batch.concrete_mask
            )
        return emissions


class ShiftNetwork(nn.Module):
    """Logits of shifting on from an abstract token (equation 5)."""

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        # A linear layer over [e; d], as two halves that are computed once a token instead of once a pair of tokens.
        self.from_encoded = nn.Linear(size, size)
        self.from_decoded = nn.Linear(size, size, bias=False)
        self.output = nn.Sequential(nn.ReLU(), nn.Dropout(dropout), nn.Linear(size, 1, bias=False))

    def forward(self, encoded: Tensor, decoded: Tensor) -> Tensor:
        """(batch, abstract, size), (batch, concrete, size) -> (batch, concrete, abstract)."""
        hidden = self.from_encoded(encoded)[:, None] + self.from_decoded(decoded)[:, :, None]
        logits: Tensor = self.output(hidden)[..., 0]
        return logits
