"""Neo4j servers that answer wrongly or not at all: an error in time, and one request a query."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j._codec.packstream import v1 as packstream  # The messages of a server are nowhere public.

from exports.cypher.cypher import run_query
from exports.neo4j import connection as neo4j_connection
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from schemas.errors import KGScriptsError, QueryError, StoreError
from schemas.graph_types import NODE_TYPES
from tests.exports.toy_server import ToyServer, toy_server
from tests.graphs import odd_rows, write_graph


def message(tag: bytes, *fields: Any) -> bytes:
    """A Bolt message in one chunk."""
    buffer: Any = packstream.PackableBuffer()  # type: ignore[attr-defined, no-untyped-call]
    packer: Any = packstream.Packer(buffer)  # type: ignore[no-untyped-call]
    packer.pack_struct(tag, fields)
    return len(buffer.data).to_bytes(2, "big") + bytes(buffer.data) + b"\0\0"


def success(**metadata: Any) -> bytes:
    return message(b"\x70", metadata)


def record(*values: Any) -> bytes:
    return message(b"\x71", list(values))


_HELLO = [b"\x00\x00\x04\x05", success(server="Neo4j/5.20.0", connection_id="bolt-1", hints={}), success()]


def _answers(*records: bytes) -> list[bytes]:
    """What a server sends for a query with a column."""
    return [
        *_HELLO,
        success(),
        success(fields=["a"], t_first=1, qid=0),
        *records,
        success(type="r", db="neo4j"),
        success(),
    ]


def _number(*records: bytes, fields: Any = ("n",)) -> list[bytes]:
    """What a server sends for a transaction with a query that returns a number."""
    return [
        success(),
        success(fields=fields and list(fields), t_first=1, qid=0),
        *records,
        success(type="r", db="neo4j"),
        success(bookmark="b"),
    ]


_COUNTED = _number(record(0)) * len(NODE_TYPES)
"""No nodes of another graph."""
_PREPARED = [success(fields=[], t_first=1), success(type="s", db="neo4j")] * len(NODE_TYPES)
"""The constraints are there."""


@pytest.fixture(scope="module")
def server() -> Iterator[ToyServer]:
    with toy_server() as server:
        yield server


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return write_graph(tmp_path_factory.mktemp("hostile") / "graph", odd_rows(2))


_SILENCE = 60.0
"""Seconds for which a server says nothing before it closes. Who does not wait for that ends long before it, on any
machine."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "some-password")
    monkeypatch.setattr(neo4j_connection, "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(neo4j_connection, "_CONNECT_SECONDS", 0.4)
    monkeypatch.setattr(neo4j_connection, "EXPORT_SECONDS", 0.3)


@pytest.fixture(autouse=True)
def _no_thread_goes_on() -> Iterator[None]:
    """A thread that waits for a server in the driver would use a core as long as Python runs."""
    yield
    deadline = time.monotonic() + 30
    while any(thread.name.endswith("(run)") for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "a thread waits for the server"
        time.sleep(0.01)


def _then_silence(parts: Iterable[bytes]) -> Iterator[bytes]:
    yield from parts
    time.sleep(_SILENCE)
    yield b""


@pytest.mark.parametrize("parts", [[], _HELLO[:1], _HELLO], ids=["no answer", "a version", "a welcome"])
def test_a_query_ends_after_its_time_limit(parts: list[bytes], server: ToyServer) -> None:
    server.answer = lambda _: _then_silence(parts)
    begun = time.monotonic()
    with pytest.raises(StoreError, match=r"did not respond within 0\.5 seconds|cannot be reached"):
        run_query(f"bolt://127.0.0.1:{server.port}", "RETURN 1", timeout=0.5)
    assert time.monotonic() - begun < _SILENCE / 2


@pytest.mark.parametrize("parts", [[], [b"HTTP/1.1 400 Bad\r\n\r\n"], [b"SSH-2.0-x\r\n"], [bytes(range(256))]])
def test_a_server_of_another_protocol_is_an_error(parts: list[bytes], server: ToyServer, graph: ScriptGraph) -> None:
    server.answer = lambda _: parts
    with pytest.raises(StoreError, match=rf"127\.0\.0\.1:{server.port}"):
        run_query(f"bolt://127.0.0.1:{server.port}", "RETURN 1", timeout=5)
    with pytest.raises(StoreError):
        export(graph, f"bolt://127.0.0.1:{server.port}")


def test_a_toy_server_answers_like_a_server(server: ToyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_connection, "_CONNECT_SECONDS", _SILENCE)
    server.answer = lambda _: _answers(record(1), record("x"), record(None))
    table = run_query(f"bolt://127.0.0.1:{server.port}", "RETURN 1", timeout=_SILENCE)
    assert (table.columns, list(table.rows)) == (("a",), [(1,), ("x",), (None,)])


_VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 2**63 - 1, math.nan, math.inf, "", "\x00", [], {}, {"_LABEL": 1}, {"_NODES": None}, b"bytes", [[[]]]]
)
_STRUCTURES = st.builds(
    lambda tag, fields: b"\xb1\x71\x91" + bytes([0xB0 + len(fields)]) + tag + b"".join(fields),
    st.sampled_from([b"N", b"R", b"r", b"P", b"D", b"F", b"X", b"Y", b"d", b"I", b"?"]),
    st.lists(
        st.sampled_from([b"\xc0", b"\x01", b"\x81a", b"\x90", b"\xa0", b"\x91\x81a", b"\xa1\x81a\x01"]), max_size=6
    ),
)
_RECORDS = st.builds(record, _VALUES) | _STRUCTURES.map(lambda data: len(data).to_bytes(2, "big") + data + b"\0\0")
_METADATA = st.dictionaries(
    st.sampled_from(["fields", "qid", "type", "stats", "db", "notifications", "plan", "bookmark", "hints", "server"]),
    _VALUES | st.just({"contains-updates": "x", "nodes-created": "x"}),
    max_size=4,
)
_MESSAGES = (
    _RECORDS
    | _METADATA.map(lambda metadata: success(**metadata))
    | _METADATA.map(lambda metadata: message(b"\x7f", metadata))
    | st.just(
        message(b"\x7f", {"code": "Neo.ClientError.Statement.SyntaxError", "message": "(line 9, column 9 (offset: 9))"})
    )
    | st.just(message(b"\x7e"))
    | st.binary(max_size=8)
)


@st.composite
def _damaged(draw: st.DrawFn) -> list[bytes]:
    parts = _answers(*draw(st.lists(_RECORDS, max_size=2)))
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(1, len(parts) - 1))
        parts[place : place + draw(st.integers(0, 1))] = draw(st.lists(_MESSAGES, max_size=2))
    return parts


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=_damaged())
def test_whatever_a_server_answers_only_errors_of_kgscripts_come_out(parts: list[bytes], server: ToyServer) -> None:
    server.answer = lambda _: parts
    address = f"bolt://127.0.0.1:{server.port}"
    try:
        table = run_query(address, "RETURN 1", timeout=0.5)
    except QueryError as error:
        # The server said that the query is wrong: an error has its place in the query, if it is one.
        assert error.where is None or error.where.startswith("line 1, column ")  # noqa: PT017
    except KGScriptsError as error:
        assert address in str(error.where)  # noqa: PT017
    else:
        assert all(len(row) == len(table.columns) for row in table.rows)


_MIDDLE = {
    "counting": [],
    "an answer without its beginning": [success(), *_number(record(0))[2:]],
    "an ignored query": [success(), message(b"\x7e"), message(b"\x7e"), success()],
    "half a transaction": _number(record(0))[:2],
    "constraints": _COUNTED,
    "writing": _COUNTED + _PREPARED,
    "the end of a transaction": _COUNTED + _PREPARED + _number(record(1))[:-1],
}


@pytest.mark.parametrize("place", _MIDDLE)
def test_an_export_ends_when_the_server_falls_silent(place: str, server: ToyServer, graph: ScriptGraph) -> None:
    server.answer = lambda _: _then_silence(_HELLO + _MIDDLE[place])
    begun = time.monotonic()
    with pytest.raises(StoreError, match=r"did not respond within 0\.3 seconds") as caught:
        export(graph, f"bolt://127.0.0.1:{server.port}")
    assert (caught.value.where, bool(caught.value.remedy)) == (f"bolt://127.0.0.1:{server.port}", True)
    assert time.monotonic() - begun < _SILENCE / 2


_ODD = {
    "null": _number(record(None)),
    "NaN": _number(record(math.nan)),
    "a fraction": _number(record(0.5)),
    "text": _number(record("0")),
    "a truth value": _number(record(False)),
    "less than nothing": _number(record(-1)),
    "no value": _number(record()),
    "no record": _number(),
    "two records": _number(record(0), record(0)),
    "no columns": _number(record(0), fields=None),
    "a record that is none": _number(message(b"\x71", 0)),
    "more was written than sent": _number(record(10**6)),
    "noise": [b"\x00\x02\xff\xff\x00\x00"],
}


@pytest.mark.parametrize("answer", _ODD)
@pytest.mark.parametrize("before", [[], _COUNTED + _PREPARED], ids=["counting", "writing"])
def test_an_odd_answer_ends_an_export(
    before: list[bytes], answer: str, server: ToyServer, graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without waiting for the time limit."""
    monkeypatch.setattr(neo4j_connection, "EXPORT_SECONDS", _SILENCE)
    server.answer = lambda _: _then_silence(_HELLO + before + _ODD[answer] + _COUNTED)
    begun = time.monotonic()
    with pytest.raises(StoreError) as caught:
        export(graph, f"bolt://127.0.0.1:{server.port}")
    assert caught.value.where == f"bolt://127.0.0.1:{server.port}"
    assert caught.value.remedy
    assert time.monotonic() - begun < _SILENCE / 2


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [success(fields=["id"]), record("4:a:1")],
        [success(fields=["id"]), record(), success()],
        [success(fields=None), record("4:a:1"), success()],
        [message(b"\x7e"), message(b"\x7e")],
    ],
    ids=["no answer", "no end", "no value", "no columns", "an ignored query"],
)
def test_odd_ids_of_what_is_replaced_end_an_export(parts: list[bytes], server: ToyServer, graph: ScriptGraph) -> None:
    server.answer = lambda _: _then_silence(_HELLO + parts)
    begun = time.monotonic()
    with pytest.raises(StoreError, match=r"did not respond|cannot be read"):
        export(graph, f"bolt://127.0.0.1:{server.port}", ExportOptions(replace_graph=True))
    assert time.monotonic() - begun < _SILENCE / 2


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=_damaged(), written=st.booleans())
def test_whatever_a_server_answers_an_export_ends_in_an_error(
    parts: list[bytes], written: bool, server: ToyServer, graph: ScriptGraph
) -> None:
    server.answer = lambda _: _HELLO + (_COUNTED + _PREPARED if written else []) + parts[len(_HELLO) :]
    with pytest.raises(KGScriptsError):
        export(graph, f"bolt://127.0.0.1:{server.port}")


def test_ctrl_c_ends_the_waiting_for_servers(graph: ScriptGraph) -> None:
    middle = _HELLO + _MIDDLE["writing"]
    with (
        toy_server(lambda _: _then_silence(_HELLO)) as bolt,
        toy_server(lambda _: _then_silence([])) as http,
        toy_server(lambda _: _then_silence(middle)) as writing,
    ):
        waiting = [
            (server, subprocess.Popen([sys.executable, "-m", "cli", *arguments], stderr=subprocess.PIPE))
            for server, arguments in (
                (bolt, ["query", "--uri", f"bolt://127.0.0.1:{bolt.port}", "--cypher", "RETURN 1"]),
                (http, ["query", "--endpoint", f"http://127.0.0.1:{http.port}/query", "--sparql", "ASK {}"]),
                (writing, ["export", str(graph.directory), f"bolt://127.0.0.1:{writing.port}"]),
            )
        ]
        try:
            for server, process in waiting:
                while not server.requests:
                    time.sleep(0.05)
                    assert process.poll() is None
                time.sleep(0.2)
                os.kill(process.pid, signal.SIGINT)
                _, errors = process.communicate(timeout=_SILENCE / 2)
                # An export says what it is doing before.
                assert (process.returncode, errors.decode().splitlines()[-1]) == (130, "interrupted")
        finally:
            for _, process in waiting:
                process.kill()
