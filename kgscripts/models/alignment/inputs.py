"""The aligner's inputs: both sides of a pair as pieces, in windows that the encoder can read, and features of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.models.alignment.words import aligned_places, stem
from kgscripts.models.cloze import UNKNOWN_WORD
from kgscripts.models.runtime import Array

ABSTRACT_PIECES = 160
CONCRETE_PIECES = 348
"""With three separators a row has at most 511 pieces; MiniLM reads 512."""

_PIECES_A_WORD = 6
_CONCRETE_TYPE = 1

FEATURES = ("distance", "absolute distance", "same word", "same stem")


@frozen
class Window:
    """The part of a pair in one row: tokens `abstract` and `concrete`, ranges of the whole sides."""

    row: int
    abstract: range
    concrete: range


@frozen(eq=False)
class Row:
    """A window as it is read: ids and types of pieces, the first piece of each word of both sides, whether the words
    of the abstract side can be aligned to, (abstract,), and `features`, (concrete, abstract, 4), see `FEATURES`."""

    ids: Sequence[int]
    types: Sequence[int]
    abstract: Sequence[int]
    concrete: Sequence[int]
    aligned: NDArray[np.bool_]
    features: Array


@frozen
class Sides:
    """The tokens of a pair, and those that are shown as unknown."""

    abstract: Sequence[str]
    concrete: Sequence[str]
    hidden_abstract: AbstractSet[int] = frozenset()
    hidden_concrete: AbstractSet[int] = frozenset()

    def shown(self) -> Sides:
        """The same with `UNKNOWN_WORD` where words are hidden."""
        return Sides(_hide(self.abstract, self.hidden_abstract), _hide(self.concrete, self.hidden_concrete))


def _hide(words: Sequence[str], hidden: AbstractSet[int]) -> list[str]:
    return [UNKNOWN_WORD if index in hidden else word for index, word in enumerate(words)]


class AlignerInputs:
    """Makes rows. `pieces_of` gives the ids of a word's pieces, at least one."""

    def __init__(self, pieces_of: Callable[[str], Sequence[int]], *, start: int, separator: int, mask: int) -> None:
        self._pieces_of = pieces_of
        self._start, self._separator = start, separator
        self._known: dict[str, Sequence[int]] = {UNKNOWN_WORD: [mask]}

    def windows(self, row: int, pair: Sides) -> Iterator[Window]:
        """The windows of the pair in `row`: one, unless it is too long; together they hold each concrete word once."""
        ends = [0, *accumulate(len(self._pieces(word)) for word in pair.abstract)]
        whole = range(len(pair.abstract))
        size, first = 0, 0
        for index, word in enumerate(pair.concrete):
            pieces = len(self._pieces(word))
            if size + pieces > CONCRETE_PIECES:
                yield self._window(row, pair, whole, ends, range(first, index))
                size, first = 0, index
            size += pieces
        yield self._window(row, pair, whole, ends, range(first, len(pair.concrete)))

    def row(self, pair: Sides, window: Window) -> Row:
        """What is read of a window of a pair, no word of which is hidden any more."""
        ids = [self._start]
        abstract = self._read(pair.abstract, window.abstract, ids)
        second = len(ids)
        concrete = self._read(pair.concrete, window.concrete, ids)
        places = [index for index in aligned_places(pair.abstract) if index in window.abstract]
        aligned = np.zeros(len(window.abstract), dtype=np.bool_)
        aligned[[index - window.abstract.start for index in places or window.abstract]] = True
        types = [0] * second + [_CONCRETE_TYPE] * (len(ids) - second)
        return Row(ids, types, abstract, concrete, aligned, _features(pair, window))

    def _read(self, words: Sequence[str], inside: range, ids: list[int]) -> list[int]:
        """Add the pieces of words, and a separator, to the ids of a row; the places of the words' first pieces."""
        firsts = []
        for index in inside:
            firsts.append(len(ids))
            ids += self._pieces(words[index])
        ids.append(self._separator)
        return firsts

    def _pieces(self, word: str) -> Sequence[int]:
        if word not in self._known:
            self._known[word] = self._pieces_of(word)[:_PIECES_A_WORD]
        return self._known[word]

    def _window(self, row: int, pair: Sides, whole: range, ends: Sequence[int], concrete: range) -> Window:
        if ends[-1] <= ABSTRACT_PIECES:
            return Window(row, whole, concrete)
        # From where the concrete part lies in its side, a word on either side at a time, until neither has room.
        start = stop = (concrete.start + concrete.stop) * len(whole) // (2 * len(pair.concrete))
        before = -1
        while before != stop - start:
            before = stop - start
            stop += stop < len(whole) and ends[stop + 1] - ends[start] <= ABSTRACT_PIECES
            start -= start > 0 and ends[stop] - ends[start - 1] <= ABSTRACT_PIECES
        return Window(row, range(start, stop), concrete)


def _features(pair: Sides, window: Window) -> Array:
    """(concrete, abstract, 4) of a window: positions in the whole pair, and whether the words are alike."""
    concrete = [pair.concrete[index] for index in window.concrete]
    abstract = [pair.abstract[index] for index in window.abstract]
    places = (np.array(window.concrete, dtype=np.float32) + np.float32(0.5)) / np.float32(len(pair.concrete))
    sources = (np.array(window.abstract, dtype=np.float32) + np.float32(0.5)) / np.float32(len(pair.abstract))
    distance = places[:, None] - sources[None, :]
    ids: dict[str, int] = {UNKNOWN_WORD: -1}

    def equal(first: list[str], second: list[str]) -> NDArray[np.bool_]:
        rows = np.array([ids.setdefault(word, len(ids)) for word in first])
        columns = np.array([ids.setdefault(word, len(ids)) for word in second])
        # An unknown word is not equal to any word, not even to itself.
        same: NDArray[np.bool_] = (rows[:, None] == columns[None, :]) & (rows[:, None] >= 0)
        return same

    same = equal(concrete, abstract)
    alike = equal([stem(word) for word in concrete], [stem(word) for word in abstract]) & ~same
    return np.stack([distance, np.abs(distance), same, alike], axis=2).astype(np.float32)
