"""The client of `python -m benchmarks serving` counts what a server has answered, and that only."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from benchmarks.http_load import Load, LoadPlan, load
from tests.exports.serve.conftest import in_thread

_SLOW = 0.05


@contextmanager
def _serving(answer: Callable[[], Response], answered: Counter[int], delay: float = 0.0) -> Iterator[LoadPlan]:
    """A server that counts the statuses of its answers, and a plan to ask it."""

    async def endpoint(request: Request) -> Response:
        assert request.url.query == "q=1"
        assert request.headers["x-test"] == "yes"
        await asyncio.sleep(delay)
        found = answer()
        answered[found.status_code] += 1
        return found

    with in_thread(Starlette(routes=[Route("/at/a", endpoint)])) as server:
        yield LoadPlan(
            address=f"http://127.0.0.1:{server.port}/at",
            headers={"X-Test": "yes"},
            draw=_draw,
            clients=3,
            seconds=0.5,
            warm_up=0.0,
        )


def _draw(_: random.Random) -> str:
    return "/a?q=1"


async def _pieces() -> AsyncIterator[bytes]:
    for piece in (b"one", b"t" * 100_000, b"three\r\n0\r\n\r\n"):
        yield piece


def test_every_answer_is_counted_and_refusals_apart() -> None:
    """Bodies with a length and in chunks end where they end: otherwise the next answer could not be read."""
    every: Iterator[Callable[[], Response]] = itertools.cycle(
        (
            lambda: PlainTextResponse("whole"),
            lambda: StreamingResponse(_pieces()),
            lambda: PlainTextResponse("busy", 503, {"Retry-After": "0"}),
        )
    )
    answered: Counter[int] = Counter()
    with _serving(lambda: next(every)(), answered) as plan:
        found = load(plan)()
    assert (len(found.latencies), found.refused) == (answered[200], answered[503])
    assert 0 < found.rate * plan.seconds <= answered[200]
    assert list(found.latencies) == sorted(found.latencies)


def test_a_busy_server_is_asked_again_after_its_time() -> None:
    answered: Counter[int] = Counter()
    with _serving(lambda: PlainTextResponse("busy", 503, {"Retry-After": "2"}), answered) as plan:
        found = load(plan)()
    assert answered[503] == found.refused == plan.clients
    assert found.percentile(99) == float("inf")


def test_clients_with_a_period_ask_once_in_it() -> None:
    answered: Counter[int] = Counter()
    with _serving(lambda: PlainTextResponse("a"), answered, delay=_SLOW) as plan:
        found = load(evolve(plan, period=0.2, seconds=1.0))()
    assert plan.clients <= answered[200] <= plan.clients * 5
    assert found.percentile(1) >= _SLOW


def test_a_warm_up_is_not_counted() -> None:
    answered: Counter[int] = Counter()
    with _serving(lambda: PlainTextResponse("a"), answered) as plan:
        found = load(evolve(plan, warm_up=0.5))()
    assert 0 < len(found.latencies) < answered[200]


def test_a_wrong_request_ends_the_load() -> None:
    with _serving(lambda: PlainTextResponse("there is no such thing", 404), Counter()) as plan:
        call = load(evolve(plan, clients=1))
        with pytest.RaisesGroup(pytest.RaisesExc(RuntimeError, match=r"404.*no such thing")):
            call()


@given(st.lists(st.floats(0, 100), min_size=1), st.integers(1, 99))
def test_percentiles_are_those_of_numpy(latencies: list[float], number: int) -> None:
    found = Load(latencies=sorted(latencies), rate=1.0, refused=0).percentile(number)
    assert found == pytest.approx(np.percentile(latencies, number))


def test_turns_are_one_load() -> None:
    turns = [Load(latencies=[0.2, 0.4], rate=2.0, refused=1), Load(latencies=[0.1, 0.3], rate=4.0, refused=0)]
    assert Load.of_turns(turns) == Load(latencies=[0.1, 0.2, 0.3, 0.4], rate=3.0, refused=1)
