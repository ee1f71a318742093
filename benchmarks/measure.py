"""One measured call in a process of its own, so that neither memory nor warm caches leak between calls."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from attrs import frozen

Work = Callable[..., Callable[[], Any]]
"""Prepares (unmeasured) and returns the call that is measured."""


@frozen(kw_only=True)
class Measurement:
    """Wall-clock `seconds` of the call; `peak_mib` of the whole process; what the call returned."""

    seconds: float
    peak_mib: float
    value: Any


def _child(connection: Connection, work: Work, arguments: tuple[Any, ...]) -> None:
    call = work(*arguments)
    start = time.perf_counter()
    value = call()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    connection.send(Measurement(seconds=seconds, peak_mib=peak, value=value))


def measure(work: Work, *arguments: Any) -> Measurement:
    """Run ``work(*arguments)()`` in a fresh process.

    Raises
    ------
    RuntimeError
        If the process ends without an answer.
    """
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sending, work, arguments))
    process.start()
    sending.close()
    try:
        measurement: Measurement = receiving.recv()
    except EOFError:
        raise RuntimeError(f"{work.__name__}{arguments} ended without an answer") from None
    finally:
        process.join()
    return measurement


@frozen
class Row:
    """A line of the result: what was measured, the figure, its goal, and whether that is met."""

    what: str
    figure: str
    goal: str = "-"
    met: bool | None = None


def at_most(what: str, value: float, goal: float, unit: str, more: str = "") -> Row:
    """The row of a value that is good if it is no larger than the goal; `more` follows it in parentheses."""
    return Row(what, _figure(value, unit, more), f"{goal:,g} {unit}", value <= goal)


def at_least(what: str, value: float, goal: float, unit: str, more: str = "") -> Row:
    """The row of a value that is good if it is no smaller than the goal; `more` follows it in parentheses."""
    return Row(what, _figure(value, unit, more), f"{goal:,g} {unit}", value >= goal)


def _figure(value: float, unit: str, more: str) -> str:
    number = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    return f"{number} {unit}" + (f" ({more})" if more else "")
