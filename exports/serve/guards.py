"""What every request passes: the host that it names, the origin of a page that sends it, and the token."""

from __future__ import annotations

import hashlib
import hmac
import re
from html import escape
from urllib.parse import parse_qs

from attrs import frozen
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from exports.serve.limits import ServerLimits
from exports.serve.pages import small_page
from exports.serve.protocol import preferred
from exports.serve.responses import explained, read_body

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:(?P<port>[0-9]{0,5}))?")
"""The whole of a Host header: a name or an address, and a port. A zone of IPv6 has no place in it (RFC 6874)."""
_LAST_PORT = 65_535
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
HEALTH, LOGIN = "/health", "/login"
_COOKIE = "kgscripts"
_SESSION_SECONDS = 30 * 86_400


@frozen
class Guards:
    """Refuses requests before the application sees them.

    Without a token only requests to this machine pass: a page of another site could name its own host, which its name
    server points here (DNS rebinding). With one, each request has it as a bearer token, or, from a browser, in the
    cookie that a person gets who types it at ``/login``. Pages of other sites can use neither.
    """

    app: ASGIApp
    limits: ServerLimits
    token: str | None = None
    origin: str | None = None
    """The origin whose pages may send requests, and "*" for all; None for none but the server's own."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        refused = self._refusal(request)
        # Who watches whether the server runs has no token.
        if refused is None and self.token is not None and request.url.path != HEALTH:
            if request.url.path == LOGIN:
                refused = await self._login(request, self.token)
            # Browsers ask without a token whether they may send a request with one.
            elif not self._is_preflight(request) and not self._has_token(request, self.token):
                refused = self._asked_for_token(request)
        await (refused or self.app)(scope, receive, send)

    def _refusal(self, request: Request) -> Response | None:
        """The answer to a request to another host, or of a page of another origin."""
        hosts, origins = map(request.headers.getlist, ("host", "origin"))
        host, origin = "".join(hosts), origins[0] if origins else None
        name = _name(host)
        # A page of another site could let its name lead here (DNS rebinding), and ask as if it were from here.
        if self.token is None and name not in _LOOPBACK:
            return PlainTextResponse("the request names another host than this machine\n", 421)
        if name is None or len(hosts) > 1 or len(origins) > 1:
            # Another server before this one, or the application, may take another one of two for the right one.
            return PlainTextResponse("a request has one Host, a name with or without a port, and one Origin\n", 400)
        if "content-length" in request.headers and "transfer-encoding" in request.headers:
            # Another server before this one may see another end of the body (RFC 9112, section 6.1).
            return PlainTextResponse(
                "a request has a Content-Length or a Transfer-Encoding, not both\n", 400, {"Connection": "close"}
            )
        own = {f"{scheme}://{host}" for scheme in ("http", "https")}
        if origin is not None and origin not in own and self.origin not in ("*", origin):
            return PlainTextResponse("pages of this origin may not send requests here: see --cors\n", 403)
        return None

    @staticmethod
    def _is_preflight(request: Request) -> bool:
        return request.method == "OPTIONS" and "origin" in request.headers

    def _has_token(self, request: Request, token: str) -> bool:
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return _equal(given, token)
        return _equal(request.cookies.get(_COOKIE, ""), _session(token))

    @staticmethod
    def _asked_for_token(request: Request) -> Response:
        if preferred(request.headers.get("accept"), ("text/plain", "text/html")) == "text/html":
            return _login_page("")
        return PlainTextResponse(
            "a token is needed: Authorization: Bearer TOKEN\n", 401, {"WWW-Authenticate": "Bearer"}
        )

    @explained
    async def _login(self, request: Request, token: str) -> Response:
        if request.method != "POST":
            return _login_page("")
        body = parse_qs((await read_body(request, self.limits)).decode("utf-8", "replace"))
        if not _equal(body.get("token", [""])[0].strip(), token):
            return _login_page("This is not the token.")
        response = RedirectResponse("/", 303)
        response.set_cookie(
            _COOKIE,
            _session(token),
            max_age=_SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            # Behind a proxy that ends TLS, only this header says what the browser uses.
            secure=request.headers.get("x-forwarded-proto", request.url.scheme) == "https",
        )
        return response


def _login_page(problem: str) -> Response:
    said = f'<p role="alert">{escape(problem)}</p>' if problem else ""
    page = small_page(
        "A script graph",
        f"""{said}<form method="post" action="{LOGIN}"><label>Token
<input name="token" type="password" autocomplete="current-password" required></label>
<button>Enter</button></form>
<p>The token is in the file that the server was started with.</p>""",
        has_form=True,
    )
    return HTMLResponse(page.html, 401, {"WWW-Authenticate": "Bearer", "Content-Security-Policy": page.policy})


def _session(token: str) -> str:
    """What the cookie holds: it gives nothing away of the token, and ends with it."""
    return hmac.new(token.encode(), b"session", hashlib.sha256).hexdigest()


def _equal(given: str, wanted: str) -> bool:
    # How long this takes says nothing of how much of the token is right.
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _name(host: str) -> str | None:
    """The name in a Host header; None if it is none."""
    read = _HOST.fullmatch(host)
    return None if read is None or int(read["port"] or 0) > _LAST_PORT else read["name"].lower()
