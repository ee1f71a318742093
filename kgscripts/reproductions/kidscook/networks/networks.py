"""The word-level networks by kind: the baselines, and all from settings, and from and to checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import torch
from torch import Tensor, nn

from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.reproductions.kidscook.networks.left_context import LeftContextModel, TransducerModel
from kgscripts.reproductions.kidscook.networks.recurrent import (
    AbstractEncoder,
    LanguageModelSettings,
    PairNetwork,
    SequenceToSequenceSettings,
    TransducerSettings,
    WordOutput,
)
from kgscripts.reproductions.kidscook.networks.transducer import Transducer
from kgscripts.reproductions.kidscook.networks.vocabulary import PairBatch, Vocabulary
from kgscripts.settings import settings_from
from schemas.errors import ConfigurationError


class RecurrentNetwork(PairNetwork):
    """The baselines: a decoder alone, or one that starts from an encoder's last state. Parameters as `PairNetwork`.

    With attention, a word is predicted from the decoder's state and the mean of the encoder's states under
    softmax(d W e) (Luong's "general" score); the context is not fed back to the decoder.
    """

    def __init__(
        self, settings: LanguageModelSettings, vocabulary_size: int, start: int, vectors: Tensor | None = None
    ) -> None:
        super().__init__(settings, vocabulary_size, start, vectors)
        size = settings.hidden_size
        self.encoder: AbstractEncoder | None = None
        self.attention: nn.Linear | None = None
        if isinstance(settings, SequenceToSequenceSettings):
            self.encoder = AbstractEncoder(settings, bidirectional=settings.bidirectional)
            self.attention = nn.Linear(size, size) if settings.attention else None
        self.output = WordOutput(size if self.attention is None else 2 * size, settings, vocabulary_size)

    def log_likelihood(self, batch: PairBatch) -> Tensor:
        """See `PairNetwork`."""
        return self.output.log_likelihood(self._states(batch)[:, :-1], batch)

    def next_word(self, batch: PairBatch, rows: Tensor, positions: Tensor) -> Tensor:
        """See `PairNetwork`."""
        logits: Tensor = self.output(self._states(batch)[rows, positions])
        return logits

    def _states(self, batch: PairBatch) -> Tensor:
        """The states from which words are predicted, (batch, concrete + 1, hidden or twice that with attention)."""
        if self.encoder is None:
            return self.decode(batch.concrete)
        encoded = self.encoder(self.embedding(batch.abstract), batch.abstract_lengths)
        decoded = self.decode(batch.concrete, encoded.last)
        if self.attention is None:
            return decoded
        scores = self.attention(decoded) @ encoded.states.transpose(1, 2)
        weights = scores.masked_fill(~batch.abstract_mask[:, None, :], float("-inf")).softmax(dim=2)
        return torch.cat([decoded, weights @ encoded.states], dim=2)


VOCABULARY = "vocabulary.json"

SETTINGS: dict[str, type[LanguageModelSettings]] = {
    "language-model": LanguageModelSettings,
    "sequence-to-sequence": SequenceToSequenceSettings,
    "transducer": TransducerSettings,
}


def network_settings(kind: str, values: Mapping[str, Any], where: str) -> LanguageModelSettings:
    """Settings of a kind. Raises ConfigurationError for an unknown kind, an unknown name or an impossible value."""
    if kind not in SETTINGS:
        raise ConfigurationError(f"unknown kind {kind!r}", where=where, remedy=f"known are {', '.join(SETTINGS)}")
    return settings_from(SETTINGS[kind], values, where)


def make_network(settings: LanguageModelSettings, vocabulary: Vocabulary, vectors: Tensor | None = None) -> PairNetwork:
    """An untrained network of the kind that the settings define. Raises ConfigurationError for vectors of another
    shape."""
    size, start = len(vocabulary), vocabulary.start
    if isinstance(settings, TransducerSettings):
        return Transducer(settings, size, start, vectors)
    return RecurrentNetwork(settings, size, start, vectors)


def network_checkpoint(
    settings: LanguageModelSettings, tensors: Mapping[str, Tensor], vocabulary: Vocabulary, card: ModelCard
) -> Checkpoint:
    """The checkpoint of a trained network, in half precision; `tensors` are its state."""
    kind = next(kind for kind, cls in SETTINGS.items() if type(settings) is cls)
    files = {VOCABULARY: vocabulary.to_json().encode()}
    halved = {name: tensor.half() for name, tensor in tensors.items()}
    return Checkpoint(kind=kind, settings=attrs.asdict(settings), tensors=halved, card=card, files=files)


@from_checkpoint
def cloze_model(checkpoint: Checkpoint) -> LeftContextModel:
    """The trained network of a checkpoint. Raises ModelError if its parts do not fit together."""
    vocabulary = Vocabulary.from_json(checkpoint.files[VOCABULARY])
    network = make_network(network_settings(checkpoint.kind, checkpoint.settings, "config.json"), vocabulary)
    network.load_state_dict(dict(checkpoint.as_torch()))
    if isinstance(network, Transducer):
        return TransducerModel(checkpoint.card.name, network, vocabulary)
    return LeftContextModel(checkpoint.card.name, network, vocabulary)
