"""The layers of the generator over the states of words: attributes that change, their values, and places in these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

from kgscripts.models.distances import distance_numbers
from kgscripts.models.reader.labels import GRAPH, PAIRS
from kgscripts.models.runtime import Array, gelu

ROLES = len(PAIRS[GRAPH]) + 1
"""The labels of the reader's pairs, and one for things that the text does not name."""
SCALE = 16.0
"""By what the products of pairs and places are divided: the root of their usual size."""

FARTHEST = 10
_UNNAMED = 2 * FARTHEST + 2
"""The number of the distance of a thing that the text does not name."""
DISTANCES = _UNNAMED + 1
_EPSILON = 1e-5


def _size(least: int) -> Any:
    return field(validator=[validators.instance_of(int), validators.ge(least)])


@frozen(kw_only=True)
class ChangeSizes:
    """Sizes of the network."""

    state: int = _size(1)
    inner: int = _size(1)
    attributes: int = _size(1)
    values: int = _size(1)
    unnamed: int = _size(0)


@frozen(eq=False)
class Words:
    """What words are as predicates, as things and as places: (words, 2 x inner) twice, and (words, inner)."""

    predicates: Array
    things: Array
    places: Array


@frozen(eq=False)
class Pairs:
    """Pairs of an event and a thing: `predicate` and `thing` (pairs,) are numbers of words, `roles` (pairs, `ROLES`)
    the shares of the reader's labels, and `apart` (pairs,) numbers of distances."""

    predicate: NDArray[np.int64]
    thing: NDArray[np.int64]
    roles: Array
    apart: NDArray[np.int64]

    @classmethod
    def of(cls, roles: Array, predicate: int, places: Sequence[int], words: int, unnamed: int) -> Pairs:
        """The pairs of an event with words of its window, which has so many, then with the things that texts need not
        name, which stand behind these. `roles` (words, labels) are the shares of the labels of its pairs."""
        thing = np.array([*places, *range(words, words + unnamed)], dtype=np.int64)
        shares = np.zeros((len(thing), ROLES), dtype=np.float32)
        shares[: len(places), :-1] = roles[list(places)]
        shares[len(places) :, -1] = 1
        apart = np.full(len(thing), _UNNAMED, dtype=np.int64)
        apart[: len(places)] = distance_numbers(thing[: len(places)] - predicate, FARTHEST)
        return cls(np.full_like(thing, predicate), thing, shares, apart)


@frozen(eq=False)
class Scores:
    """Scores of pairs: of `attributes` and of `values`, and of each thing as the place `before` and `after`, (pairs,
    pairs)."""

    attributes: Array
    values: Array
    before: NDArray[Any]
    after: NDArray[Any]


@frozen(eq=False)
class ChangeHeads:
    """Events and things -> scores, by the `weights` of a checkpoint."""

    weights: Mapping[str, Array]

    def words(self, states: Array) -> Words:
        """The words with these states, (words, state size), and behind them the things that a text need not name."""
        own = self._norm(np.concatenate([states, self.weights["unnamed"]]), "norm")
        return Words(self._linear(own, "predicate"), self._linear(own, "thing"), self._linear(own, "place"))

    def scores(self, words: Words, pairs: Pairs) -> Scores:
        """The scores of the pairs of one event."""
        acting, gate = np.split(words.predicates[pairs.predicate], 2, axis=1)
        acted, gated = np.split(words.things[pairs.thing], 2, axis=1)
        apart = self.weights["distance.weight"][pairs.apart]
        joined = gelu(acting + acted + gate * gated + self._linear(pairs.roles, "role") + apart)
        states = self._norm(joined + gelu(self._linear(joined, "middle")), "last")
        keys = words.places[pairs.thing] + self._linear(pairs.roles, "place_role")
        size = np.float32(SCALE)
        before, after = (self._linear(states, name) @ keys.T / size for name in ("before", "after"))
        return Scores(self._linear(states, "attributes"), self._linear(states, "values"), before, after)

    def fits(self, sizes: ChangeSizes) -> bool:
        """Whether the weights are those of a network of these sizes."""
        inner, state = sizes.inner, sizes.state
        layers = {
            **dict.fromkeys(("predicate", "thing"), (2 * inner, state)),
            "place": (inner, state),
            **dict.fromkeys(("role", "place_role"), (inner, ROLES)),
            **dict.fromkeys(("middle", "before", "after"), (inner, inner)),
            "attributes": (sizes.attributes, inner),
            "values": (sizes.values, inner),
        }
        shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": shape for name, shape in layers.items()}
        shapes |= {f"{name}.bias": shape[:1] for name, shape in layers.items()}
        shapes |= {f"{name}.{part}": (size,) for name, size in (("norm", state), ("last", inner))
                   for part in ("weight", "bias")}  # fmt: skip
        shapes |= {"unnamed": (sizes.unnamed, state), "distance.weight": (DISTANCES, inner)}
        return {name: value.shape for name, value in self.weights.items()} == shapes

    def _linear(self, states: Array, name: str) -> Array:
        result: Array = states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return result

    def _norm(self, states: Array, name: str) -> Array:
        centred = states - states.mean(axis=1, keepdims=True)
        # Weights of a strange checkpoint may be as large as they like.
        with np.errstate(over="ignore"):
            unit = centred / np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + np.float32(_EPSILON))
        result: Array = unit * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return result
