"""A server on a port: what stands in its way is said in words, and a signal ends it within seconds."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from exports.serve.connections import connections
from exports.serve.limits import ServerLimits
from schemas.errors import ConfigurationError

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
