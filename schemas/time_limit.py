"""A time limit for calls to servers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

QUERY_SECONDS = 300.0
"""The default time limit of a query to a server."""
EXPORT_SECONDS = 600.0
"""The time limit of a request or transaction of an export."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return the result of `work`, which runs in a thread of its own.

    After the time limit, or when the user presses Ctrl-C, the thread is abandoned: name resolution and the drivers of
    databases wait in calls that cannot be interrupted. A daemon thread does not delay the end of the process.

    Raises
    ------
    TimeoutError
        After `seconds`.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by `result`
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future.result(seconds)
