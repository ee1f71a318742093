"""The layers of the reader over the states of words: labels of words, and of pairs of a predicate and a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.models.distances import distance_numbers
from kgscripts.models.runtime import Array, gelu

FARTHEST = 11


@frozen
class Parts:
    """What words are as predicates and as things, each (words, 2 x the size of pairs)."""

    predicates: Array
    things: Array


@frozen(eq=False)
class ReaderHeads:
    """Scores of the states of a window's words, (words, size), by the `weights` of a checkpoint."""

    weights: Mapping[str, Array]

    @cached_property
    def annotations(self) -> frozenset[str]:
        """Those that have labels of pairs."""
        ending = ".weight"
        names = (name.partition("pair_layers.")[2] for name in self.weights if name.endswith(ending))
        return frozenset(name.removesuffix(ending) for name in names if name)

    def words(self, states: Array, annotation: str) -> Array:
        """Scores of the labels of words, (words, labels)."""
        return self._linear(states, f"word_layers.{annotation}")

    def flags(self, states: Array) -> Array:
        """Scores of what is asked of each word beside its label, (words, flags)."""
        return self._linear(states, "flags")

    def parts(self, states: Array) -> Parts:
        """What words are, for `pairs`."""
        return Parts(self._linear(states, "predicate"), self._linear(states, "thing"))

    def pairs(self, parts: Parts, place: int, annotation: str) -> Array:
        """Scores of the labels of the pairs of a predicate, the word at `place`, with each word, (words, labels)."""
        predicate, gate = np.split(parts.predicates[place], 2)
        thing, gated = np.split(parts.things, 2, axis=1)
        apart = distance_numbers(np.arange(len(thing)) - place, FARTHEST)
        joined: NDArray[Any] = predicate + thing + gate * gated + self.weights["distance.weight"][apart]
        return self._linear(gelu(joined), f"pair_layers.{annotation}")

    def fits(self, size: int, words: Mapping[str, Sequence[str]], pairs: Mapping[str, Sequence[str]]) -> bool:
        """Whether the weights have these sizes: of states, and of the labels of each annotation."""
        inner = self.weights["distance.weight"].shape[1]
        shapes = {"predicate": (2 * inner, size), "thing": (2 * inner, size)}
        shapes |= {f"word_layers.{name}": (len(labels), size) for name, labels in words.items()}
        shapes |= {f"pair_layers.{name}": (len(labels), inner) for name, labels in pairs.items()}
        return len(self.weights["distance.weight"]) == 2 * FARTHEST + 2 and all(
            self.weights[f"{name}.weight"].shape == shape and self.weights[f"{name}.bias"].shape == shape[:1]
            for name, shape in shapes.items()
        )

    def _linear(self, states: Array, name: str) -> Array:
        result: Array = states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return result
