"""The order of steps: which of their orders the plan takes, and circles in a partial order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence

from schemas.errors import InputError

_SHOWN = 6
"""The most steps of a circle that a message names."""


def steps_before(ids: Sequence[str], order: Iterable[tuple[str, str]], where: str) -> dict[str, list[str]]:
    """The steps that directly precede each step in a partial order of pairs (earlier, later), each once.

    Raises
    ------
    InputError
        If two steps have the same id, or a pair names a step that is none of `ids`.
    """
    before: dict[str, dict[str, None]] = {step: {} for step in ids}
    if len(before) < len(ids):
        raise InputError("two steps have the same id", where=where, remedy="give each step an id of its own")
    for earlier, later in order:
        for step in (earlier, later):
            if step not in before:
                raise InputError(
                    f"the order names the step {step!r}, which is none of the steps",
                    where=where,
                    remedy="leave out pairs with other steps",
                )
        before[later][earlier] = None
    return {step: list(own) for step, own in before.items()}


def in_order(before: Mapping[str, Sequence[str]], labels: Mapping[str, str], where: str) -> list[str]:
    """The steps in the order of `before` that stays as near as possible to the order of its keys.

    Raises
    ------
    InputError
        If steps must precede each other in a circle; the message names them.
    """
    ids = list(before)
    places = {step: place for place, step in enumerate(ids)}
    missing = {step: len(own) for step, own in before.items()}
    after: dict[str, list[str]] = {step: [] for step in ids}
    for step, own in before.items():
        for earlier in own:
            after[earlier].append(step)
    possible = [places[step] for step in ids if not missing[step]]
    found: list[str] = []
    while possible:
        step = ids[heapq.heappop(possible)]
        found.append(step)
        for later in after[step]:
            missing[later] -= 1
            if not missing[later]:
                heapq.heappush(possible, places[later])
    if len(found) < len(ids):
        names = [repr(labels[step]) for step in _circle(before, set(ids).difference(found))]
        shown = [*names[:_SHOWN], "…"] if len(names) > _SHOWN else [*names, names[0]]
        raise InputError(
            f"the steps must precede each other in a circle: {' before '.join(shown)}",
            where=where,
            remedy="leave out one of these orders",
        )
    return found


def _circle(before: Mapping[str, Sequence[str]], left: set[str]) -> list[str]:
    """Steps of which each must precede the next one, and the last one the first; each of `left` follows one of
    `left`."""
    walked: dict[str, None] = {}
    step = min(left)
    while step not in walked:
        walked[step] = None
        step = next(earlier for earlier in before[step] if earlier in left)
    backwards = list(walked)
    return backwards[backwards.index(step) :][::-1]
