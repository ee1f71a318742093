"""Time limits: each acts for its own call, and never after it was called off."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from exports.query import watchdog
from exports.query.watchdog import act_after

_SECONDS = 60


def test_a_shorter_limit_acts_before_a_longer_one_that_was_there_first() -> None:
    acted: list[str] = []
    done = threading.Event()
    longer = act_after(_SECONDS, lambda: acted.append("longer"))
    act_after(0.02, lambda: acted.append("second"))
    act_after(0.03, done.set)
    act_after(0.01, lambda: acted.append("first"))
    assert done.wait(_SECONDS)
    longer.call_off()
    assert acted == ["first", "second"]


def test_what_was_called_off_does_not_act() -> None:
    acted: list[int] = []
    done = threading.Event()
    off = [act_after(0.01, lambda number=number: acted.append(number)) for number in range(5)]  # type: ignore[misc]
    for deadline in off[:4]:
        deadline.call_off()
    called_off = list(acted)
    act_after(0.02, done.set)
    assert done.wait(_SECONDS)
    assert acted in (called_off, [*called_off, 4])
    assert not watchdog._pending


def test_all_share_one_thread_and_nothing_is_left() -> None:
    act_after(_SECONDS, print).call_off()
    before = threading.active_count()
    for deadline in [act_after(_SECONDS, print) for _ in range(100)]:
        deadline.call_off()
    assert threading.active_count() == before
    assert not watchdog._pending


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no forks")
def test_a_fork_has_limits_of_its_own() -> None:
    inherited = act_after(_SECONDS, print)
    fork = os.fork()
    if fork == 0:
        done = threading.Event()
        act_after(0.01, done.set)
        os._exit(0 if done.wait(_SECONDS) and not watchdog._pending else 1)
    assert os.waitpid(fork, 0)[1] == 0
    inherited.call_off()
