"""The encoder of steps: MiniLM's lower layers with low-rank adapters (Hu et al. 2022).

It was trained so that the vectors of different wordings of one step are close, and those of other steps of the same
scenario are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

from kgscripts.models.adapters import adapted, split_adapters
from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint, load_checkpoint
from kgscripts.models.encoder import Encoder, shared_minilm
from kgscripts.models.registry import find_checkpoint
from kgscripts.models.sentence_vectors import quantised_vectors

KIND = "step-encoder"
ADAPTERS = ("down.{}", "up.{}")
"""The names of the tensors of adapters in checkpoints."""

_ENCODER = "encoder"
_MINILM = "encoder_sha256"
_count = [validators.instance_of(int), validators.ge(1)]


@frozen(kw_only=True)
class StepEncoderSettings:
    """The number of layers of MiniLM that are kept, and the rank of their adapters."""

    layers: int = field(validator=_count)
    rank: int = field(validator=_count)


@frozen(eq=False)
class StepEncoder:
    """Gives the vectors of steps. `adapters` are trained, with their names in checkpoints."""

    settings: StepEncoderSettings
    adapters: Mapping[str, NDArray[Any]]
    _encoder: Encoder

    @classmethod
    def of(cls, settings: StepEncoderSettings, adapters: Mapping[str, NDArray[Any]]) -> StepEncoder:
        """MiniLM with these adapters. Raises ValueError if they do not fit, ModelError if MiniLM cannot be found."""
        minilm = shared_minilm()
        if settings.layers > minilm.depth:
            raise ValueError(f"{settings.layers} layers; MiniLM has {minilm.depth}")
        down, up, _ = split_adapters(adapters, ADAPTERS)
        weights = adapted(minilm.lower(settings.layers), down, up, settings.rank)
        return cls(settings, adapters, minilm.with_weights(weights))

    def to(self, device: str) -> StepEncoder:
        """This encoder, whose network is moved to another device."""
        return attrs.evolve(self, encoder=self._encoder.to(device))

    def __call__(self, texts: Sequence[str]) -> NDArray[np.int8]:
        """The vectors of texts as `quantised_vectors` gives them."""
        return quantised_vectors(texts, self._encoder)

    def stored_settings(self) -> dict[str, Any]:
        """The settings that describe this encoder in checkpoints."""
        return {_ENCODER: attrs.asdict(self.settings), _MINILM: shared_minilm().digest}


def encoder_checkpoint(encoder: StepEncoder, card: ModelCard) -> Checkpoint:
    """The checkpoint of an encoder alone."""
    return Checkpoint(kind=KIND, settings=encoder.stored_settings(), tensors=encoder.adapters, card=card)


@from_checkpoint
def encoder_model(checkpoint: Checkpoint) -> StepEncoder:
    """The encoder of a checkpoint, of its own or of a model that merges steps.

    Raises ModelError if its parts do not fit together, or MiniLM is another one.
    """
    settings = StepEncoderSettings(**checkpoint.settings[_ENCODER])
    digest = checkpoint.settings[_MINILM]
    others = split_adapters(checkpoint.tensors, ADAPTERS)[2]
    adapters = {name: value for name, value in checkpoint.tensors.items() if name not in others}
    encoder = StepEncoder.of(settings, adapters)
    shared_minilm().check(digest)
    return encoder


def read_encoder(name_or_directory: str | Path) -> StepEncoder:
    """The encoder in a checkpoint of an encoder or of a model that merges steps, by the names of `find_checkpoint`.

    Raises ModelError if there is no such checkpoint, or it has no encoder.
    """
    return encoder_model(load_checkpoint(find_checkpoint(name_or_directory, "steps")))
