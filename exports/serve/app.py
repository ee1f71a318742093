"""The application: one graph at the root, or several below ``/g/``, behind the guards."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import attrs
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from exports.serve.graph_service import GraphService
from exports.serve.guards import HEALTH, Guards
from exports.serve.limits import ServerLimits, Turns
from exports.serve.pages import small_page
from exports.serve.responses import as_json, failure
from exports.serve.served import Served
from exports.views.text_size import legible
from schemas.errors import ConfigurationError

_EXPOSED = ("ETag", "Retry-After")
_PACKING = 5
"""The level of compression of answers that are not kept."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def application(
    directories: Sequence[Path],
    *,
    limits: ServerLimits | None = None,
    token: str | None = None,
    origin: str | None = None,
    edit: bool = False,
) -> Starlette:
    """The application that serves the graphs in some directories. `edit` lets those who have the token correct them.

    Its `state.ends` are to be called when the server ends: they end what still runs.

    Raises
    ------
    GraphDirectoryError
        If there is no graph in one.
    ConfigurationError
        If two directories have the same name, or corrections are taken without a token.
    """
    if edit and token is None:
        raise ConfigurationError("who corrects a graph needs a token", remedy="give one: --token-file FILE")
    limits = limits or ServerLimits()
    turns, queries = (Turns(limits.running, limits.waiting) for _ in range(2))
    ends = [turns.end, queries.end]

    def service(directory: Path, at: str = "") -> list[Route]:
        served = Served(directory, limits)
        ends.append(served.making.end)
        return GraphService(served, turns, queries, at, edit=edit).routes()

    routes: list[BaseRoute] = [
        Route("/limits", lambda _: as_json(attrs.asdict(limits)), methods=["GET"]),
        Route(HEALTH, lambda _: PlainTextResponse("ok\n"), methods=["GET"]),
    ]
    if len(directories) == 1:
        routes += service(directories[0])
    else:
        named = graph_names(directories)
        routes.append(Route("/", _listing(named), methods=["GET"]))
        for name, directory in named.items():
            at = f"/g/{name}"
            routes.append(Mount(at, routes=service(directory, at)))
    middleware = [Middleware(Guards, limits=limits, token=token, origin=origin)]
    if origin is not None:
        allowed: dict[str, Any] = {"allow_origins": [origin], "allow_methods": ["GET", "POST"], "allow_headers": ["*"]}
        middleware.append(Middleware(CORSMiddleware, expose_headers=_EXPOSED, **allowed))
    middleware.append(Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=_PACKING))
    app = Starlette(routes=routes, middleware=middleware, exception_handlers={Exception: failure})
    app.state.ends = ends
    return app


def graph_names(directories: Sequence[Path]) -> dict[str, Path]:
    """The names of graphs in their addresses: those of their directories.

    Raises ConfigurationError if two are equal.
    """
    named: dict[str, Path] = {}
    for directory in directories:
        name = _NOT_IN_NAMES.sub("-", directory.resolve().name).strip("-.") or "graph"
        if name in named:
            raise ConfigurationError(
                f"{named[name]} and {directory} would both be at /g/{name}", remedy="rename one of the directories"
            )
        named[name] = directory
    return named


def _listing(named: Mapping[str, Path]) -> Any:
    """The page with links to all graphs, which is JSON for other clients than browsers."""

    async def endpoint(request: Request) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return as_json({"graphs": [{"name": name, "address": f"/g/{name}/"} for name in named]})
        items = "".join(f'<li><a href="/g/{name}/">{escape(legible(name))}</a></li>' for name in named)
        page = small_page("Script graphs", f"<ul>{items}</ul>")
        return HTMLResponse(page.html, headers={"Content-Security-Policy": page.policy})

    return endpoint
