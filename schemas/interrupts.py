"""Ends of long calls: Ctrl-C while a compiled library is at work, and a time limit for calls to servers."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread
from types import FrameType
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


@contextmanager
def passing_on_interrupts() -> Iterator[None]:
    """End with KeyboardInterrupt instead of any error if Ctrl-C came before it.

    Python raises KeyboardInterrupt in whatever the main thread does. Where that is a callback of a compiled library
    (DuckDB, pyarrow, a module that is being imported), the library replaces it by an error of its own.

    A handler of the caller's that raises nothing is left alone, and so are all threads but the main one, in which
    Python handles no signals.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    interrupted = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        try:
            before(number, frame)
        except KeyboardInterrupt:
            interrupted = True
            raise

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    except Exception as error:
        if interrupted:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
