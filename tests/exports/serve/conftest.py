"""Servers that run beside the tests, spoken to over raw sockets."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest
import uvicorn
from attrs import frozen
from starlette.applications import Starlette

from kgscripts import ScriptGraph
from tests.commands import run
from tests.exports.kitchen import kitchen_graph

_SECONDS = 600
"""After these a server that does not start, end, or answer has failed."""
_STATUS = re.compile(r"HTTP/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]*")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*)")


@frozen
class Response:
    """A response: its status, headers by lower-case name, and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@frozen
class Server:
    """A running server."""

    port: int

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=_SECONDS)

    def raw(self, request: bytes, *, ends: bool = False) -> bytes:
        """What comes back for the bytes of a request until the server closes; a server that never does fails the test.

        With `ends` the client closes its half of the connection: a server that waits for more closes at once.
        """
        received = bytearray()
        with self.connect() as connection, suppress(ConnectionError):
            # A server may refuse a request before it has all of it.
            with suppress(ConnectionError):
                connection.sendall(request)
                if ends:
                    connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65_536):
                received += piece
        return bytes(received)

    def ask(
        self,
        method: str,
        target: str,
        headers: dict[str, str] | None = None,
        body: bytes = b"",
        host: str = "localhost",
    ) -> Response:
        """The response to a request."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if body or method in ("POST", "PUT"):
            lines.append(f"Content-Length: {len(body)}")
        (found,) = responses(self.raw("\r\n".join([*lines, "", ""]).encode() + body), method == "HEAD")
        return found


@frozen
class ServerProcess(Server):
    """A running `kgscripts serve`."""

    process: subprocess.Popen[bytes]
    _errors: IO[bytes]

    def log(self) -> str:
        """What it has written to its standard error."""
        self._errors.seek(0)
        return self._errors.read().decode()


def responses(received: bytes, to_head: bool = False) -> list[Response]:
    """The final responses in the bytes that a server has sent; raises AssertionError if there is anything else."""
    found = []
    while received:
        head, end, received = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        status, fields = _STATUS.fullmatch(first), [_FIELD.fullmatch(line) for line in lines]
        assert end, head
        assert status, first
        assert all(fields), lines
        headers = {field[1].lower(): field[2] for field in fields if field}
        body = b""
        if headers.get("transfer-encoding") == "chunked":
            body, received = _joined(received)
        elif not to_head and status[1] not in ("204", "304") and status[1][0] != "1":
            is_last = headers.get("connection", "").lower() == "close"
            length = int(headers["content-length"]) if not is_last or "content-length" in headers else len(received)
            body, received = received[:length], received[length:]
            assert len(body) == length
        if status[1][0] != "1":
            found.append(Response(int(status[1]), headers, body))
    return found


def _joined(received: bytes) -> tuple[bytes, bytes]:
    """The content of a body in chunks, and what follows it."""
    content = b""
    while True:
        size, _, received = received.partition(b"\r\n")
        length = int(size, 16)
        content, end, received = content + received[:length], received[length : length + 2], received[length + 2 :]
        assert end == b"\r\n"
        if not length:
            return content, received


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


AT_ONCE = "serving "
"""What a server says before it has loaded the model, which no query needs."""


@contextmanager
def started(directory: Path, *options: str, says: str = "ready: ") -> Iterator[ServerProcess]:
    """A server of a graph directory that has made what the graph lacks, until the block ends."""
    port = _free_port()
    command = [sys.executable, "-m", "cli", "serve", str(directory), "--port", str(port), *options]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stderr=errors)
        try:
            end = time.monotonic() + _SECONDS
            server = ServerProcess(port, process, errors)
            while process.poll() is None and time.monotonic() < end and says not in server.log():
                time.sleep(0.05)
            assert process.poll() is None, server.log()
            assert says in server.log()
            yield server
        finally:
            process.terminate()
            process.wait(_SECONDS)


@contextmanager
def in_thread(application: Starlette) -> Iterator[Server]:
    """A server of an application in a thread of this process, until the block ends."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(application, log_level="warning", http="h11", ws="none", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield Server(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(_SECONDS)


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    graph = kitchen_graph(tmp_path_factory.mktemp("served") / "kitchen")
    run("prepare", graph.directory)
    return graph


@pytest.fixture(scope="session")
def server(kitchen: ScriptGraph) -> Iterator[ServerProcess]:
    with started(kitchen.directory) as found:
        yield found
