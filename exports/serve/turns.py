"""Whose turn it is: so many requests are answered at once, so many wait, and the next one is sent away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from exports.query.watchdog import Asker, asker, leave

T = TypeVar("T")


class BusyError(Exception):
    """Too many requests wait already, or the server ends."""


class Turns:
    """Runs functions in threads, `running` at once; `waiting` more wait for their turn, in the order of arrival."""

    def __init__(self, running: int, waiting: int) -> None:
        self._waiting = waiting
        self._limiter = anyio.CapacityLimiter(running)
        self._askers: set[Asker] = set()

    async def run(self, work: Callable[[], T], receive: Receive) -> T:
        """The result of `work`, which is ended when the client has gone, as `receive` says after the whole request.

        Raises
        ------
        BusyError
            If too many wait, or the server ends.
        ClientDisconnect
            If the client has gone.
        """
        if self._limiter.statistics().tasks_waiting >= self._waiting and not self._limiter.available_tokens:
            raise BusyError("too many requests wait")
        own = Asker()
        asker.set(own)
        self._askers.add(own)
        with anyio.CancelScope() as scope:
            gone = asyncio.create_task(_until_gone(receive, own, scope))
            try:
                return await anyio.to_thread.run_sync(partial(work), limiter=self._limiter)
            except Exception:
                if own.has_gone and not scope.cancel_called:
                    raise BusyError("the server ends") from None
                raise
            finally:
                gone.cancel()
                self._askers.discard(own)
        raise ClientDisconnect

    def end(self) -> None:
        """End all that runs."""
        for each in self._askers:
            leave(each)


async def _until_gone(receive: Receive, own: Asker, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    leave(own)
    scope.cancel()
