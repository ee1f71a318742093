"""A disk that is full, as far as a test can have one, and one that nobody waits for."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def small_disk(size: int = 2000) -> Iterator[None]:
    """No file may grow beyond `size` bytes. No fixture: pytest's own report of the test would meet the limit too."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def no_fsync(patch: pytest.MonkeyPatch) -> None:
    """Let nothing wait until the disk has turned, SQLite neither."""
    connect = sqlite3.connect

    def connect_without(*arguments: Any, **settings: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **settings)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    patch.setattr(os, "fsync", lambda _: None)
    patch.setattr(sqlite3, "connect", connect_without)
