"""The network of the generator: pairs of an event and a thing -> attributes that change, their values, and places.

It reads the states that the reader's encoder gives to words, of several layers: the last ones know the sentence, the
first one the word alone. The encoder is not trained.
"""

from __future__ import annotations

import attrs
import torch
from attrs import frozen
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.changes.heads import DISTANCES, ROLES, SCALE, ChangeSizes, Pairs
from kgscripts.reproductions.torch_networks.inference import TensorFields


@frozen(eq=False)
class WordTensors:
    """See `kgscripts.models.changes.heads.Words`."""

    predicates: Tensor
    things: Tensor
    places: Tensor


@frozen(eq=False)
class PairTensors(TensorFields):
    """See `kgscripts.models.changes.heads.Pairs`."""

    predicate: Tensor
    thing: Tensor
    roles: Tensor
    apart: Tensor

    @classmethod
    def of(cls, pairs: Pairs) -> PairTensors:
        """The same pairs."""
        return cls(*(torch.from_numpy(part) for part in attrs.astuple(pairs, recurse=False)))


class ChangeNetwork(nn.Module):
    """Events and things -> scores of attributes, of values and of the places in them, as
    `kgscripts.models.changes.heads` computes them."""

    def __init__(self, sizes: ChangeSizes, dropout: float = 0.25) -> None:
        super().__init__()
        inner, state_size = sizes.inner, sizes.state
        self.norm = nn.LayerNorm(state_size)
        self.unnamed = nn.Parameter(torch.randn(sizes.unnamed, state_size) / 2)
        self.predicate, self.thing = nn.Linear(state_size, 2 * inner), nn.Linear(state_size, 2 * inner)
        self.place = nn.Linear(state_size, inner)
        self.role, self.place_role = nn.Linear(ROLES, inner), nn.Linear(ROLES, inner)
        self.distance = nn.Embedding(DISTANCES, inner)
        self.middle, self.last = nn.Linear(inner, inner), nn.LayerNorm(inner)
        self.attributes, self.values = nn.Linear(inner, sizes.attributes), nn.Linear(inner, sizes.values)
        self.before, self.after = nn.Linear(inner, inner), nn.Linear(inner, inner)
        self.dropout, self.input_dropout = nn.Dropout(dropout), nn.Dropout(0.1)
        # Few things change: training begins there.
        nn.init.constant_(self.attributes.bias, -5.0)

    def words(self, states: Tensor) -> WordTensors:
        """The words with these states, (words, state size), and behind them the things that a text need not name."""
        own = self.input_dropout(self.norm(torch.cat([states, self.unnamed])))
        return WordTensors(self.predicate(own), self.thing(own), self.place(own))

    def pairs(self, words: WordTensors, pairs: PairTensors) -> Tensor:
        """The states of pairs, (pairs, inner)."""
        acting, gate = words.predicates[pairs.predicate].chunk(2, dim=-1)
        acted, gated = words.things[pairs.thing].chunk(2, dim=-1)
        joined = functional.gelu(acting + acted + gate * gated + self.role(pairs.roles) + self.distance(pairs.apart))
        joined = self.dropout(joined)
        states: Tensor = self.last(joined + self.dropout(functional.gelu(self.middle(joined))))
        return states

    def keys(self, words: WordTensors, pairs: PairTensors) -> Tensor:
        """What things are as places of values, (pairs, inner), to be compared by `places`."""
        keys: Tensor = words.places[pairs.thing] + self.place_role(pairs.roles)
        return keys

    def places(self, layer: nn.Linear, pairs: Tensor, keys: Tensor) -> Tensor:
        """Scores of places, of `before` or `after`, (pairs, keys)."""
        scores: Tensor = layer(pairs) @ keys.T / SCALE
        return scores
