"""The index of meaning of a graph: vectors by MiniLM, compared with that of a question one by one.

A step has one vector, the mean of its wordings with a part of its scenario and of passages that tell it. A tool and a
scenario have one of their names, and one of each of their steps. An entry is as near as its nearest vector; to this
come something for its sources, and for what models expect (`kgscripts.search.searching`). Weights were chosen on
questions like those of `kgscripts evaluate search`, without the unseen ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from hashlib import sha256
from itertools import groupby, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgscripts.models.stored_vectors import SCALE
from kgscripts.search.entries import Entry, Kind
from schemas.errors import StoreError
from schemas.output_files import new_file

if TYPE_CHECKING:
    from kgscripts.models.sentence_vectors import RememberedVectors

FORMAT = "2"
"""The version of the index."""

_SCENARIO = 0.35
"""The weight of the scenario in the vector of a step, whose wordings have weight 1."""
_TOLD = 0.5
"""The weight of all passages that tell a step."""
_SUPPORT = {Kind.STEP: 0.07, Kind.TOOL: 0.02, Kind.SCENARIO: 0.0}
"""What is added to the cosine for each unit of the natural logarithm of the number of sources."""
_EXPECTED = {Kind.STEP: 0.1, Kind.TOOL: 0.8, Kind.SCENARIO: 0.8}
"""What is added for the probability that a model gives: of a step to its scenario, of others to themselves."""
_SIZE = 384
_ENTRIES = 256
"""Entries whose texts are read together, in a few seconds, so that progress can be shown."""
_ROWS = 16_384
"""Vectors that are compared together; they are read from disk as the question needs them."""

_T = TypeVar("_T", bound=np.number[Any])

_ARRAYS = ("vectors", "numbers", "supports", "places")
"""Files of each kind, one row for each vector: the vector, the number of its entry, what is added for the entry's
sources, and the place of the entry's label, or of its scenario's, in the list of labels."""

_Group: TypeAlias = Sequence[tuple[str, float]]
"""Texts with their weights, whose mean is a vector."""


def write_vectors(path: Path, entries: Iterable[Entry], progress: Callable[[int], None], parts: Path) -> None:
    """Write the vectors of entries, numbered from 1 in their order, which is by kind, into a directory.

    The vectors of some entries at a time are kept in the folder `parts`, so that the next call goes on where this one
    was interrupted.

    `progress` is called with the number of entries that have their vectors, whenever some have got them.

    Raises ModelError if MiniLM cannot be found.
    """
    from kgscripts.models.sentence_vectors import RememberedVectors

    remembered = RememberedVectors()
    number = 0
    for kind, own in groupby(entries, key=lambda entry: entry.kind):
        labels: dict[str, int] = {}
        with ExitStack() as files:
            vectors, numbers, supports, places = (
                files.enter_context((path / f"{kind}.{name}").open("wb")) for name in _ARRAYS
            )
            while block := list(islice(own, _ENTRIES)):
                rows = [
                    (at, entry, group) for at, entry in enumerate(block, start=number + 1) for group in _groups(entry)
                ]
                vectors.write(_kept([group for *_, group in rows], remembered, parts))
                numbers.write(np.array([at for at, *_ in rows], dtype=np.int32).tobytes())
                added = [_SUPPORT[kind] * math.log(max(1, entry.support)) for _, entry, _ in rows]
                supports.write(np.array(added, dtype=np.float32).tobytes())
                own_labels = [labels.setdefault(_expected_label(entry), len(labels)) for _, entry, _ in rows]
                places.write(np.array(own_labels, dtype=np.int32).tobytes())
                number += len(block)
                progress(number)
        (path / f"{kind}.labels.json").write_text(json.dumps(list(labels)), encoding="utf-8")


class Meanings:
    """An open index, memory-mapped."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def best(self, question: NDArray[np.int8], kind: Kind, most: int, expected: Mapping[str, float]) -> list[int]:
        """The numbers of the entries of a kind that answer a question best, best first.

        `question` (size,) is its vector; `expected` has the probabilities of scenarios, or of tools if the kind is that
        (`kgscripts.search.searching`).

        Raises StoreError if the index cannot be read.
        """
        numbers, supports = self._map(kind, "numbers", np.int32), self._map(kind, "supports", np.float32)
        vectors = self._map(kind, "vectors", np.int8).reshape(-1, _SIZE)
        places = self._map(kind, "places", np.int32)
        if not len(vectors) == len(numbers) == len(supports) == len(places):
            raise StoreError("the index of meaning is damaged", where=str(self._path))
        wanted = question.astype(np.float32) / SCALE**2
        near = np.empty(len(vectors), dtype=np.float32)
        for start in range(0, len(vectors), _ROWS):
            near[start : start + _ROWS] = vectors[start : start + _ROWS].astype(np.float32) @ wanted
        near += supports
        near += self._expected(kind, expected)[places]
        # The vectors of an entry follow each other.
        first = np.flatnonzero(np.diff(numbers, prepend=0))
        nearest = np.maximum.reduceat(near, first) if len(first) else near
        return [int(number) for number in numbers[first][np.argsort(-nearest, kind="stable")[:most]]]

    def means(self, kind: Kind) -> Iterator[NDArray[np.float64]]:
        """The unit vector of each entry of a kind, (size,): of several, their mean."""
        numbers, vectors = self._map(kind, "numbers", np.int32), self._map(kind, "vectors", np.int8).reshape(-1, _SIZE)
        bounds = [*np.flatnonzero(np.diff(numbers, prepend=0)), len(numbers)]
        for start, end in pairwise(bounds):
            total = vectors[start:end].sum(axis=0, dtype=np.float64)
            yield total / np.linalg.norm(total)

    def _expected(self, kind: Kind, expected: Mapping[str, float]) -> NDArray[np.float32]:
        """What is added for each label that `places` has."""
        file = self._path / f"{kind}.labels.json"
        try:
            labels = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        except (OSError, ValueError) as error:
            raise StoreError(f"the index of meaning cannot be read ({error})", where=str(file)) from error
        return np.array([_EXPECTED[kind] * expected.get(label, 0.0) for label in labels], dtype=np.float32)

    def _map(self, kind: Kind, name: str, dtype: type[_T]) -> NDArray[_T]:
        file = self._path / f"{kind}.{name}"
        try:
            if not file.exists() or not file.stat().st_size:
                return np.zeros(0, dtype=dtype)
            return np.memmap(file, dtype=dtype, mode="r")
        except (OSError, ValueError) as error:
            raise StoreError(f"the index of meaning cannot be read ({error})", where=str(file)) from error


def _expected_label(entry: Entry) -> str:
    """The label whose probability counts for an entry; "" for a step without a scenario."""
    return entry.scenario if entry.kind is Kind.STEP else entry.label


def _groups(entry: Entry) -> Iterator[_Group]:
    """The texts of each vector of an entry."""
    weight = 1 / len(entry.names)
    names = [(name, weight) for name in entry.names]
    if entry.kind is Kind.STEP:
        told = [(passage, _TOLD / len(entry.told)) for passage in entry.told]
        yield [*names, *told, *((scenario, _SCENARIO) for scenario in entry.context)]
        return
    yield names
    for step in entry.context:
        yield [(step, 1.0)]


def _kept(groups: Sequence[_Group], remembered: RememberedVectors, parts: Path) -> bytes:
    """The vectors of groups of texts, which are computed once as long as `parts` is kept."""
    part = parts / sha256(json.dumps(groups).encode()).hexdigest()
    if not part.is_file() or part.stat().st_size != len(groups) * _SIZE:
        with new_file(part) as new:
            new.write_bytes(_means(groups, remembered).tobytes())
    return part.read_bytes()


def _means(groups: Sequence[_Group], remembered: RememberedVectors) -> NDArray[np.int8]:
    """The unit vectors of the weighted means of groups of texts, as integers, (groups, size)."""
    each = remembered([text for group in groups for text, _ in group]).astype(np.float64)
    each *= np.array([weight for group in groups for _, weight in group])[:, None]
    starts = np.cumsum([0, *(len(group) for group in groups)])[:-1]
    sums = np.add.reduceat(each, starts, axis=0)
    units = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    vectors: NDArray[np.int8] = np.clip(np.round(units * SCALE), -127, 127).astype(np.int8)
    return vectors
