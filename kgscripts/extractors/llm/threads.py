"""Calls in several threads, which nobody waits for when the program ends."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")


def started(calls: Iterable[Callable[[], _T]], threads: int) -> list[Future[_T]]:
    """The futures of calls, which so many threads make in their order. A future that is cancelled is not begun.

    Unlike those of `ThreadPoolExecutor`, the threads do not keep the program from ending: after Ctrl-C, a request that
    a server is slow to answer is not waited for.
    """
    waiting = deque((Future[_T](), call) for call in calls)
    futures = [future for future, _ in waiting]

    def work() -> None:
        while True:
            try:
                future, call = waiting.popleft()
            except IndexError:
                return
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001, raised where the result is taken
                future.set_exception(error)

    for _ in range(min(threads, len(futures))):
        threading.Thread(target=work, daemon=True).start()
    return futures
