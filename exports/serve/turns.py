"""Whose turn it is: so many requests are answered at once, so many wait, and the next one is sent away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")


class BusyError(Exception):
    """Too many requests wait already."""


class Turns:
    """Runs functions in threads, `running` at once; `waiting` more wait for their turn, in the order of arrival."""

    def __init__(self, running: int, waiting: int) -> None:
        self._waiting = waiting
        self._limiter = anyio.CapacityLimiter(running)

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`; raises BusyError if too many wait."""
        if self._limiter.statistics().tasks_waiting >= self._waiting and not self._limiter.available_tokens:
            raise BusyError
        return await anyio.to_thread.run_sync(partial(work), limiter=self._limiter)
