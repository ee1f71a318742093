"""How a server starts and ends: what it lacks is made meanwhile, and nothing outlives its client or a signal."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError
from tests.commands import run
from tests.exports.serve.conftest import AT_ONCE, ServerProcess, responses, started
from tests.exports.serve.hostile_queries import BOMBS

_SECONDS = 300
_INTERRUPTED, _TERMINATED = (signal.SIGINT, 130), (signal.SIGTERM, 143)
_LARGE = "--set=made_rows=0"
"""No graph is so small that a request makes what it needs."""
_ENDLESS = "--set=query_seconds=600"


@pytest.fixture
def unprepared(kitchen: ScriptGraph, tmp_path: Path) -> Path:
    shutil.copytree(kitchen.directory, tmp_path / "graph", ignore=shutil.ignore_patterns("stores"))
    return tmp_path / "graph"


@pytest.fixture(scope="module")
def endless(kitchen: ScriptGraph) -> Iterator[ServerProcess]:
    """A server that answers one query at a time, for as long as it takes."""
    with started(kitchen.directory, _ENDLESS, "--set=running=1", says=AT_ONCE) as server:
        yield server


@contextmanager
def never_prepared(directory: Path) -> Iterator[None]:
    """Another process makes the index of words all the time, for which everything else waits."""
    (directory / "stores").mkdir()
    hold = (
        "import sys, filelock, time; lock = filelock.FileLock(sys.argv[1]); lock.acquire(); print(flush=True); "
        "time.sleep(600)"
    )
    command = [sys.executable, "-c", hold, str(directory / "stores" / ".words.lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        try:
            yield
        finally:
            holder.kill()


def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + _SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def busy_engines(server: ServerProcess) -> set[psutil.Process]:
    """The processes of the server that answer queries and have computed for a while."""
    found = set()
    for child in psutil.Process(server.process.pid).children():
        try:
            if any("confined_child" in part for part in child.cmdline()) and child.cpu_times().user > 0.5:
                found.add(child)
        except psutil.NoSuchProcess:
            pass
    return found


def test_what_needs_no_store_is_answered_and_others_say_what_they_wait_for(unprepared: Path) -> None:
    with never_prepared(unprepared), started(unprepared, _LARGE, says="making the index of words") as server:
        until(lambda: server.ask("GET", "/").status == 200)
        for target in ("/", "/query", "/api/scenarios", "/api/script?scenario=cooking+pasta", "/limits"):
            assert server.ask("GET", target).status == 200
        waiting = {
            "/api/search?question=pasta": "words",
            "/api/tools?action=drain+pasta": "words",
            "/sparql?query=ASK+%7B%7D": "SPARQL",
            "/data/tool/pot": "SPARQL",
            "/.well-known/void": "SPARQL",
        }
        found = {what: server.ask("GET", what) for what in waiting}
        found["/cypher"] = server.ask("POST", "/cypher", body=b'{"query": "RETURN 1"}')
        for what, answer in found.items():
            assert answer.status == 503
            assert int(answer.headers["retry-after"]) > 0
            assert f"{waiting.get(what, 'Cypher')}, which is being made" in answer.text


def test_a_graph_is_asked_from_the_start_and_answers_all_in_the_end(unprepared: Path) -> None:
    question = "/api/search?question=dish+out+the+meal&kind=step"
    with started(unprepared) as server:
        assert server.ask("GET", "/sparql?query=ASK+%7B%7D").status == 200
        assert server.ask("POST", "/cypher", body=b'{"query": "RETURN 1"}').status == 200
        assert json.loads(server.ask("GET", question).body)["meaning"]
        log = server.log()
        assert log.index("serving ") < log.index("making the index of words") < log.index("making the vectors")
        assert log.index("making the vectors") < log.index("ready: ")


def test_what_cannot_be_made_is_said(unprepared: Path) -> None:
    table = unprepared / "nodes" / "Tool.parquet"
    table.write_bytes(bytes(table.stat().st_size))
    with started(unprepared, _LARGE, says="not all could be made") as server:
        answer = server.ask("GET", "/sparql?query=ASK+%7B%7D")
    assert answer.status == 503
    assert "could not be made" in answer.text
    assert "Tool" in answer.text


@pytest.mark.parametrize("name", ["filter", "cypher-product"])
def test_a_query_whose_client_has_gone_is_ended(endless: ServerProcess, name: str) -> None:
    for is_half_closed in (False, True):
        with endless.connect() as client:
            client.sendall(BOMBS[name])
            if is_half_closed:
                client.shutdown(socket.SHUT_WR)
            until(lambda: busy_engines(endless))
            (engine,) = busy_engines(endless)
            assert engine.is_running()
        psutil.wait_procs([engine], timeout=_SECONDS)
        assert not engine.is_running()
    assert endless.ask("GET", "/sparql?query=ASK+%7B%7D").status == 200
    assert "Traceback" not in endless.log()


def test_a_client_that_waits_for_a_long_query_and_sends_nothing_more_is_answered(kitchen: ScriptGraph) -> None:
    with started(kitchen.directory, "--set=query_seconds=1", says=AT_ONCE) as server:
        (answer,) = responses(server.raw(BOMBS["filter"], ends=True))
    assert (answer.status, "more than 1 second" in answer.text) == (400, True)


def test_slow_queries_keep_no_other_request_waiting(endless: ServerProcess) -> None:
    with endless.connect() as client:
        client.sendall(BOMBS["filter"])
        until(lambda: busy_engines(endless))
        assert endless.ask("GET", "/api/script?scenario=cooking+pasta").status == 200
        assert endless.ask("GET", "/api/search?question=dish+out+the+meal").status == 200
    until(lambda: not busy_engines(endless))


@pytest.mark.parametrize(
    ("query", "number", "code"),
    [("filter", *_TERMINATED), ("cypher-product", *_INTERRUPTED)],
)
def test_a_signal_ends_a_server_that_answers_queries(kitchen: ScriptGraph, query: str, number: int, code: int) -> None:
    with started(kitchen.directory, _ENDLESS, says=AT_ONCE) as server, server.connect() as client:
        client.sendall(BOMBS[query])
        until(lambda: busy_engines(server))
        ends_with(server, number, code)


@pytest.mark.parametrize(("making", "number", "code"), [("words", *_INTERRUPTED), ("vectors", *_TERMINATED)])
def test_a_signal_ends_a_server_that_makes_stores(unprepared: Path, number: int, code: int, making: str) -> None:
    with started(unprepared, says=f"making the {'index of ' * (making == 'words')}{making}") as server:
        ends_with(server, number, code)
    run("prepare", unprepared)
    assert "true" in run("query", unprepared, "--sparql", "ASK {}").lower()


def ends_with(server: ServerProcess, number: int, code: int) -> None:
    children = psutil.Process(server.process.pid).children(recursive=True)
    server.process.send_signal(number)
    assert server.process.wait(_SECONDS) == code
    _, left = psutil.wait_procs(children, timeout=_SECONDS)
    assert not left
    assert "Traceback" not in server.log()


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_a_port_in_use_is_an_error_in_words(kitchen: ScriptGraph, command: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        arguments = [command, str(kitchen.directory), "--port", str(taken.getsockname()[1])]
        done = CliRunner().invoke(cli.app, arguments)
    assert isinstance(done.exception, ConfigurationError)
    assert "no server can listen at 127.0.0.1" in str(done.exception)
    assert "serving" not in done.output
