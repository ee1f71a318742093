"""A server that runs beside the tests, spoken to over raw sockets."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import frozen

from schemas.script_graph import ScriptGraph
from tests.exports.kitchen import kitchen_graph

_START_SECONDS = 60


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
    process: subprocess.Popen[bytes]

    def raw(self, request: bytes) -> bytes:
        """What comes back for the bytes of a request until the server closes, or waits for more."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(request)
            connection.settimeout(3 if b"close" not in request.lower() else 30)
            received = b""
            try:
                while piece := connection.recv(65_536):
                    received += piece
            except (TimeoutError, ConnectionResetError):
                pass
            return received

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
        head, _, content = self.raw("\r\n".join([*lines, "", ""]).encode() + body).partition(b"\r\n\r\n")
        status, *fields = head.decode("latin-1").split("\r\n")
        found = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        if found.get("transfer-encoding") == "chunked":
            content = _joined(content)
        return Response(int(status.split(" ")[1]), found, content)


def _joined(chunks: bytes) -> bytes:
    content = b""
    while chunks:
        size, _, rest = chunks.partition(b"\r\n")
        length = int(size, 16)
        if not length:
            break
        content, chunks = content + rest[:length], rest[length + 2 :]
    return content


@contextmanager
def started(directory: Path, *options: str) -> Iterator[Server]:
    """A server of a graph directory, until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "cli", "serve", str(directory), "--port", str(port), *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < end:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield Server(port, process)
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("served") / "kitchen")


@pytest.fixture(scope="session")
def server(kitchen: ScriptGraph) -> Iterator[Server]:
    with started(kitchen.directory) as found:
        yield found
