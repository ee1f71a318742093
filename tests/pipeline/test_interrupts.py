"""Ctrl-C while assembly is inside of a library: KeyboardInterrupt, the old graph, and the same call goes on."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from kgscripts.assembly import engine
from kgscripts.pipeline import build_graph
from schemas.interrupts import passing_on_interrupts
from schemas.vocabulary import slug
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny

TEXTS = ["boil the water. add the pasta. stir the pasta with the spoon.\n", "boil the water. drain the pasta.\n"]


@pytest.fixture(autouse=True)
def _as_in_a_terminal() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler := signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is handler
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of the first text; it is only copied."""
    directory = tmp_path_factory.mktemp("first") / "graph"
    build_graph(output=directory, texts=TEXTS[:1], extractors=tiny())
    return directory


@pytest.fixture
def graph(first: Path, tmp_path: Path) -> Path:
    return shutil.copytree(first, tmp_path / "graph")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of a graph of all texts."""
    directory = tmp_path_factory.mktemp("whole") / "graph"
    build_graph(output=directory, texts=TEXTS, extractors=tiny())
    return graph_bytes(directory)


@pytest.mark.parametrize("call", [1, 5])
def test_in_a_function_of_ours_that_the_engine_calls(
    call: int, graph: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = count(1)

    def interrupted(text: str) -> str:
        if next(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return slug(text)

    old = graph_bytes(graph)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "slug", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build_graph(output=graph, texts=TEXTS[1:], extractors=tiny())
    assert graph_bytes(graph) == old
    build_graph(output=graph, texts=TEXTS[1:], extractors=tiny())
    assert graph_bytes(graph) == whole


def test_while_queries_run(graph: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Sent from another thread, so that it comes while this one is in the engine or on its way there."""
    old = graph_bytes(graph)
    for method, call in (("run", 3), ("add", 1), ("table", 2), ("rows", 4)):
        with monkeypatch.context() as patch:
            senders = _interrupt(patch, method, call)
            with pytest.raises(KeyboardInterrupt):
                build_graph(output=graph, texts=TEXTS[1:], extractors=tiny())
            (sender,) = senders
            sender.join()
        assert graph_bytes(graph) == old, f"interrupted in call {call} of {method}"
    build_graph(output=graph, texts=TEXTS[1:], extractors=tiny())
    assert graph_bytes(graph) == whole


def _interrupt(patch: pytest.MonkeyPatch, method: str, call: int) -> list[threading.Thread]:
    """Send an interrupt when a method of the engine is called for this time; the thread that has sent it."""
    inner, calls = getattr(engine.Engine, method), count(1)
    senders: list[threading.Thread] = []

    def sending(self: engine.Engine, *arguments: object) -> object:
        if next(calls) == call:
            senders.append(threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)))
            senders[-1].start()
        return inner(self, *arguments)

    patch.setattr(engine.Engine, method, sending)
    return senders


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(ZeroDivisionError), passing_on_interrupts():
        raise ZeroDivisionError


def test_an_interrupt_that_is_handled_inside_is_forgotten_by_what_ends_well() -> None:
    with passing_on_interrupts(), suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_handler_of_the_caller_decides() -> None:
    """One that only takes notice, as servers do to end in order: errors are then no interrupts."""
    noticed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: noticed.append(number))
    with pytest.raises(ZeroDivisionError):
        _fail_after_a_signal()
    assert noticed == [signal.SIGINT]
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _fail_after_a_signal() -> None:
    with passing_on_interrupts():
        signal.raise_signal(signal.SIGINT)
        raise ZeroDivisionError


def test_in_another_thread_nothing_is_changed() -> None:
    found: list[object] = []

    def look() -> None:
        with passing_on_interrupts():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]
