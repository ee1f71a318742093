"""A TCP server that answers as a test says, whatever the protocol."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

from attrs import define, field

Answer: TypeAlias = Callable[[bytes], Iterable[bytes]]
"""What is sent, piece by piece, for the bytes that arrived."""


@define
class ToyServer:
    """A server on 127.0.0.1; `answer` can be exchanged, `requests` are the first lines that arrived."""

    answer: Answer
    port: int = 0
    requests: list[bytes] = field(factory=list)


def whole_request(client: socket.socket) -> bytes:
    """The bytes of one HTTP request with its body; what arrived first from a client of another protocol."""
    content = b""
    while piece := client.recv(1 << 16):
        content += piece
        head, end, body = content.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if not content.startswith(b"POST") or (end and len(body) >= int(length[1] if length else 0)):
            break
    return content


@contextmanager
def toy_server(answer: Answer = lambda _: ()) -> Iterator[ToyServer]:
    """Start a server; after an answer it says nothing more."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = ToyServer(answer, listener.getsockname()[1])
    stopping = threading.Event()

    def serve(client: socket.socket) -> None:
        with client, suppress(OSError):
            client.settimeout(10)
            request = whole_request(client)
            server.requests.append(request.partition(b"\r\n")[0])
            for piece in server.answer(request):
                if stopping.is_set():
                    return
                client.sendall(piece)
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):
                """Closing with bytes that nobody read would discard what is on its way to the client."""

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        stopping.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
