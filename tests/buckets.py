"""A server of S3 on this machine, whose buckets are folders, and which can fail on request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import localbucket
import pytest

BUCKET = "texts"
KEY, SECRET = "AKIAOFTHETESTS", "secretofthetests"

Fault = Callable[[Any], bool]
"""Called with each request; returns whether it has answered it."""


class Bucket:
    """One bucket: the folder of its objects, its URL, and the requests that it got."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"s3://{BUCKET}"
        self.requests: list[str] = []
        self.fault: Fault | None = None

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        """Let requests fail until the block ends."""
        self.fault = fault
        try:
            yield
        finally:
            self.fault = None

    def put(self, key: str, content: bytes) -> str:
        """Put an object; returns its URL."""
        path = self.folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return f"{self.url}/{key}"


def refused(code: str, status: HTTPStatus, pattern: str = "", times: int = 1_000) -> Fault:
    """Refuse so many requests (whose method and path match the pattern) with an error of S3."""
    left = [times]

    def fault(request: Any) -> bool:
        if left[0] == 0 or not re.match(pattern, f"{request.command} {request.path}"):
            return False
        left[0] -= 1
        request._send_error(localbucket.S3Error(status, code, f"message with {SECRET}"))
        return True

    return fault


def cut(times: int = 1_000) -> Fault:
    """Send half of the body of so many objects, and close the connection."""
    left = [times]

    def fault(request: Any) -> bool:
        if left[0] == 0 or request.command != "GET" or "list-type" in request.path:
            return False
        left[0] -= 1
        request.send_response(200)
        request.send_header("Content-Length", "200")
        request.end_headers()
        request.wfile.write(b"half")
        request.close_connection = True
        return True

    return fault


@contextmanager
def serving(root: Path) -> Iterator[Bucket]:
    """Serve a bucket in `root` until the block ends; the environment names the server."""
    bucket = Bucket(root / BUCKET)
    bucket.folder.mkdir()

    class Handler(localbucket.S3Handler):  # type: ignore[misc]
        data_root = root
        disable_nagle_algorithm = True  # or the body of each answer waits 40 ms for the client to confirm its head

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing."""

        def _dispatch(self, action: Any) -> None:
            bucket.requests.append(f"{self.command} {self.path}")
            assert KEY in self.headers["Authorization"]
            if bucket.fault is None or not bucket.fault(self):
                super()._dispatch(action)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}"),
            ("AWS_ACCESS_KEY_ID", KEY),
            ("AWS_SECRET_ACCESS_KEY", SECRET),
        ):
            patch.setenv(name, value)
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield bucket
        server.shutdown()
