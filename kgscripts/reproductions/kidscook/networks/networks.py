"""The word-level networks by kind: from settings, and from and to checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.reproductions.kidscook.networks.language_model import LanguageModel
from kgscripts.reproductions.kidscook.networks.left_context import LeftContextModel, TransducerModel
from kgscripts.reproductions.kidscook.networks.recurrent import PairNetwork
from kgscripts.reproductions.kidscook.networks.sequence_to_sequence import SequenceToSequence
from kgscripts.reproductions.kidscook.networks.settings import (
    LanguageModelSettings,
    SequenceToSequenceSettings,
    TransducerSettings,
)
from kgscripts.reproductions.kidscook.networks.transducer import Transducer
from kgscripts.reproductions.kidscook.networks.vocabulary import Vocabulary
from kgscripts.settings import settings_from
from schemas.errors import ConfigurationError

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
    if isinstance(settings, SequenceToSequenceSettings):
        return SequenceToSequence(settings, size, start, vectors)
    return LanguageModel(settings, size, start, vectors)


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
    network.load_state_dict(dict(checkpoint.tensors))
    if isinstance(network, Transducer):
        return TransducerModel(checkpoint.card.name, network, vocabulary)
    return LeftContextModel(checkpoint.card.name, network, vocabulary)
