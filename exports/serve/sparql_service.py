"""The SPARQL 1.1 Protocol over HTTP: requests are read, and what they ask for is answered by a function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from exports.serve.limits import ServerLimits
from exports.serve.protocol import ProtocolRequest, read_request
from exports.serve.responses import explained, read_body
from exports.serve.service_description import service_description

_ALLOWED = ("HEAD", "GET", "POST", "OPTIONS")
SPARQL_METHODS = (*_ALLOWED, "PUT", "PATCH", "DELETE")
"""The methods that a route gives to the endpoint, which refuses some itself."""
VARY = {"Vary": "Accept"}


def sparql_endpoint(
    answer: Callable[[ProtocolRequest, Request], Awaitable[Response]], limits: ServerLimits
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose queries `answer` answers, each with the request that has its headers."""

    async def endpoint(request: Request) -> Response:
        if request.method not in _ALLOWED[:3]:
            status = 204 if request.method == "OPTIONS" else 405
            return Response(status_code=status, headers={"Allow": ", ".join(_ALLOWED)})

        async def respond() -> Response:
            body = await read_body(request, limits)
            wanted = read_request(request.method, request.url.query, request.headers.get("content-type"), body)
            if wanted is None:
                media_type, text = service_description(
                    str(request.url.replace(query="")), request.headers.get("accept")
                )
                return Response(text, media_type=media_type, headers=VARY)
            return await answer(wanted, request)

        return await explained(respond)

    return endpoint
