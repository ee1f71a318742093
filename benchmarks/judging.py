"""Sheets that two people judge: the share that each finds right, and how far they agree."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

READERS = ("first", "second")
"""The columns of a sheet for the verdicts of both: 1 is right, 0 is wrong, empty is not judged yet."""

_Z = 1.959964


def read_sheet(lines: Iterable[str]) -> list[dict[str, str]]:
    """The rows of a sheet: values separated by tabs, with a heading."""
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def verdicts(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The share that each reader who judged all rows finds right, and their agreement if both did, in words.

    Raises
    ------
    ValueError
        If none of the readers judged the rows, or one judged some of them only.
    """
    given: dict[str, list[int]] = {}
    for reader in READERS:
        column = [row[reader] for row in rows]
        if any(column) and not set(column) <= {"0", "1"}:
            raise ValueError(f"each row needs the verdict 1 or 0 of the {reader} reader")
        if any(column):
            given[reader] = list(map(int, column))
    if not given:
        raise ValueError("each row needs the verdict 1 or 0 of a reader")
    for reader, column_of in given.items():
        yield f"{reader} reader: {share(sum(column_of), len(column_of))}"
    if len(given) == len(READERS):
        first, second = given.values()
        agreed = sum(one == other for one, other in zip(first, second, strict=True))
        yield f"agreement: {agreed} of {len(rows)}, {agreed / len(rows):.3f}; Cohen's kappa {kappa(first, second):.3f}"


def kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """Cohen's kappa of verdicts 1 and 0; 1 if both readers always gave the same one."""
    number = len(first)
    agreed = sum(one == other for one, other in zip(first, second, strict=True)) / number
    one, other = sum(first) / number, sum(second) / number
    by_chance = one * other + (1 - one) * (1 - other)
    return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0


def share(right: int, number: int) -> str:
    """A share with Wilson's 95 % interval."""
    low, high = wilson(right, number)
    return f"{right} of {number}: {right / number:.3f} (95 % {low:.3f} to {high:.3f})"


def wilson(right: int, number: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    found = right / number
    middle = found + _Z**2 / (2 * number)
    width = _Z * math.sqrt(found * (1 - found) / number + _Z**2 / (4 * number**2))
    return (middle - width) / (1 + _Z**2 / number), (middle + width) / (1 + _Z**2 / number)
