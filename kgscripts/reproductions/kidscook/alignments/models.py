"""Opening alignment models by name, and those that are no network: the diagonal, and IBM Model 1."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.aligner import free_aligner
from schemas.errors import ConfigurationError

Align = Callable[[Sequence[Pair]], Sequence[Sequence[int]]]
"""Aligns pairs: for each concrete token of a pair the index of the abstract token that it is aligned to."""

_ITERATIONS = 8
_FLOOR = 1e-6


def diagonal(pairs: Sequence[Pair]) -> list[list[int]]:
    """Align concrete token j of n to abstract token floor(j m / n) of m."""
    return [[index * len(pair.abstract) // len(pair.concrete) for index in range(len(pair.concrete))] for pair in pairs]


class IbmModel1:
    """Brown et al. (1993): p(concrete word | abstract word) by expectation maximisation, independent of word order."""

    def __init__(self, train: Sequence[Pair]) -> None:
        self._table: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(lambda: 1.0))
        for _ in range(_ITERATIONS):
            counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
            for pair in train:
                for word in pair.concrete:
                    shares = [self._table[source][word] for source in pair.abstract]
                    total = sum(shares)
                    for source, share in zip(pair.abstract, shares, strict=True):
                        counts[source][word] += share / total
            self._table = defaultdict(dict)
            for source, row in counts.items():
                total = sum(row.values())
                self._table[source] = {word: count / total for word, count in row.items()}

    def align_freely(self, pairs: Sequence[Pair]) -> list[list[int]]:
        """Align each word independently."""
        return [
            [max(range(len(pair.abstract)), key=lambda i: self._log(pair.abstract[i], word)) for word in pair.concrete]
            for pair in pairs
        ]

    def align(self, pairs: Sequence[Pair]) -> list[list[int]]:
        """Align by the best path without crossings; transitions have no cost."""
        return [self._path(pair) for pair in pairs]

    def _path(self, pair: Pair) -> list[int]:
        best = [0.0] * len(pair.abstract)
        pointers = []
        for word in pair.concrete:
            came_from = []
            reached = 0
            for index in range(len(best)):
                reached = index if best[index] > best[reached] else reached
                came_from.append(reached)
            best = [
                best[before] + self._log(source, word) for before, source in zip(came_from, pair.abstract, strict=True)
            ]
            pointers.append(came_from)
        index = max(range(len(best)), key=best.__getitem__)
        path = []
        for came_from in reversed(pointers):
            path.append(index)
            index = came_from[index]
        return path[::-1]

    def _log(self, source: str, word: str) -> float:
        return math.log(self._table.get(source, {}).get(word, 0.0) + _FLOOR)


_FREE = "-free"

BASELINES = ("diagonal", "ibm1", "ibm1-free")
"""Models without a checkpoint."""


def open_alignment_model(name: str, train: Sequence[Pair]) -> Align:
    """The model called `name`, or in that directory; `train` are the pairs that IBM Model 1 learns from.

    Raises
    ------
    ConfigurationError
        For a baseline that has nothing to learn from.
    ModelError
        Where there is no such model, or it is damaged, or it aligns nothing.
    """
    base, free = name.removesuffix(_FREE), name.endswith(_FREE)
    if name == "diagonal":
        return diagonal
    if base == "ibm1":
        if not train:
            raise ConfigurationError(f"{name} has nothing to learn from", remedy="name pairs with --train")
        ibm = IbmModel1(train)
        return ibm.align_freely if free else ibm.align
    directory = checkpoint_of(name)
    return _checkpoint(directory, free=directory.name != Path(name).name)


def checkpoint_of(name: str) -> Path:
    """The directory or shipped name in a model's name: without "-free", unless a directory has the whole name."""
    return Path(name if Path(name).is_dir() else name.removesuffix(_FREE))


def _checkpoint(directory: Path, *, free: bool) -> Align:
    from kgscripts.models.registry import load

    model = load("alignment", directory)
    align = free_aligner(model, str(directory)).align_freely if free else model.align
    return lambda pairs: [alignment.path for alignment in align(pairs)]
