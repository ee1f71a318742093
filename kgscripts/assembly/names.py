"""Numbers for names: what is counted by the million is counted as integers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Integers = npt.NDArray[np.int64]


class Numbering(Generic[Key]):
    """Numbers keys from 0 as they come."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, key: Key) -> int:
        """The number of `key`, a new one where it is new."""
        return self._numbers.setdefault(key, len(self._numbers))

    def names(self) -> list[Key]:
        """What was numbered, in the order of the numbers."""
        return list(self._numbers)


class Nodes(Generic[Value]):
    """The nodes of one type, ascending by id; a node goes by its place among them."""

    def __init__(self, values: Iterable[Value], identify: Callable[[Value], str]) -> None:
        """`values` in the order of their old numbers."""
        given = [(identify(value), number, value) for number, value in enumerate(values)]
        given.sort(key=lambda item: item[0])
        self.ids: list[str] = [identifier for identifier, _, _ in given]
        self.values: list[Value] = [value for _, _, value in given]
        self.place: Integers = np.empty(len(given), np.int64)
        """Place of each old number."""
        self.place[[number for _, number, _ in given]] = np.arange(len(given))

    def __len__(self) -> int:
        return len(self.ids)

    def id_of(self, place: int) -> str | None:
        """The id at a place; none for -1."""
        return None if place < 0 else self.ids[place]
