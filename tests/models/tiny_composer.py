"""A composer of a few texts, a tiny network and one block of MiniLM."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cache

import attrs
import pytest
import torch
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.sentence_vectors import SIZE
from kgscripts.reproductions.openpi.composer import composer as change_composer
from kgscripts.reproductions.openpi.composer.composer import ComposerSettings, composer_checkpoint
from kgscripts.reproductions.openpi.composer.neighbours import KnownSteps
from kgscripts.reproductions.openpi.composer.network import KINDS, ChangeNetwork, NetworkSize
from kgscripts.reproductions.openpi.composer.selection import SelectionSettings
from kgscripts.reproductions.openpi.composer.vocabulary import ChangeVocabulary
from kgscripts.reproductions.torch_networks.adapters import layer_weights
from kgscripts.reproductions.torch_networks.bert import Bert, BertEncoder, load_bert
from schemas.changes import Change

VOCABULARY = ChangeVocabulary(
    entities=("egg", "pan", "you"),
    attributes=("location", "wetness"),
    phrases=("dry", "wet", "in @"),
    fillers=("pan", "bowl"),
)
TEXTS = ("Wash the eggs in a bowl.", "Put the pan onto the stove.", "Wait until the bell rings.")
CHANGES = (
    (
        Change(entity="eggs", attribute="wetness", before="dry", after="wet"),
        Change(entity="eggs", attribute="location", before="in box", after="in bowl"),
    ),
    (Change(entity="pan", attribute="location", before="in cupboard", after="on stove"),),
    (),
)
SETTINGS = ComposerSettings(
    size=16, layers=1, rank=3, neighbours=3, selection=SelectionSettings(drawn_sets=16, no_change=0.9)
)
CARD = ModelCard(name="tiny", version="1", task="state changes", licence="MIT", data="three steps", command="")


def small_minilm() -> BertEncoder:
    """MiniLM without all but its first block."""
    encoder = _minilm()
    # The embeddings, which nothing changes, are not copied.
    network = deepcopy(encoder.network, {id(encoder.network.embeddings): encoder.network.embeddings}).train(False)
    return attrs.evolve(encoder, network=network)


@cache
def _minilm() -> BertEncoder:
    encoder = load_bert()
    encoder.network.encoder.layer = encoder.network.encoder.layer[:1]
    return encoder


def read_small_minilm(patch: pytest.MonkeyPatch, *modules: object) -> None:
    """Let modules load `small_minilm` as MiniLM."""
    for module in (change_composer, *modules):
        patch.setattr(module, "load_bert", small_minilm)


def network(vocabulary: ChangeVocabulary = VOCABULARY, *, vectors: bool = False, seed: int = 0) -> ChangeNetwork:
    """A network with random weights that are large enough to prefer some changes."""
    torch.manual_seed(seed)
    texts = [len(getattr(vocabulary, kind)) for kind in KINDS]
    meanings = [torch.randn(count, SIZE) for count in texts] if vectors else None
    made = ChangeNetwork(texts, NetworkSize(16, 1), vectors=meanings).eval()
    with torch.no_grad():
        for name, weight in made.named_parameters():
            if "norm" not in name:
                weight.add_(torch.randn_like(weight) * (0.05 if SIZE in weight.shape else 0.5))
    return made


def trained_weights(encoder: Bert) -> Mapping[str, Tensor]:
    """The weights of the encoder after a change of rank two, as if by training."""
    draw = torch.Generator().manual_seed(3)
    return {
        name: weight
        + 0.02 * torch.randn(len(weight), 2, generator=draw) @ torch.randn(2, weight.shape[1], generator=draw)
        for name, weight in layer_weights(encoder).items()
    }


def checkpoint() -> Checkpoint:
    """Call it with `read_small_minilm`."""
    known = KnownSteps.of(TEXTS, CHANGES)
    trained = trained_weights(small_minilm().network)
    return composer_checkpoint(network(vectors=True), VOCABULARY, known, SETTINGS, CARD, trained)
