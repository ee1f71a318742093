"""What every request passes: the host that it names, the origin of a page that sends it, and the token."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from attrs import frozen
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@frozen
class Guards:
    """Refuses requests before the application sees them.

    Without a token only requests to this machine pass: a page of another site could name its own host, which its name
    server points here (DNS rebinding). With one, each request has it as a bearer token.
    """

    app: App
    token: str | None = None
    origin: str | None = None
    """The origin whose pages may send requests, and "*" for all; None for none but the server's own."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = self._refusal(Headers(scope=scope), scope["method"])
        await (refused or self.app)(scope, receive, send)

    def _refusal(self, headers: Headers, method: str) -> PlainTextResponse | None:
        host = headers.get("host", "")
        origin = headers.get("origin")
        if self.token is None and _name(host) not in LOOPBACK:
            return PlainTextResponse("the request names another host than this machine\n", 421)
        own = {f"{scheme}://{host}" for scheme in ("http", "https")}
        if origin is not None and origin not in own and self.origin not in ("*", origin):
            return PlainTextResponse("pages of this origin may not send requests here: see --cors\n", 403)
        if self.token is not None and not (origin is not None and method == "OPTIONS"):
            given = headers.get("authorization", "").partition(" ")
            if given[0].lower() != "bearer" or not hmac.compare_digest(given[2].encode(), self.token.encode()):
                return PlainTextResponse(
                    "a token is needed: Authorization: Bearer TOKEN\n", 401, {"WWW-Authenticate": "Bearer"}
                )
        return None


def _name(host: str) -> str:
    """The host without its port."""
    if host.startswith("["):
        return host[: host.find("]") + 1].lower()
    return host.partition(":")[0].lower()
