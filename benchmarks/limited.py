"""One call in a process of its own that says how far it is, and ends at a limit of time or disk."""

from __future__ import annotations

import multiprocessing
import os
import resource
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

Staged = Callable[..., Callable[["Stage"], Any]]
"""Prepares (unmeasured) and returns the call that is measured."""

_PERIOD = 1.0


@frozen(kw_only=True)
class Limits:
    """The most seconds of a call, and the most bytes of its folder."""

    seconds: float = float("inf")
    disk: float = float("inf")


@define(kw_only=True)
class Reached:
    """How far a call came: wall-clock and processor seconds, the peak of its process, the most bytes of its folder.

    `stage` is what it did last; `stopped_by` names the limit that ended it, "" if it came to its end.
    """

    seconds: float = 0.0
    processor: float = 0.0
    peak_mib: float = 0.0
    disk: int = 0
    stage: str = ""
    stopped_by: str = ""


@define
class Stage:
    """What the measured call does at the moment: it sets `name`."""

    name: str = ""
    _began: float = field(factory=time.perf_counter, init=False)

    def report(self) -> tuple[str, float, float, float]:
        """The name, the seconds since the beginning, those of the processor, and the peak of the process in MiB."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return self.name, time.perf_counter() - self._began, time.process_time(), peak


def _child(connection: Connection, work: Staged, arguments: tuple[Any, ...]) -> None:
    call = work(*arguments)
    stage = Stage()
    ended = threading.Event()

    def tell() -> None:
        while not ended.wait(_PERIOD):
            try:
                connection.send((False, stage.report()))
            except BrokenPipeError:  # Nobody waits for the end any more.
                os._exit(1)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    call(stage)
    ended.set()
    teller.join()
    connection.send((True, stage.report()))


def run_within(limits: Limits, folder: Path, work: Staged, *arguments: Any) -> Reached:
    """Run ``work(*arguments)(stage)`` in a fresh process, until it ends or reaches a limit.

    Raises
    ------
    RuntimeError
        If the process ends by itself without an answer.
    """
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sending, work, arguments))
    process.start()
    sending.close()
    try:
        return _followed(receiving, limits, folder)
    except EOFError:
        raise RuntimeError(f"{work.__name__}{arguments} ended without an answer") from None
    finally:
        _end(process)


def _followed(receiving: Connection, limits: Limits, folder: Path) -> Reached:
    reached = Reached()
    while not reached.stopped_by:
        is_over, told = receiving.recv()
        reached.stage, reached.seconds, reached.processor, reached.peak_mib = told
        reached.disk = max(reached.disk, size(folder))
        if is_over:
            break
        if reached.seconds > limits.seconds:
            reached.stopped_by = "time"
        elif reached.disk > limits.disk:
            reached.stopped_by = "disk"
    return reached


def _end(process: BaseProcess) -> None:
    """Wait for a process that has answered; end one that has not, so that its files stay as they are."""
    process.join(_PERIOD)
    process.kill()
    process.join()


def size(folder: Path) -> int:
    """The bytes of the files in a folder, some of which may be deleted at this moment."""
    found = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            found += path.stat().st_size
    return found
