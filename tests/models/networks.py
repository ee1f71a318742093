"""Small networks with random weights, and texts for them."""

from __future__ import annotations

import random

import attrs
import torch

from kgscripts.models.cloze import Cloze
from kgscripts.reproductions.kidscook.networks.left_context import LeftContextModel, TransducerModel
from kgscripts.reproductions.kidscook.networks.networks import make_network
from kgscripts.reproductions.kidscook.networks.recurrent import (
    LanguageModelSettings,
    SequenceToSequenceSettings,
    TransducerSettings,
)
from kgscripts.reproductions.kidscook.networks.transducer import Transducer
from kgscripts.reproductions.kidscook.networks.vocabulary import Vocabulary

WORDS = ("chop", "the", "garlic", "use", "a", "knife", "on", "board", "with", "care", "and", "salt", ".")
VOCABULARY = Vocabulary(("#UNK#", "<PAD>", "<S>", *WORDS))

SIZES = {"embedding_size": 6, "hidden_size": 8, "emission_hidden": 5}
SETTINGS: dict[str, LanguageModelSettings] = {
    "language-model": LanguageModelSettings(**SIZES),  # type: ignore[arg-type]
    "seq2seq": SequenceToSequenceSettings(**SIZES),  # type: ignore[arg-type]
    "seq2seq-bidirectional": SequenceToSequenceSettings(bidirectional=True, **SIZES),  # type: ignore[arg-type]
    "seq2seq-attention": SequenceToSequenceSettings(attention=True, **SIZES),  # type: ignore[arg-type]
    "transducer-fixed": TransducerSettings(**SIZES),  # type: ignore[arg-type]
    "transducer-uneven": TransducerSettings(shift_probability=0.2, **SIZES),  # type: ignore[arg-type]
    "transducer-parameterised": TransducerSettings(transitions="parameterised", **SIZES),  # type: ignore[arg-type]
    "transducer-bidirectional": TransducerSettings(bidirectional=True, **SIZES),  # type: ignore[arg-type]
}
TRANSDUCERS = [name for name in SETTINGS if name.startswith("transducer")]


def model(name: str, seed: int = 0, scale: float = 2.0) -> LeftContextModel:
    """A cloze model with random weights, larger than usual so that its choices are clear."""
    torch.manual_seed(seed)
    network = make_network(SETTINGS[name], VOCABULARY)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
    if isinstance(network, Transducer):
        return TransducerModel(name, network, VOCABULARY)
    return LeftContextModel(name, network, VOCABULARY)


def transducer(name: str, seed: int = 0) -> TransducerModel:
    """A transducer with random weights."""
    made = model(name, seed, scale=3.0)
    assert isinstance(made, TransducerModel)
    return made


def text(draw: random.Random, shortest: int, longest: int) -> tuple[str, ...]:
    """Random words, some of them unknown."""
    return tuple(draw.choice((*WORDS, "zarf")) for _ in range(draw.randint(shortest, longest)))


def clozes(draw: random.Random, pairs: int) -> list[Cloze]:
    """A query for each token of some blanks of random pairs, all earlier words known, in random order."""
    queries = []
    for _ in range(pairs):
        abstract, concrete = text(draw, 1, 5), text(draw, 1, 7)
        for _ in range(3):
            start = draw.randrange(len(concrete))
            for position in range(start, min(start + draw.randint(1, 3), len(concrete))):
                hidden = tuple(place >= position for place in range(len(concrete)))
                queries.append(Cloze(abstract, concrete, hidden, position))
    draw.shuffle(queries)
    return queries


def on_its_own(query: Cloze) -> Cloze:
    """The same query without anything right of it."""
    return attrs.evolve(
        query, concrete=(*query.concrete[: query.position], "_"), hidden=query.hidden[: query.position + 1]
    )
