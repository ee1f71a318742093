"""One measured call in a process of its own, so that no warm caches leak between calls; and ratios of figures."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from attrs import frozen

Work = Callable[..., Callable[[], Any]]
"""Prepares (unmeasured) and returns the call that is measured."""


@frozen(kw_only=True)
class Measurement:
    """Wall-clock `seconds` of the call; what the call returned."""

    seconds: float
    value: Any


def _child(connection: Connection, work: Work, arguments: tuple[Any, ...]) -> None:
    call = work(*arguments)
    start = time.perf_counter()
    value = call()
    connection.send(Measurement(seconds=time.perf_counter() - start, value=value))


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


def ratio(
    what: str, one: float, other: float, unit: str = "s", *, most: float | None = None, least: float | None = None
) -> Row:
    """The row of a figure as a multiple of another one, with both; its goal is to be no larger, or no smaller."""
    value = one / other
    shown = [f"{each:,.0f}" if each >= 100 else f"{each:.2f}" for each in (one, other)]
    figure = f"{value:.2f} x ({shown[0]} {unit} against {shown[1]})"
    if most is not None:
        return Row(what, figure, f"at most {most:g} x", value <= most)
    return Row(what, figure) if least is None else Row(what, figure, f"at least {least:g} x", value >= least)
