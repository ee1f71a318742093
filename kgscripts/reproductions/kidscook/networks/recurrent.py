"""Word vectors, encoder and decoder, which all networks over pairs share (KidsCook, section 3 and appendix A.1)."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from attrs import field, frozen, validators
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from kgscripts.reproductions.kidscook.networks.vocabulary import PairBatch
from schemas.errors import ConfigurationError

_size = [validators.instance_of(int), validators.ge(1)]
_share = [validators.instance_of(float), validators.ge(0.0), validators.lt(1.0)]
_flag = validators.instance_of(bool)


@frozen(kw_only=True)
class LanguageModelSettings:
    """A decoder alone; the defaults are those of the released system."""

    embedding_size: int = field(default=100, validator=_size)
    """Size of the word vectors, that of GloVe's vectors if these are used."""
    train_embeddings: bool = field(default=False, validator=_flag)
    """Whether the word vectors are trained, too."""
    hidden_size: int = field(default=128, validator=_size)
    """Size of the LSTM states."""
    emission_hidden: int = field(default=100, validator=_size)
    """Size of the hidden layer before the vocabulary."""
    dropout: float = field(default=0.5, validator=_share)
    """Share of the hidden layers' units that training drops."""


@frozen(kw_only=True)
class SequenceToSequenceSettings(LanguageModelSettings):
    """Encoder and decoder."""

    bidirectional: bool = field(default=False, validator=_flag)
    """Whether the encoder reads both ways; its states are projected back to `hidden_size`."""
    attention: bool = field(default=False, validator=_flag)
    """Whether words are predicted from an attention context too (Luong et al. 2015, "general")."""


@frozen(kw_only=True)
class TransducerSettings(LanguageModelSettings):
    """Encoder, decoder and latent monotonic alignments."""

    bidirectional: bool = field(default=False, validator=_flag)
    """Whether the encoder reads both ways; its states are projected back to `hidden_size`."""
    transitions: str = field(default="fixed", validator=validators.in_(("fixed", "parameterised")))
    """Whether the shift probability is one number or a network's (appendix A.1)."""
    shift_probability: float = field(
        default=0.5, validator=[validators.instance_of(float), validators.gt(0.0), validators.lt(1.0)]
    )
    """The shift probability of fixed transitions."""


@frozen(eq=False)
class Encoded:
    """The abstract side: a state per token (batch, abstract, hidden) and the last state, h and c (1, batch, hidden)."""

    states: Tensor
    last: tuple[Tensor, Tensor]


class AbstractEncoder(nn.Module):
    """LSTM over the abstract side, in one direction or in both with a projection back to the hidden size."""

    def __init__(self, settings: LanguageModelSettings, *, bidirectional: bool) -> None:
        super().__init__()
        hidden = settings.hidden_size
        self.lstm = nn.LSTM(settings.embedding_size, hidden, batch_first=True, bidirectional=bidirectional)
        self.projection = nn.Linear(2 * hidden, hidden) if bidirectional else nn.Identity()

    def forward(self, embedded: Tensor, lengths: Tensor) -> Encoded:
        """`embedded` (batch, abstract, embedding), `lengths` (batch,). The last state is the mean of the directions."""
        # Packed, so that the way back starts at the last token, and the last state is that of the last token.
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        output, (hidden, cell) = self.lstm(packed)
        states, _ = pad_packed_sequence(output, batch_first=True, total_length=embedded.shape[1])
        return Encoded(self.projection(states), (hidden.mean(0, keepdim=True), cell.mean(0, keepdim=True)))


class PairNetwork(nn.Module, ABC):
    """The common part of the networks: word vectors, frozen or not, and an LSTM over the concrete side.

    Parameters
    ----------
    settings:
        Sizes and dropout.
    vocabulary_size, start:
        Number of words and the id of the start symbol.
    vectors:
        (words, embedding) float32, such as GloVe's. Without them the vectors are random, and always trained.

    Raises
    ------
    ConfigurationError
        If `vectors` have another shape.
    """

    def __init__(
        self, settings: LanguageModelSettings, vocabulary_size: int, start: int, vectors: Tensor | None = None
    ) -> None:
        super().__init__()
        shape = (vocabulary_size, settings.embedding_size)
        if vectors is not None and vectors.shape != shape:
            raise ConfigurationError(f"word vectors of {tuple(vectors.shape)} where {shape} are wanted")
        self.start = start
        self.embedding = nn.Embedding(*shape)
        if vectors is not None:
            self.embedding.weight.data.copy_(vectors)
            self.embedding.weight.requires_grad_(settings.train_embeddings)
        self.decoder = nn.LSTM(settings.embedding_size, settings.hidden_size, batch_first=True)

    def decode(self, concrete: Tensor, first: tuple[Tensor, Tensor] | None = None) -> Tensor:
        """(batch, concrete) -> (batch, concrete + 1, hidden): state j has read the start symbol and j words.

        The decoder starts from the state `first`, or from zeros.
        """
        read = torch.nn.functional.pad(concrete, (1, 0), value=self.start)
        states: Tensor = self.decoder(self.embedding(read), first)[0]
        return states

    @abstractmethod
    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """log p(concrete | abstract) in nats, (batch,)."""

    @abstractmethod
    def next_word(self, batch: PairBatch, rows: Tensor, positions: Tensor) -> Tensor:
        """Unnormalised log probabilities of the words at (row, position), (queries, words).

        They are conditioned on the words of the row before the position. `rows` and `positions` are (queries,) int64.
        """


class WordOutput(nn.Module):
    """Unnormalised log probabilities of words from states: linear, relu, dropout, linear."""

    def __init__(self, size: int, settings: LanguageModelSettings, vocabulary_size: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(size, settings.emission_hidden),
            nn.ReLU(),
            nn.Dropout(settings.dropout),
            nn.Linear(settings.emission_hidden, vocabulary_size),
        )

    def forward(self, states: Tensor) -> Tensor:
        """(..., size) -> (..., words)."""
        logits: Tensor = self.layers(states)
        return logits

    def log_likelihood(self, states: Tensor, batch: PairBatch) -> Tensor:
        """Sum of the log probabilities of each pair's concrete words, (batch,), from (batch, concrete, size)."""
        # Padding is left out before the product with the vocabulary, which takes most of the time.
        mask = batch.concrete_mask
        losses = torch.nn.functional.cross_entropy(self(states[mask]).float(), batch.concrete[mask], reduction="none")
        words = torch.zeros(mask.shape, dtype=losses.dtype, device=losses.device)
        return -words.masked_scatter(mask, losses).sum(dim=1)
