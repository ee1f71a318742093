"""The masked model from and to checkpoints: adapters and head alone, half precision; the encoder is found by name."""

from __future__ import annotations

import json

import torch

from kgscripts.models.checkpoint_directory import Checkpoint, ModelCard
from kgscripts.models.encoder import find_encoder, weights_digest
from kgscripts.models.masked import MaskedModel, MaskedNetwork, new_network
from schemas.errors import ModelError

KIND = "masked"
WORDS = "words.json"


def masked_checkpoint(network: MaskedNetwork, card: ModelCard, *, encoder: str, rank: int) -> Checkpoint:
    """The checkpoint of a network that was trained over the encoder of that name, with adapters of that rank."""
    return Checkpoint(
        kind=KIND,
        settings={"encoder": encoder, "encoder_sha256": weights_digest(find_encoder(encoder)), "rank": rank},
        tensors={name: value.to(torch.float16) for name, value in network.trained().items()},
        card=card,
        files={WORDS: (json.dumps(network.words, ensure_ascii=False) + "\n").encode()},
    )


def masked_model(checkpoint: Checkpoint) -> MaskedModel:
    """The model of a checkpoint, its adapters merged into the encoder.

    Raises ModelError where its parts do not fit together, or the encoder is missing or another one.
    """
    try:
        words = json.loads(checkpoint.files[WORDS])
        encoder, digest, rank = (checkpoint.settings[name] for name in ("encoder", "encoder_sha256", "rank"))
        if (found := weights_digest(find_encoder(encoder))) != digest:
            message = f"trained over another encoder than {encoder} is here ({found[:12]} instead of {digest[:12]})"
            raise ModelError(message, remedy="name the encoder's folder in config.json, or train the model again")
        network = new_network(words, [1.0] * (len(words) + 1), rank=rank, dropout=0.0, encoder=encoder)
        network.restore({name: value.float() for name, value in checkpoint.tensors.items()})
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"the weights do not fit the configuration: {error}", remedy="train the model again"
        ) from error
    network.merge()
    return MaskedModel(checkpoint.card.name, network)
