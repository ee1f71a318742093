"""Servers that answer slowly, endlessly, wrongly or not at all: an error in time, and one request a query."""

from __future__ import annotations

import gzip
import itertools
import json
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from exports.query.sparql import run_query
from exports.rdf import sparql_client
from exports.targets import export
from kgscripts import ScriptGraph
from schemas.errors import KGScriptsError, StoreError
from tests.exports.toy_server import ToyServer, toy_server
from tests.graphs import odd_rows, write_graph

QUERY = "SELECT ?s ?n { ?s ?p ?n }"
_RESULT = {
    "head": {"vars": ["s", "n"]},
    "results": {
        "bindings": [
            {
                "s": {"type": "uri", "value": "https://example.org/a"},
                "n": {"type": "literal", "value": "1", "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
            },
            {"s": {"type": "bnode", "value": "b"}, "n": {"type": "literal", "value": "x", "xml:lang": "en"}},
        ]
    },
}
_BODY = json.dumps(_RESULT).encode()
_TYPE = b"Content-Type: application/sparql-results+json\r\n"


def http(body: bytes, headers: bytes = _TYPE, status: bytes = b"HTTP/1.1 200 OK") -> bytes:
    return status + b"\r\n" + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


@pytest.fixture(scope="module")
def server() -> Iterator[ToyServer]:
    with toy_server() as server:
        yield server


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return write_graph(tmp_path_factory.mktemp("hostile") / "graph", odd_rows(2))


_SILENCE = 60.0
"""Seconds for which a server says nothing. Who does not wait for that ends long before it, on any machine."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Reading the usual certificates takes a tenth of a second for each client.
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    monkeypatch.setattr(sparql_client, "_WAITS", (0.01,))
    monkeypatch.setattr(sparql_client, "_MOST_BYTES", 1 << 20)


def _drip(*parts: bytes) -> Iterator[bytes]:
    yield from parts
    while True:
        time.sleep(0.05)
        yield b"x"


def _silence() -> Iterator[bytes]:
    time.sleep(_SILENCE)
    yield b""


_ENDLESS: dict[str, Callable[[], Iterator[bytes]]] = {
    "no answer": _silence,
    "a slow status": lambda: _drip(b"HTTP/1.1 200 "),
    "slow headers": lambda: _drip(b"HTTP/1.1 200 OK\r\nX: "),
    "a slow body": lambda: _drip(b"HTTP/1.1 200 OK\r\n\r\n"),
    "endless interim answers": lambda: itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a chunk without end": lambda: _drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\n"),
}


@pytest.mark.parametrize("name", _ENDLESS)
def test_a_query_ends_after_its_time_limit_and_is_not_sent_again(name: str, server: ToyServer) -> None:
    server.answer = lambda _: _ENDLESS[name]()
    server.requests.clear()
    begun = time.monotonic()
    with pytest.raises(StoreError, match=r"did not respond within 0\.4 seconds"):
        run_query(f"http://127.0.0.1:{server.port}/query", QUERY, timeout=0.4)
    assert time.monotonic() - begun < _SILENCE / 2
    assert len(server.requests) == 1


def test_an_export_is_not_sent_again_after_a_time_out(
    server: ToyServer, graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sparql_client.SparqlClient.__init__, "__defaults__", (None, 0.4))
    server.answer = lambda _: _silence()
    server.requests.clear()
    with pytest.raises(StoreError, match="did not respond"):
        export(graph, f"sparql+http://127.0.0.1:{server.port}/kg")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "status",
    ["200 OK", "302 Found", "400 Bad Request", "401 Unauthorized", "404 Not Found", "500 Error", "silence", ""],
)
def test_the_query_string_of_an_endpoint_is_sent_and_never_shown(status: str, server: ToyServer) -> None:
    """Some services take a token there, and some repeat the address that they refuse."""

    def answer(request: bytes) -> Iterator[bytes]:
        if status == "silence":
            yield from _silence()
        target = request.split(b" ")[1]
        headers = _TYPE + b"Location: " + target + b"\r\n"
        body = _BODY if status == "200 OK" else b"no, not " + target
        yield http(body, headers, f"HTTP/1.1 {status}".encode()) if status else b""

    server.answer = answer
    server.requests.clear()
    address = f"http://127.0.0.1:{server.port}/query?access_token=S3cR3t&x=%C3%A9"
    with nullcontext() if status == "200 OK" else pytest.raises(KGScriptsError) as caught:
        limit = 0.4 if status == "silence" else _SILENCE
        assert len(list(run_query(address, QUERY, timeout=limit).rows)) == 2
    assert server.requests == [b"POST /query?access_token=S3cR3t&x=%C3%A9 HTTP/1.1"]
    assert caught is None or ("/query" in str(caught.value)) > ("S3cR3t" in str(caught.value))


def _bomb(layers: int) -> bytes:
    content = b"0" * (64 << 20)
    for _ in range(layers):
        content = gzip.compress(content)
    return content


_GZIP = _TYPE + b"Content-Encoding: gzip\r\n"
_REFUSED = {
    "a large body": ([b"HTTP/1.1 200 OK\r\n\r\n", *([b" " * (1 << 16)] * 64)], "larger than 1 MiB"),
    "a gzip bomb": ([http(_bomb(1), _GZIP)], "larger than 1 MiB"),
    "a gzip bomb in gzip": ([http(_bomb(2), _TYPE + b"Content-Encoding: gzip, gzip\r\n")], "not compressed"),
    "bad gzip": ([http(_BODY, _GZIP)], "not compressed"),
    "half of gzip": ([http(gzip.compress(_BODY)[:-9], _GZIP)], "not compressed"),
    "bad deflate": ([http(zlib.compress(_BODY), _TYPE + b"Content-Encoding: deflate\r\n")], "not compressed"),
    "brotli": ([http(_BODY, _TYPE + b"Content-Encoding: br\r\n")], "not compressed"),
    "no such encoding": ([http(_BODY, _TYPE + b"Content-Encoding: \xff\r\n")], "not compressed"),
    "half a body": ([http(_BODY)[:-9]], "went away"),
    "nothing": ([], "went away"),
    "no HTTP": ([b"SSH-2.0-OpenSSH_9.6\r\n"], "went away"),
    "HTTP/0.9": ([b"<html>hello</html>"], "went away"),
    "endless headers": ([b"HTTP/1.1 200 OK\r\n", *([b"X: " + b"x" * 1000 + b"\r\n"] * 1000)], "went away"),
    "a wrong length": ([b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"], "went away"),
    "a length of 5,000 digits": ([b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n"], "went away"),
    "a wrong charset": ([http(b"{", b"Content-Type: text/html; charset=base64\r\n")], "not a SPARQL result"),
    "no type": ([http(b"\xff", b"")], "not a SPARQL result"),
    "a type of no text": ([http(b"{", b"Content-Type: \xff\xfe\r\n")], "not a SPARQL result"),
    "a cookie of no sense": ([http(b"{", b"Set-Cookie: =;;;\x00\r\n")], "went away"),
    "triples that are none": ([http(b"<a> <b>", b"Content-Type: application/n-triples\r\n")], "not a SPARQL result"),
    "a large error": ([b"HTTP/1.1 500 No\r\n\r\n", *([b"no " * (1 << 16)] * 64)], "answers 500"),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_an_answer_that_cannot_be_read_is_an_error(name: str, server: ToyServer, graph: ScriptGraph) -> None:
    pieces, message = _REFUSED[name]
    server.answer = lambda _: pieces
    server.requests.clear()
    with pytest.raises(KGScriptsError, match=message) as caught:
        run_query(f"http://127.0.0.1:{server.port}/query", QUERY, timeout=20)
    assert len(server.requests) == 1
    assert len(str(caught.value)) < 1000
    with pytest.raises(KGScriptsError):
        export(graph, f"sparql+http://127.0.0.1:{server.port}/kg")


def _always(answers: list[bytes], _: bytes) -> list[bytes]:
    return answers


def test_a_redirect_is_not_followed(server: ToyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sparql_client.USER, "me")
    with toy_server(lambda _: [http(_BODY)]) as other:
        location = f"Location: http://127.0.0.1:{other.port}/query\r\n".encode()
        for status in (b"301", b"307", b"308"):
            answers = [http(b"", location, b"HTTP/1.1 " + status + b" Go")]
            server.answer = partial(_always, answers)
            with pytest.raises(StoreError, match="answers 30"):
                run_query(f"http://127.0.0.1:{server.port}/query", QUERY)
        assert other.requests == []


_ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1e308,
        10**30,
        float("nan"),
        float("inf"),
        "",
        "NaN",
        "x",
        "\x00",
        "\ud800",
        [],
        {},
        [[]],
        {"value": 1},
    ]
)


@st.composite
def _results(draw: st.DrawFn) -> bytes:
    """The result with an odd value, or without a value, somewhere in it."""
    result = json.loads(_BODY)
    for _ in range(draw(st.integers(1, 3))):
        item: Any = result
        path: list[Any] = []
        while isinstance(item, dict | list) and item and (not path or draw(st.integers(0, 3))):
            key = draw(st.sampled_from(sorted(item) if isinstance(item, dict) else range(len(item))))
            path.append((item, key))
            item = item[key]
        if not path:
            break
        parent, key = path[-1]
        if draw(st.booleans()):
            parent[key] = deepcopy(draw(_ODD))  # what is drawn is changed below
        else:
            del parent[key]
    return json.dumps(result).encode()


@st.composite
def _damaged(draw: st.DrawFn) -> bytes:
    """An answer, cut or with other bytes somewhere in it."""
    content = bytearray(http(draw(_results() | st.just(_BODY))))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        content[start : start + draw(st.integers(0, 8))] = draw(st.binary(max_size=8))
    return bytes(content)


_BODIES = _results() | st.sampled_from(
    [
        b"",
        b"null",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"boolean": true}',
        b'{"head": {"vars": ["s", "s"]}, "results": {"bindings": [{"s": {"type": "uri", "value": "a b"}}]}}',
        b'{"head": {"vars": []}, "results": {"bindings": [{}]}}',
        b'{"head": {"vars": ["n"]}, "results": {"bindings": [{"n": {"type": "literal", "value": "NaN"}}]}}',
        b'{"head": {"vars": ["n"]}, "results": {"bindings": [{"n": {"type": "literal", "value": "%s"}}]}}'
        % (b"9" * 5000),
        b'{"results": {"bindings": [{"n": {"type": "uri", "value": "a> ; DROP ALL #"}}]}, "head": {"vars": ["ours"]}}',
    ]
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answer=st.builds(http, _BODIES) | _damaged())
@example(answer=http(b"[" * 1_000_000))
def test_whatever_a_server_answers_only_errors_of_kgscripts_come_out(
    answer: bytes, server: ToyServer, graph: ScriptGraph
) -> None:
    server.answer = lambda _: [answer]
    address = f"http://127.0.0.1:{server.port}"
    for use in (lambda: run_query(f"{address}/query", QUERY, timeout=5), lambda: export(graph, f"sparql+{address}/kg")):
        try:
            use()
        except KGScriptsError as error:
            assert address in str(error.where)  # noqa: PT017
