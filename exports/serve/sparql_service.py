"""The SPARQL 1.1 Protocol over HTTP: requests are read, answered by a function in its turn, and sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from exports.serve.limits import ServerLimits
from exports.serve.protocol import ProtocolRequest, read_request
from exports.serve.responses import explained, read_body
from exports.serve.service_description import service_description
from exports.serve.sparql import Answer
from exports.serve.turns import Turns

_ALLOWED = ("HEAD", "GET", "POST", "OPTIONS")
SPARQL_METHODS = (*_ALLOWED, "PUT", "PATCH", "DELETE")
"""The methods that a route gives to the endpoint, which refuses some itself."""
VARY = {"Vary": "Accept"}


def sparql_endpoint(
    answer: Callable[[ProtocolRequest, str | None], Answer], limits: ServerLimits, turns: Turns
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint whose answers `answer` gives, from a query and an Accept header."""

    async def endpoint(request: Request) -> Response:
        if request.method not in _ALLOWED[:3]:
            status = 204 if request.method == "OPTIONS" else 405
            return Response(status_code=status, headers={"Allow": ", ".join(_ALLOWED)})
        accept = request.headers.get("accept")

        async def respond() -> Response:
            body = await read_body(request, limits)
            wanted = read_request(request.method, request.url.query, request.headers.get("content-type"), body)
            if wanted is None:
                media_type, text = service_description(str(request.url.replace(query="")), accept)
                return Response(text, media_type=media_type, headers=VARY)
            found = await turns.run(lambda: answer(wanted, accept))
            return Response(found.content, media_type=found.media_type, headers=VARY)

        return await explained(respond)

    return endpoint
