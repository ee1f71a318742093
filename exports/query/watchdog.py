"""Time limits of calls that only the end of a process can interrupt: one thread waits for all of them.

A limit is reached at once where nobody waits for the call any more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar

from attrs import define, field, frozen

from schemas.operating_system import after_fork_in_child


@define(eq=False)
class Asker:
    """Who waits for the calls of a context."""

    has_gone: bool = False


asker: ContextVar[Asker] = ContextVar("asker", default=Asker())  # noqa: B039 - nobody changes this one


@frozen(eq=False)
class Deadline:
    """A moment of the monotonic clock at which `act` is called, unless it is called off before."""

    at: float
    act: Callable[[], object] = field(repr=False)
    asker: Asker

    def call_off(self) -> None:
        """Wait for `act` if it is being called; it will not be called after this."""
        with _changed:
            _pending.discard(self)


def act_after(seconds: float, act: Callable[[], object]) -> Deadline:
    """Call `act`, which must be short since all others wait for it, in another thread after some seconds, or as soon as
    the asker of this context has gone."""
    global _thread
    current = asker.get()
    with _changed:
        # Waiting longer than TIMEOUT_MAX is an OverflowError.
        seconds = 0.0 if current.has_gone else min(seconds, threading.TIMEOUT_MAX / 2)
        deadline = Deadline(time.monotonic() + seconds, act, current)
        _pending.add(deadline)
        if _thread is None:
            _thread = threading.Thread(target=_watch, name="time limits", daemon=True)
            _thread.start()
        elif deadline.at < _wakes:
            _changed.notify()
    return deadline


def leave(gone: Asker) -> None:
    """Reach the limits of all that is done for an asker, now and later."""
    with _changed:
        gone.has_gone = True
        for deadline in [each for each in _pending if each.asker is gone]:
            _pending.remove(deadline)
            deadline.act()


def _watch() -> None:
    global _wakes
    with _changed:
        while True:
            now = time.monotonic()
            for deadline in [each for each in _pending if each.at <= now]:
                _pending.remove(deadline)
                deadline.act()
            # Not woken for what was called off meanwhile: then it looks again, once for many of them.
            _wakes = min((each.at for each in _pending), default=float("inf"))
            _changed.wait(_wakes - now if _pending else None)


def _forget() -> None:
    """In a fork there is no such thread."""
    global _changed, _thread, _wakes
    _changed, _thread, _wakes = threading.Condition(threading.Lock()), None, float("inf")
    _pending.clear()


_changed = threading.Condition(threading.Lock())
_pending: set[Deadline] = set()
_thread: threading.Thread | None = None
_wakes = float("inf")
"""When the thread looks again by itself."""

after_fork_in_child(_forget)
