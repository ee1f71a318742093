"""Requests and clients that try to break a server: none fails, hangs or confuses it."""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.parse import quote

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts import ScriptGraph
from tests.exports.serve import hostile_queries as queries
from tests.exports.serve import hostile_requests as requests
from tests.exports.serve.conftest import AT_ONCE, Response, Server, ServerProcess, responses, started
from tests.exports.serve.hostile_requests import CHUNKED, DIRECT, get, post, sent

HOSTILE = requests.joined(
    requests.lines(),
    requests.methods(),
    requests.bodies_with_two_ends(),
    requests.chunks(),
    requests.headers(),
    requests.preferences(),
    requests.incomplete(),
    queries.paths(),
    queries.parameters(),
    queries.bodies(),
    queries.values(),
    queries.sparql_queries(),
    queries.cypher_queries(),
)

NEXT = get("/limits", "Connection: close")  # What the client sends after a hostile request on the same connection.
LITTLE = [*(f"--set={name}_seconds=1" for name in ("header", "body", "write")), "--set=query_seconds=0.5"]
_SECONDS = 60
"""After these a server that still holds a connection has failed."""


@pytest.fixture(scope="module")
def hasty(kitchen: ScriptGraph) -> Iterator[ServerProcess]:
    """A server that gives little time."""
    with started(kitchen.directory, *LITTLE, says=AT_ONCE) as found:
        yield found


def answered(server: Server, hostile: requests.Hostile) -> list[Response]:
    """The responses to a hostile request, and to the next one if it is complete."""
    if not hostile.statuses:
        return responses(server.raw(hostile.request, ends=True))
    return responses(server.raw(hostile.request + NEXT))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_has_one_answer(server: ServerProcess, name: str) -> None:
    hostile = HOSTILE[name]
    found = answered(server, hostile)
    if not hostile.statuses:
        assert found == []
        return
    first, *later = found
    assert first.status in hostile.statuses
    assert not any(words in first.body for words in (b"Traceback", b"root:"))
    if first.headers.get("content-type") == "application/json":
        json.loads(first.body, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    # What follows is the answer to the next request, or the refusal of what cannot be one.
    assert len(later) <= 1
    for response in later:
        refused = response.status == 400 and response.headers["connection"].lower() == "close"
        assert refused or (response.status == 200 and b'"query_seconds"' in response.body)


STRANGERS = requests.joined(queries.strangers())


@pytest.fixture(scope="module")
def guarded(kitchen: ScriptGraph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that needs a token."""
    token = tmp_path_factory.mktemp("guarded") / "token"
    token.write_text("a-token-that-nobody-sends", encoding="utf-8")
    with started(kitchen.directory, "--token-file", str(token), says=AT_ONCE) as found:
        yield found


@pytest.mark.parametrize("name", STRANGERS)
def test_who_has_no_token_is_told_nothing(guarded: ServerProcess, name: str) -> None:
    (found,) = responses(guarded.raw(STRANGERS[name].request, ends=True))
    assert found.status in STRANGERS[name].statuses
    assert "set-cookie" not in found.headers
    assert b"query_seconds" not in found.body


def test_after_them_the_server_answers_and_has_noted_no_failure(server: ServerProcess) -> None:
    assert server.ask("GET", "/limits").status == 200
    assert "Traceback" not in server.log()


def test_a_client_that_sends_nothing_more_is_answered(server: ServerProcess) -> None:
    for request in (get("/limits"), get("/api/scenarios"), post("/sparql", b"ASK {}", DIRECT)):
        assert [found.status for found in responses(server.raw(request, ends=True))] == [200]


def test_a_query_that_would_never_end_ends_at_a_limit(hasty: ServerProcess) -> None:
    with ThreadPoolExecutor() as clients:
        found = clients.map(lambda query: responses(hasty.raw(query + NEXT)), queries.BOMBS.values())
    for name, (ended, following) in zip(queries.BOMBS, found, strict=True):
        assert ended.status == 400, name
        assert "more than" in ended.text, name
        assert following.status == 200, name


VALID = [
    get("/api/script?scenario=cooking+pasta&limit=3", "Accept: application/json", "Accept-Encoding: gzip"),
    get("/sparql?query=ASK%20%7B%7D&default-graph-uri=http%3A%2F%2Fexample.org%2F", 'If-None-Match: W/"a"'),
    get("/data/tool/pot", "Origin: http://localhost", "Range: bytes=0-9", "Authorization: Bearer a"),
    post("/sparql", b"SELECT * { ?s ?p ?o FILTER(?o = 'pot') } LIMIT 2", DIRECT, "Expect: 100-continue"),
    post("/cypher", b'{"query": "MATCH (t:Tool) RETURN t.label LIMIT 1", "parameters": {"a": [1, "b"]}}'),
    sent("POST /sparql HTTP/1.1", DIRECT, CHUNKED, body=b"6\r\nASK {}\r\n0\r\n\r\n"),
]
_PIECES = st.sampled_from([b"\r\n", b"\n", b"\r", b"\0", b"\xff", b" ", b"%", b":", b"{", b"'", b"0", b"9" * 20])
_CHANGES = st.tuples(st.integers(0, 300), st.integers(0, 3), st.one_of(_PIECES, st.binary(max_size=3)))
"""Where bytes are replaced, how many, and by what."""


@given(request=st.sampled_from(VALID), changes=st.lists(_CHANGES, min_size=1, max_size=4))
def test_no_change_of_bytes_makes_a_request_that_fails(
    server: ServerProcess, request: bytes, changes: list[tuple[int, int, bytes]]
) -> None:
    noted = len(server.log())
    for at, length, replacement in changes:
        request = request[:at] + replacement + request[at + length :]
    found = responses(server.raw(request, ends=True))
    assert found or not is_complete(request)
    assert all(response.status < 500 or response.status == 503 for response in found)
    assert "Traceback" not in server.log()[noted:]


def is_complete(request: bytes) -> bool:
    """Whether HTTP expects an answer to these bytes: they are a whole request, or cannot become one."""
    parser = h11.Connection(h11.SERVER)
    parser.receive_data(request)
    try:
        while (event := parser.next_event()) is not h11.NEED_DATA:
            if event is h11.PAUSED or isinstance(event, h11.EndOfMessage):
                return True
    except h11.RemoteProtocolError:
        return True
    return False


SLOW = {
    "nothing": (b"", b""),
    "a line that does not end": (b"GET /lim", b"a"),
    "headers that do not end": (get("/limits")[:-2], b"A: b\r\n"),
    "a second request": (get("/limits") + b"GET /limits HTTP/1.1\r\n", b"A: b\r\n"),
    "a body": (sent("POST /sparql HTTP/1.1", DIRECT, "Content-Length: 100000"), b" "),
    "chunks": (sent("POST /cypher HTTP/1.1", CHUNKED), b"1\r\n \r\n"),
    "a body that nobody reads": (get("/limits", "Content-Length: 100000"), b" "),
    "chunks that nobody reads": (get("/nothing", CHUNKED), b"1\r\n \r\n"),
}
"""How a client begins, and what it sends again and again without an end."""


def test_slow_clients_lose_their_connections(hasty: ServerProcess) -> None:
    connected = {what: hasty.connect() for what in SLOW}
    for what, connection in connected.items():
        connection.sendall(SLOW[what][0])
    held = dict(connected)
    end = time.monotonic() + _SECONDS
    while held and time.monotonic() < end:
        for what in list(held):
            if has_ended(held[what], SLOW[what][1]):
                del held[what]
        time.sleep(0.1)
    for connection in connected.values():
        connection.close()
    assert not held
    assert hasty.ask("GET", "/limits").status == 200


def has_ended(connection: socket.socket, more: bytes) -> bool:
    """Whether the server has closed; if not, it is sent more."""
    connection.setblocking(False)
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        try:
            connection.send(more)
        except ConnectionError:
            return True
        return False
    except ConnectionError:
        pass
    return True


def test_a_client_that_reads_no_answers_loses_its_connection(hasty: ServerProcess) -> None:
    end = time.monotonic() + _SECONDS
    with hasty.connect() as connection:
        connection.setblocking(False)
        while time.monotonic() < end:
            try:
                connection.send(get("/") * 100)
            except BlockingIOError:
                time.sleep(0.1)
            except ConnectionError:
                break
        else:
            pytest.fail("the server still waits for a client that reads nothing")
    assert hasty.ask("GET", "/limits").status == 200


def test_a_client_that_reads_slowly_gets_all(kitchen: ScriptGraph) -> None:
    query = quote("SELECT * { ?s ?p ?o . ?a ?b ?c } LIMIT 20000")
    slow = started(kitchen.directory, "--set=write_seconds=1", says=AT_ONCE)
    with slow as server, server.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.sendall(get(f"/sparql?query={query}", "Connection: close"))
        received, pieces = bytearray(), 0
        while piece := connection.recv(1 << 16):
            received += piece
            pieces += 1
            # Two seconds, twice the time in which a part of an answer has to be read.
            time.sleep(0.02 if pieces <= 100 else 0)
    assert pieces > 100
    (found,) = responses(bytes(received))
    assert found.status == 200
    assert len(json.loads(found.body)["results"]["bindings"]) == 20_000


def test_many_headers_that_never_end_keep_nobody_out(hasty: ServerProcess) -> None:
    waiting = [hasty.connect() for _ in range(300)]
    for connection in waiting:
        # The first may have lost their connections when the last are made.
        with suppress(ConnectionError):
            connection.sendall(b"GET /limits HTTP/1.1\r\nHost: ")
    # There are more than the limit of connections.
    assert hasty.ask("GET", "/limits").status in (200, 503)
    with selectors.DefaultSelector() as selector:
        for connection in waiting:
            selector.register(connection, selectors.EVENT_READ)
        end = time.monotonic() + _SECONDS
        while selector.get_map() and time.monotonic() < end:
            for key, _ in selector.select(1):
                selector.unregister(key.fileobj)
        assert not selector.get_map()
    for connection in waiting:
        connection.close()
    assert hasty.ask("GET", "/limits").status == 200
