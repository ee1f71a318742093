"""A server whose answers a test can hold back or replace."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from exports.serve import pages
from exports.serve.app import application, graph_names
from exports.views.explore.page import make_page
from tests.exports.serve.conftest import in_thread

_SECONDS = 300


class Between:
    """What stands between the page and the server: it can hold requests, and answer them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.address = ""
        self.queries: list[str] = []
        self.held = ""
        """Requests with this in their address wait."""
        self.answer: ASGIApp | None = None
        """The answer to all requests below /api."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "/api/" not in scope["path"]:
            await self._app(scope, receive, send)
            return
        address = f"{scope['path']}?{scope['query_string'].decode()}"
        self.queries.append(address)
        while self.held and self.held in address:
            await asyncio.sleep(0.01)
        await (self.answer or self._app)(scope, receive, send)


@contextmanager
def between_servers(directories: Sequence[Path], scenarios: Sequence[str] = ()) -> Iterator[Between]:
    """A server of graphs that compares meanings, and whose pages have the scripts of `scenarios` only, if some are
    named."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "make_page", partial(make_page, scenarios=scenarios))
        served = application(directories)
        app = Between(served)
        with in_thread(app) as server:  # type: ignore[arg-type]
            app.address = f"http://127.0.0.1:{server.port}/"
            for name in graph_names(directories) if len(directories) > 1 else ("",):
                _wait_for_meanings(f"{app.address}{name and f'g/{name}/'}api/search?question=a+spoon")
            app.queries.clear()
            yield app
            for end in served.state.ends:
                end()


def _wait_for_meanings(address: str) -> None:
    """Wait until searches compare meanings: the vectors are made beside the server."""
    end = time.monotonic() + _SECONDS
    while not json.loads(urlopen(address, timeout=_SECONDS).read())["meaning"]:
        assert time.monotonic() < end
        time.sleep(0.2)
