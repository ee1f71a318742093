"""Predictions that depend only on their own input, not on the rest of the batch or the number of cores.

A network's last bits change with the shape of its input and with the number of threads that share an operation. Here
every batch has the same number of rows and one of a few lengths, and every operation runs on one thread; several
batches run side by side instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Self, TypeVar

import attrs
import torch
from attrs import frozen
from torch import Tensor

from schemas.errors import ModelError


@frozen(eq=False)
class TensorFields:
    """Base of attrs classes that hold tensors, also in fields that are `TensorFields` themselves."""

    def to(self, device: torch.device | str, non_blocking: bool = False) -> Self:
        """The same on another device; fields without tensors stay as they are."""
        fields = {attribute.name: getattr(self, attribute.name) for attribute in attrs.fields(type(self))}
        moved = {
            name: value.to(device, non_blocking=non_blocking)
            for name, value in fields.items()
            if isinstance(value, (Tensor, TensorFields))
        }
        return attrs.evolve(self, **moved)


ROWS = 8
"""Rows of every batch. The last batch of a length is filled up with copies of its first row."""

LENGTH_STEP = 16
"""Inputs are padded to a multiple of this, unless a caller has another step."""

_Input = TypeVar("_Input")
_Output = TypeVar("_Output")


@contextmanager
def fixed_threads() -> Iterator[int]:
    """Run every operation of torch on one thread; gives the number of threads that were set before."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield before
    finally:
        torch.set_num_threads(before)


@contextmanager
def enough_memory() -> Iterator[None]:
    """A context that raises ModelError if a graphics card has too little memory."""
    try:
        yield
    except torch.cuda.OutOfMemoryError as error:
        remedy = "run fewer processes on it (--jobs), or the network on the CPU (--device cpu)"
        raise ModelError("the graphics card has too little memory", remedy=remedy) from error


def run_side_by_side(run: Callable[[_Input], _Output], inputs: Sequence[_Input]) -> list[_Output]:
    """`run` of each input, without gradients, each on one thread and as many at a time as torch has threads.

    Raises ModelError if it runs on a graphics card that has too little memory.
    """

    def run_one(item: _Input) -> _Output:
        # Here and not around the pool: the mode is one of each thread.
        with enough_memory(), torch.inference_mode():
            return run(item)

    with fixed_threads() as threads:
        if threads == 1 or len(inputs) < 2:
            return [run_one(item) for item in inputs]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(run_one, inputs))


def padded_length(length: int, step: int = LENGTH_STEP) -> int:
    """The length that an input of this length is padded to: a multiple of `step`."""
    return -(-length // step) * step


def fixed_batches(
    lengths: Sequence[int], step: int = LENGTH_STEP, rows: Callable[[int], int] = lambda _: ROWS
) -> Iterator[list[int]]:
    """Indices of inputs that are padded to the same length, for all inputs; `rows` gives the most of each length."""
    padded = [padded_length(length, step) for length in lengths]

    def fits(batch: Sequence[int], index: int) -> bool:
        return len(batch) < rows(padded[batch[0]]) and padded[index] == padded[batch[0]]

    return grouped(sorted(range(len(lengths)), key=lambda index: (padded[index], index)), fits)


def grouped(items: Iterable[_Input], fits: Callable[[list[_Input], _Input], bool]) -> Iterator[list[_Input]]:
    """Consecutive items in groups, each as long as its next item `fits` into it."""
    group: list[_Input] = []
    for item in items:
        if group and not fits(group, item):
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def padded(rows: Sequence[Sequence[int]], length: int | None = None, value: int = 0) -> tuple[Tensor, Tensor]:
    """Rows of ids, filled up with `value` to a length, by default that of the longest; and 1 for an id, 0 for filling.

    Both are (rows, length) int64.
    """
    ids = torch.full((len(rows), max(map(len, rows)) if length is None else length), value, dtype=torch.int64)
    attention = torch.zeros_like(ids)
    for row, ids_of_row in enumerate(rows):
        ids[row, : len(ids_of_row)] = torch.tensor(ids_of_row)
        attention[row, : len(ids_of_row)] = 1
    return ids, attention
