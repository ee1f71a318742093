"""A server that runs for long: it does not grow, its graph is built again under it, and signals end it."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest

from exports.serve.limits import ServerLimits
from kgscripts import ScriptGraph
from tests.exports.kitchen import kitchen_graph
from tests.exports.serve.conftest import AT_ONCE, Server, ServerProcess, responses, started
from tests.exports.serve.hostile_requests import cypher
from tests.exports.serve.test_hostile import HOSTILE, NEXT, answered
from tests.graphs import odd_graph

_SECONDS = 60
_GROWTH = 50 << 20
"""Bytes by which the memory may differ between two rounds of the same requests."""
COUNT = f"/sparql?query={quote('SELECT (count(*) AS ?n) { ?s a kgs:Scenario }')}"
ASKED = (COUNT, "/", "/api/scenarios", "/api/script?scenario=cooking+pasta", "/limits", "/api/tool?name=pot")


def round_of_requests(server: Server, process: psutil.Process, names: Iterable[str] = HOSTILE) -> None:
    """Hostile requests, the end of both engines, and 120 other requests, which start them again."""
    for name in names:
        answered(server, HOSTILE[name])
    for engine in process.children():
        engine.kill()
        # A request that comes while it dies fails.
        while not has_ended(engine):
            time.sleep(0.01)
    with ThreadPoolExecutor(4) as clients:
        statuses = clients.map(lambda number: server.ask("GET", ASKED[number % len(ASKED)]).status, range(119))
        assert set(statuses) == {200}
    assert [found.status for found in responses(server.raw(cypher("RETURN 1") + NEXT))] == [200, 200]


def has_ended(process: psutil.Process) -> bool:
    """Whether a process and all its threads have ended: its parent learns of its end only then."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1
    except psutil.NoSuchProcess:
        return True


def kept(process: psutil.Process) -> tuple[int, int]:
    """The open descriptors and the children of a process."""
    return process.num_fds(), len(process.children(recursive=True))


@pytest.mark.skipif(not hasattr(psutil.Process, "num_fds"), reason="this system does not count descriptors")
def test_nothing_grows_with_the_requests(kitchen: ScriptGraph) -> None:
    with started(kitchen.directory) as server:
        process = psutil.Process(server.process.pid)
        round_of_requests(server, process, [name for name in HOSTILE if name.endswith("-0")])
        before, threads = kept(process), process.num_threads()
        memory = []
        for _ in range(2):
            round_of_requests(server, process)
            memory.append(process.memory_info().rss)
        # The last connections end soon after their clients.
        end = time.monotonic() + _SECONDS
        while kept(process) > before and time.monotonic() < end:
            time.sleep(0.1)
        assert kept(process) == before
        # Threads that answer end when they have rested.
        assert process.num_threads() <= threads + ServerLimits().running
        assert memory[1] - memory[0] < _GROWTH


def test_no_request_fails_while_the_graph_is_built_again(tmp_path: Path) -> None:
    graph = kitchen_graph(tmp_path / "kitchen")
    done = threading.Event()

    def ask_without_pause(target: str) -> list[int]:
        statuses: list[int] = []
        while not done.is_set():
            # No query is that of before, whose answer the server may have kept.
            statuses.append(server.ask("GET", target.format(len(statuses))).status)
        return statuses

    with started(graph.directory) as server, ThreadPoolExecutor(8) as clients:
        targets = (COUNT + "%23{}", COUNT + "%23{}", "/api/scenarios", "/.well-known/void?{}") * 2
        asking = [clients.submit(ask_without_pause, target) for target in targets]
        try:
            for build in (odd_graph, kitchen_graph):
                count = build(graph.directory).manifest.rows("Scenario")
                # The new build is asked too before the next one.
                wait_for(server, COUNT, f'"{count}"')
                assert len(json.loads(server.ask("GET", "/api/scenarios").body)["scenarios"]) == count
        finally:
            done.set()
        assert [set(client.result()) for client in asking] == [{200}] * len(asking), server.log()


def wait_for(server: Server, target: str, text: str) -> None:
    """Ask until the answer has a text."""
    end = time.monotonic() + _SECONDS
    while text not in server.ask("GET", target).text:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def fresh(kitchen: ScriptGraph) -> Iterator[ServerProcess]:
    with started(kitchen.directory, says=AT_ONCE) as found:
        yield found


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it(fresh: ServerProcess, number: signal.Signals, code: int) -> None:
    with fresh.connect() as connection:
        connection.sendall(b"GET /limits HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
        children = psutil.Process(fresh.process.pid).children(recursive=True)
        fresh.process.send_signal(number)
        assert fresh.process.wait(_SECONDS) == code
    assert "Traceback" not in fresh.log()
    assert not psutil.wait_procs(children, timeout=_SECONDS)[1]
