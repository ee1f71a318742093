"""The application: which function answers which address, and what the client gets of errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from exports.engine_process import MAX_BYTES, MEMORY
from exports.rdf.dataset import DATASET
from exports.serve.api import ADDRESSES, Address, description
from exports.serve.guards import Guards
from exports.serve.limits import ServerLimits
from exports.serve.pages import page
from exports.serve.protocol import ProtocolError, read_request
from exports.serve.served import Served
from exports.serve.service_description import service_description
from exports.serve.turns import BusyError, Turns
from schemas.errors import ConfigurationError, GraphDirectoryError, InputError, KGScriptsError, QueryError
from schemas.script_graph import ScriptGraph
from schemas.terminal import json_text

_RETRY_SECONDS = "2"
_ALLOWED = ("GET", "POST", "OPTIONS")
"""The methods of the SPARQL service; HEAD comes with GET."""
_EXPOSED = ("ETag", "Retry-After")


def application(
    directory: Path, *, limits: ServerLimits | None = None, token: str | None = None, origin: str | None = None
) -> Starlette:
    """The application that serves the graph in a directory.

    Raises
    ------
    GraphDirectoryError
        If there is no graph.
    """
    ScriptGraph.open(directory)
    service = _Service(Served(directory, limits or ServerLimits()))
    routes = [
        Route("/", service.page, methods=["GET"]),
        Route("/sparql", service.sparql, methods=[*_ALLOWED, "PUT", "PATCH", "DELETE"]),
        Route("/.well-known/void", service.data, methods=["GET"]),
        Route("/data/{identifier:path}", service.data, methods=["GET"]),
        Route("/cypher", service.cypher, methods=["POST"]),
        Route("/limits", service.shown_limits, methods=["GET"]),
        Route("/api", _to_description, methods=["GET"]),
        Route("/api/openapi.json", service.openapi, methods=["GET"]),
        *(Route(f"/api/{item.name}", service.answering(item), methods=["GET"]) for item in ADDRESSES),
    ]
    middleware = [Middleware(Guards, token=token, origin=origin)]
    if origin is not None:
        allowed: dict[str, Any] = {"allow_origins": [origin], "allow_methods": ["GET", "POST"], "allow_headers": ["*"]}
        middleware.append(Middleware(CORSMiddleware, expose_headers=_EXPOSED, **allowed))
    middleware.append(Middleware(GZipMiddleware, minimum_size=1_000))
    return Starlette(routes=routes, middleware=middleware, exception_handlers={Exception: _failure})


class _Service:
    """The functions that answer requests about one graph."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._limits = served.limits
        self._turns = Turns(served.limits.running, served.limits.waiting)

    def answering(self, address: Address) -> Callable[[Request], Any]:
        """The function for an address of the API."""

        async def answer(request: Request) -> Response:
            given: dict[str, list[str]] = {}
            for name, value in request.query_params.multi_items():
                given.setdefault(name, []).append(value)
            return await self._json(request, lambda: address.answer(self._served, **address.values(given)))

        return answer

    async def sparql(self, request: Request) -> Response:
        """See `exports.serve.protocol`."""
        accept = request.headers.get("accept")
        if request.method not in ("HEAD", *_ALLOWED[:2]):
            status = 204 if request.method == "OPTIONS" else 405
            return Response(status_code=status, headers={"Allow": ", ".join(("HEAD", *_ALLOWED))})

        async def respond() -> Response:
            body = await self._body(request)
            wanted = read_request(request.method, request.url.query, request.headers.get("content-type"), body)
            if wanted is None:
                media_type, text = service_description(str(request.url.replace(query="")), accept)
                return Response(text, media_type=media_type)
            answer = await self._turns.run(lambda: self._served.sparql(wanted, accept))
            return Response(answer.content, media_type=answer.media_type, headers={"Vary": "Accept"})

        return await _explained(respond)

    async def data(self, request: Request) -> Response:
        """The triples about a node; without an id in the address, about the graph as a data set."""

        async def respond() -> Response:
            identifier = request.path_params.get("identifier", DATASET)
            accept = request.headers.get("accept")
            answer = await self._turns.run(lambda: self._served.described(identifier, accept))
            return Response(answer.content, media_type=answer.media_type, headers={"Vary": "Accept"})

        return await _explained(respond)

    async def cypher(self, request: Request) -> Response:
        """A query as JSON: ``{"query": ..., "parameters": {...}}``."""

        async def respond() -> Response:
            query, parameters = _cypher(await self._body(request))
            return _as_json(await self._turns.run(lambda: self._served.cypher(query, parameters)))

        return await _explained(respond)

    async def page(self, _: Request) -> Response:
        """The page to look through the graph."""

        async def respond() -> Response:
            found = await self._turns.run(lambda: page(self._served.graph()))
            return Response(found.html, media_type="text/html", headers={"Content-Security-Policy": found.policy})

        return await _explained(respond)

    async def shown_limits(self, _: Request) -> Response:
        """The limits by their names, with those of the processes that answer queries."""
        return _as_json(attrs.asdict(self._limits) | {"result_bytes": MAX_BYTES, "memory_bytes": MEMORY})

    async def openapi(self, _: Request) -> Response:
        """The description of the API."""
        return _as_json(description(metadata.version("kgscripts")))

    async def _json(self, request: Request, work: Callable[[], Mapping[str, Any]]) -> Response:
        """The answer of a function as JSON, with a tag that changes with the graph and the address."""

        async def respond() -> Response:
            build = await self._turns.run(lambda: self._served.graph().build_id)
            tag = f'W/"{sha256(f"{build} {request.url.path}?{request.url.query}".encode()).hexdigest()[:32]}"'
            if tag in (item.strip() for item in request.headers.get("if-none-match", "").split(",")):
                return Response(status_code=304, headers={"ETag": tag})
            response = _as_json(await self._turns.run(work))
            response.headers["ETag"] = tag
            return response

        return await _explained(respond)

    async def _body(self, request: Request) -> bytes:
        content = b""
        with suppress(ValueError):
            if int(request.headers.get("content-length", "0")) > self._limits.body_bytes:
                raise ProtocolError(413, f"the body has more than {self._limits.body_bytes:,} bytes")
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                async for piece in request.stream():
                    content += piece
                    if len(content) > self._limits.body_bytes:
                        raise ProtocolError(413, f"the body has more than {self._limits.body_bytes:,} bytes")
        except TimeoutError:
            raise ProtocolError(408, f"the body did not arrive in {self._limits.body_seconds:g} seconds") from None
        return content


async def _explained(respond: Callable[[], Any]) -> Response:
    """A response; of errors one that says what is wrong."""
    try:
        response: Response = await respond()
        return response
    except ProtocolError as error:
        return PlainTextResponse(
            f"{error}\n", error.status, {"Connection": "close"} if error.status in (408, 413) else {}
        )
    except BusyError:
        return PlainTextResponse("too many requests wait\n", 503, {"Retry-After": _RETRY_SECONDS})
    except (ConfigurationError, InputError) as error:
        return PlainTextResponse(f"{error}\n", 400)
    except QueryError as error:
        return PlainTextResponse(f"{error}\n", 404 if _is_name(error) else 400)
    except GraphDirectoryError:
        return PlainTextResponse("the graph cannot be read at the moment\n", 503, {"Retry-After": _RETRY_SECONDS})
    except KGScriptsError as error:
        return PlainTextResponse(f"{error}\n", 503, {"Retry-After": _RETRY_SECONDS})


def _is_name(error: QueryError) -> bool:
    """Whether the graph has nothing of a name that was asked for."""
    return any(words in str(error) for words in (" has no ", "there is no ", "no scenario", "no tool"))


def _cypher(body: bytes) -> tuple[str, Mapping[str, object]]:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise ProtocolError(400, "the body is no JSON: send an object with query and parameters") from None
    query = content.get("query") if isinstance(content, dict) else None
    parameters = content.get("parameters", {}) if isinstance(content, dict) else None
    if not isinstance(query, str) or not isinstance(parameters, dict) or content.keys() - {"query", "parameters"}:
        raise ProtocolError(400, "send an object with a query, a text, and parameters, an object")
    return query, parameters


def _as_json(content: Mapping[str, Any]) -> Response:
    return Response(json_text(content, indent=None), media_type="application/json")


async def _to_description(_: Request) -> Response:
    return RedirectResponse("/api/openapi.json")


async def _failure(_: Request, __: Exception) -> Response:
    return PlainTextResponse("the server failed: its log says where\n", 500)
