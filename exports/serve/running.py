"""The start and the end of a server, and connections of slow clients."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from types import FrameType
from typing import ClassVar

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from exports.serve.limits import ServerLimits
from schemas.errors import ConfigurationError

_SECONDS_TO_ASK = 0.5
"""How often a client that sends nothing more is asked whether it has gone."""


class _Connection(H11Protocol):
    limits: ClassVar[ServerLimits]

    _headers: asyncio.TimerHandle | None = None
    """Runs while headers are awaited that have begun, and from the start of the connection."""
    _rest: asyncio.TimerHandle | None = None
    """Runs while the rest of a body arrives after its answer."""
    _reader: asyncio.TimerHandle | None = None
    """Runs while the client leaves an answer unread."""
    _half: asyncio.TimerHandle | None = None
    """Runs while a client waits that sends nothing more."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_headers()
        self._stop_reader()
        for timer in (self._rest, self._half):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_headers()
            self._await_rest()
        elif self._headers is None:
            self._await_headers()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection stays open for the answer to what a client has sent that sends nothing more."""
        if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
            return False
        self.cycle.keep_alive = False
        self._ask_whether_it_waits()
        return True

    def _ask_whether_it_waits(self) -> None:
        """Find out whether a client that sends nothing more still waits for its answer, or has gone: only what is sent
        to it shows that. It takes an interim response as often as it comes, as HTTP/1.1 wants."""
        if self.cycle.response_started or self.conn.our_state is not h11.SEND_RESPONSE:
            return
        # A client of HTTP/1.0 may get no response before the answer (RFC 9110, section 15.2).
        if self.conn.their_http_version == b"1.1":
            self.transport.write(self.conn.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
        self._half = self.loop.call_later(_SECONDS_TO_ASK, self._ask_whether_it_waits)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._await_rest()

    def _await_rest(self) -> None:
        """Limit how long a body may go on that nobody reads: its answer is sent already."""
        is_left = self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete
        if is_left and self._rest is None:
            self._rest = self.loop.call_later(self.limits.body_seconds, self.transport.abort)
        elif not is_left and self._rest is not None:
            self._rest.cancel()
            self._rest = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_reader()

    def _await_reader(self, before: int | None = None) -> None:
        """End the connection if the client has read nothing since there were `before` bytes to send."""
        left = self.transport.get_write_buffer_size()
        if before is not None and left >= before:
            self.transport.abort()
        else:
            self._reader = self.loop.call_later(self.limits.write_seconds, self._await_reader, left)

    def _await_headers(self) -> None:
        self._headers = self.loop.call_later(self.limits.header_seconds, self.transport.abort)

    def _stop_headers(self) -> None:
        if self._headers is not None:
            self._headers.cancel()
            self._headers = None

    def _stop_reader(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None


def connections(limits: ServerLimits) -> type[asyncio.Protocol]:
    """The protocol of uvicorn that keeps these limits."""
    return type("Connection", (_Connection,), {"limits": limits})


_HEADER_BYTES = 32 << 10
_SECONDS_TO_END = 1.5
_SWITCH_SECONDS = 0.0005
"""How long a thread that has an answer waits for one that computes; Python's own 5 ms are longer than most answers
take."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; raises ConfigurationError if the host is not here or the port is taken."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise ConfigurationError(
            f"no server can listen at {host}, port {port} ({error.strerror})",
            where="--port",
            remedy="if another program has the port, name another one, as --port 8090",
        ) from None


def run(
    application: ASGIApp,
    listener: socket.socket,
    limits: ServerLimits,
    ends: Iterable[Callable[[], object]] = (),
    *,
    has_lifespan: bool = False,
) -> None:
    """Serve until SIGINT, which raises KeyboardInterrupt, or SIGTERM, which raises SystemExit with 143; `ends` are
    called before the last requests are waited for, for some seconds."""
    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=limits.connections,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        http=connections(limits),
        ws="none",
        lifespan="on" if has_lifespan else "off",
    )
    # The server ends by itself on a signal and then raises it again, for the handler that was there before.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(_status(number)))
    sys.setswitchinterval(_SWITCH_SECONDS)
    _Server(config, list(ends)).run([listener])


def _status(number: int) -> int:
    """The exit status after a signal, as shells have it."""
    return 128 + number


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ends: list[Callable[[], object]]) -> None:
        super().__init__(config)
        self._ends = ends
        self._signal = 0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._signal = sig
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Threads cannot be ended, and Python would wait for them.
        late = threading.Timer(_SECONDS_TO_END, lambda: os._exit(_status(self._signal)))
        late.daemon = True
        late.start()
        for end in self._ends:
            end()
        await super().shutdown(sockets)
