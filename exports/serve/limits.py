"""What a server takes on: its limits, and whose turn it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import attrs
from attrs import field, frozen, validators
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from exports.query.engine_process import MEMORY
from exports.query.watchdog import Asker, asker, leave
from schemas.errors import ConfigurationError

_AT_LEAST_ONE = validators.ge(1)
_DAY = 86_400.0


def _seconds(_: object, __: object, value: float) -> None:
    """Raises ValueError for what is no time of more than nothing and at most a day."""
    if not 0 < value <= _DAY:
        raise ValueError(value)


@frozen(kw_only=True)
class ServerLimits:
    """The limits of a server, as ``/limits`` shows them."""

    query_seconds: float = field(default=30.0, validator=_seconds)
    """The time of a query, without waiting for its turn."""
    rows: int = field(default=100_000, validator=_AT_LEAST_ONE)
    """The rows of a table of a query in Cypher."""
    result_bytes: int = field(default=64 << 20, validator=_AT_LEAST_ONE)
    """The size of the result of a query."""
    memory_bytes: int = field(default=MEMORY, init=False)
    """The memory that a query may use, besides what the opened store takes."""
    body_bytes: int = field(default=1 << 20, validator=_AT_LEAST_ONE)
    """The size of a request's body."""
    header_seconds: float = field(default=10.0, validator=_seconds)
    """The time in which the headers of a request arrive."""
    body_seconds: float = field(default=20.0, validator=_seconds)
    """The time in which a body arrives."""
    write_seconds: float = field(default=30.0, validator=_seconds)
    """How long a client may leave an answer unread."""
    running: int = field(default=2, validator=_AT_LEAST_ONE)
    """Requests that are answered at the same time."""
    waiting: int = field(default=64, validator=validators.ge(0))
    """Requests that wait for their turn; the next one gets 503."""
    connections: int = field(default=256, validator=_AT_LEAST_ONE)
    """Open connections; the next one gets 503."""
    kept_bytes: int = field(default=64 << 20, validator=validators.ge(0))
    """The size of the answers that are kept to be given again, of each graph."""
    kept_rows: int = field(default=1_000_000, validator=validators.ge(0))
    """The rows of tables that are kept in memory, of each graph."""
    made_rows: int = field(default=10_000, validator=validators.ge(0))
    """The rows of a graph so small that a request makes the stores that it needs; of others, it gets 503 until they are
    made."""


def limits_of(settings: Sequence[str]) -> ServerLimits:
    """The limits, some of them as ``NAME=VALUE``.

    Raises
    ------
    ConfigurationError
        If there is no such limit, or its value is no number that it may have.
    """
    defaults = ServerLimits()
    kinds = {item.name: type(getattr(defaults, item.name)) for item in attrs.fields(ServerLimits) if item.init}
    given: dict[str, Any] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in kinds:
            raise ConfigurationError(f"{name!r} is no limit", where="--set", remedy=f"there are {', '.join(kinds)}")
        try:
            given[name] = kinds[name](value)
            # Each alone, so that the error names the one that is wrong.
            ServerLimits(**{name: given[name]})
        except ValueError:
            raise ConfigurationError(
                f"{value!r} is no value of {name}", where="--set", remedy=f"write a number: {name}=10"
            ) from None
    return ServerLimits(**given)


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
                # It was `end` that left, and not the client.
                if own.has_gone and not scope.cancel_called:
                    raise BusyError("the server ends") from None
                raise
            finally:
                gone.cancel()
                self._askers.discard(own)
        # Reached only if `_until_gone` has cancelled the scope, which ends the block without an error.
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
