"""The network of the generator: pairs of an event and a thing -> attributes that change, their values, and places.

It reads the states that the reader's encoder gives to words, of several layers: the last ones know the sentence, the
first one the word alone. The encoder is not trained.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from attrs import field, frozen, validators
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.reader.labels import GRAPH, PAIRS

ROLES = len(PAIRS[GRAPH]) + 1
"""The labels of the reader's pairs, and one for things that the text does not name."""

_FAR = 10
_UNNAMED = 2 * _FAR + 2
"""The number of the distance of a thing that the text does not name."""


@frozen(kw_only=True)
class ChangeSizes:
    """Sizes of the network."""

    inner: int = field(validator=[validators.instance_of(int), validators.ge(1)])
    attributes: int = field(validator=[validators.instance_of(int), validators.ge(1)])
    values: int = field(validator=[validators.instance_of(int), validators.ge(1)])
    unnamed: int = field(validator=[validators.instance_of(int), validators.ge(0)])


@frozen(eq=False)
class Words:
    """What words are as predicates, as things and as places: (words, 2 x inner) twice, and (words, inner)."""

    predicates: Tensor
    things: Tensor
    places: Tensor


class ChangeNetwork(nn.Module):
    """Events and things -> scores of attributes, of values and of the places in them."""

    def __init__(self, state_size: int, sizes: ChangeSizes, dropout: float = 0.25) -> None:
        super().__init__()
        inner = sizes.inner
        self.norm = nn.LayerNorm(state_size)
        self.unnamed = nn.Parameter(torch.randn(sizes.unnamed, state_size) / 2)
        self.predicate, self.thing = nn.Linear(state_size, 2 * inner), nn.Linear(state_size, 2 * inner)
        self.place = nn.Linear(state_size, inner)
        self.role, self.place_role = nn.Linear(ROLES, inner), nn.Linear(ROLES, inner)
        self.distance = nn.Embedding(_UNNAMED + 1, inner)
        self.middle, self.last = nn.Linear(inner, inner), nn.LayerNorm(inner)
        self.attributes, self.values = nn.Linear(inner, sizes.attributes), nn.Linear(inner, sizes.values)
        self.before, self.after = nn.Linear(inner, inner), nn.Linear(inner, inner)
        self.dropout, self.input_dropout = nn.Dropout(dropout), nn.Dropout(0.1)
        # Few things change: training begins there.
        nn.init.constant_(self.attributes.bias, -5.0)

    def words(self, states: Tensor) -> Words:
        """The words with these states, (words, state size), and behind them the things that a text need not name."""
        own = self.input_dropout(self.norm(torch.cat([states, self.unnamed])))
        return Words(self.predicate(own), self.thing(own), self.place(own))

    def pairs(self, words: Words, predicate: Tensor, thing: Tensor, roles: Tensor, apart: Tensor) -> Tensor:
        """The states of pairs, (pairs, inner).

        `predicate` and `thing` (pairs,) are numbers of words, `roles` (pairs, `ROLES`) the shares of the reader's
        labels, and `apart` (pairs,) numbers of distances (`distances`).
        """
        acting, gate = words.predicates[predicate].chunk(2, dim=-1)
        acted, gated = words.things[thing].chunk(2, dim=-1)
        joined = functional.gelu(acting + acted + gate * gated + self.role(roles) + self.distance(apart))
        joined = self.dropout(joined)
        states: Tensor = self.last(joined + self.dropout(functional.gelu(self.middle(joined))))
        return states

    def keys(self, words: Words, thing: Tensor, roles: Tensor) -> Tensor:
        """What things are as places of values, (pairs, inner), to be compared with `before` or `after` of pairs."""
        keys: Tensor = words.places[thing] + self.place_role(roles)
        return keys


def distances(words: Sequence[int], predicate: int, unnamed: int) -> Tensor:
    """The numbers of the distances of words, and of `unnamed` things behind them, from a predicate."""
    return torch.tensor([*(_distance(word - predicate) for word in words), *[_UNNAMED] * unnamed])


def _distance(apart: int) -> int:
    """Each up to 8 words, then by powers of two."""
    size = abs(apart)
    step = size if size <= 8 else min(_FAR, 8 + (size - 1).bit_length() - 3)
    return step + _FAR + 1 if apart < 0 else step
