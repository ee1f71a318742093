"""Ctrl-C while a compiled library is at work ends with KeyboardInterrupt, whatever error the library raises."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


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
