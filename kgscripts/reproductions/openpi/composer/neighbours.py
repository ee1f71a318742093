"""The most similar training steps of a step, with their state changes rewritten for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import attrs
import numpy as np
import torch
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.models.sentence_vectors import SIZE, quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from kgscripts.reproductions.openpi.composer.substitution import Noun, nouns_of, substituted, substitutes, words_of
from schemas.changes import Change

MOST_NEIGHBOURS = 100
"""Of one step."""
_MOST_OF_A_STEP = 100
"""Changes, and nouns of them, of a known step. Those of OpenPI have up to 23 changes."""

_Item = TypeVar("_Item")


@frozen(eq=False)
class KnownSteps:
    """Training steps with their changes: `vectors` (steps, 384) int8, of length `SCALE`.

    `nouns` are those that occur in the changes; `noun_vectors` (lemmas, 384) int8 are of `lemmas`.
    """

    vectors: NDArray[np.int8]
    changes: Sequence[tuple[Change, ...]]
    nouns: Sequence[tuple[Noun, ...]]
    lemmas: Sequence[str]
    noun_vectors: NDArray[np.int8]

    @classmethod
    def of(cls, texts: Sequence[str], changes: Sequence[Sequence[Change]]) -> KnownSteps:
        """From the texts of steps, with at most 100 changes each. Raises ModelError if MiniLM cannot be found."""
        changes = [own[:_MOST_OF_A_STEP] for own in changes]
        nouns = []
        for own, step_changes in zip(nouns_of(texts), changes, strict=True):
            words = frozenset[str]().union(*map(words_of, step_changes))
            nouns.append(tuple(noun for noun in own if words & {noun.form, noun.lemma})[:_MOST_OF_A_STEP])
        lemmas = sorted({noun.lemma for own in nouns for noun in own})
        rows = [tuple(step_changes) for step_changes in changes]
        return cls(quantised_vectors(texts), rows, nouns, lemmas, quantised_vectors(lemmas))

    @classmethod
    def read(cls, tensors: Mapping[str, NDArray[Any]], strings: Sequence[str]) -> KnownSteps:
        """From what `packed` gave. Raises ValueError, LookupError or TypeError if its parts do not fit together."""
        if not all(isinstance(text, str) for text in strings):
            raise ValueError("strings that are no texts")
        "".join(strings).encode()  # Raises UnicodeEncodeError, a ValueError, for a lone surrogate.
        names = [attribute.name for attribute in attrs.fields(Change)]
        changes = [
            Change(**{name: strings[part] for name, part in zip(names, row, strict=True)})
            for row in tensors["changes"].tolist()
        ]
        nouns = [Noun(*(strings[part] for part in row)) for row in tensors["nouns"].tolist()]
        known = cls(
            tensors["vectors"],
            _grouped(changes, tensors["change_counts"].tolist()),
            _grouped(nouns, tensors["noun_counts"].tolist()),
            strings[: len(tensors["noun_vectors"])],
            tensors["noun_vectors"],
        )
        if not known.changes:
            raise ValueError("no steps")
        if known.vectors.dtype != np.int8 or known.noun_vectors.dtype != np.int8:
            raise ValueError("vectors that are not int8")
        if known.vectors.shape != (len(known.changes), SIZE) or len(known.nouns) != len(known.changes):
            raise ValueError("the numbers of steps differ")
        if known.noun_vectors.shape[1] != SIZE or {noun.lemma for noun in nouns} - set(known.lemmas):
            raise ValueError("nouns without a vector")
        return known

    def packed(self) -> tuple[dict[str, torch.Tensor], list[str]]:
        """The steps as tensors and a list of strings, each once."""
        places = {lemma: place for place, lemma in enumerate(self.lemmas)}
        changes = [
            [places.setdefault(part, len(places)) for part in attrs.astuple(change)]
            for own in self.changes
            for change in own
        ]
        nouns = [
            [places.setdefault(part, len(places)) for part in attrs.astuple(noun)] for own in self.nouns for noun in own
        ]
        tensors = {
            "vectors": torch.from_numpy(self.vectors),
            "noun_vectors": torch.from_numpy(self.noun_vectors),
            "changes": torch.tensor(changes, dtype=torch.int32).reshape(-1, len(attrs.fields(Change))),
            "change_counts": torch.tensor([len(own) for own in self.changes], dtype=torch.int32),
            "nouns": torch.tensor(nouns, dtype=torch.int32).reshape(-1, len(attrs.fields(Noun))),
            "noun_counts": torch.tensor([len(own) for own in self.nouns], dtype=torch.int32),
        }
        return tensors, list(places)


@frozen
class Neighbour:
    """A similar training step: its weight (all sum to 1), and its changes, rewritten for the step."""

    weight: float
    changes: Sequence[Change]


class NeighbourSearch:
    """Finds the known steps whose MiniLM vectors are most similar to that of a step.

    Parameters
    ----------
    neighbours:
        How many are found.
    temperature:
        Their weights are exp(cosine / temperature), normalised.
    noun_similarity:
        The least cosine of two nouns that are exchanged.
    """

    def __init__(self, known: KnownSteps, *, neighbours: int, temperature: float, noun_similarity: float) -> None:
        self._known = known
        self._neighbours = neighbours
        self._temperature = temperature
        self._noun_similarity = noun_similarity
        # Products of int8 vectors are exact in float32, and fast.
        self._vectors = known.vectors.astype(np.float32)
        self._noun_vectors = dict(zip(known.lemmas, known.noun_vectors.astype(np.float32), strict=True))

    def find(self, texts: Sequence[str]) -> Iterator[list[Neighbour]]:
        """The neighbours of each text, most similar first."""
        nouns = list(nouns_of(texts))
        lemmas = sorted({noun.lemma for own in nouns for noun in own} - self._noun_vectors.keys())
        vectors = self._noun_vectors | dict(zip(lemmas, quantised_vectors(lemmas).astype(np.float32), strict=True))
        cosines = quantised_vectors(texts).astype(np.float32) @ self._vectors.T / SCALE**2
        for row, own in zip(cosines, nouns, strict=True):
            yield self._nearest(row, own, vectors)

    def _nearest(
        self, cosines: NDArray[np.float32], nouns: Sequence[Noun], vectors: Mapping[str, NDArray[np.float32]]
    ) -> list[Neighbour]:
        known = self._known
        nearest = np.argsort(-cosines, kind="stable")[: self._neighbours]
        weights = np.exp((cosines[nearest].astype(np.float64) - float(cosines[nearest[0]])) / self._temperature)
        neighbours = []
        for place, weight in zip(nearest, weights / weights.sum(), strict=True):
            replacements = substitutes(known.nouns[place], nouns, vectors, self._noun_similarity)
            changes = dict.fromkeys(substituted(change, replacements) for change in known.changes[place])
            neighbours.append(Neighbour(float(weight), tuple(changes)))
        return neighbours


def _grouped(items: Sequence[_Item], counts: Sequence[int]) -> list[tuple[_Item, ...]]:
    """The items of each step. Raises ValueError if there are more or fewer, or too many of one step."""
    if sum(counts) != len(items) or min(counts, default=0) < 0:
        raise ValueError("the numbers of changes or nouns differ")
    if max(counts, default=0) > _MOST_OF_A_STEP:
        raise ValueError(f"a step with {max(counts):,} changes or nouns")
    rest = iter(items)
    return [tuple(islice(rest, count)) for count in counts]
