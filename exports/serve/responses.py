"""Responses, what the client gets of errors, and the bodies of requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from exports.serve.limits import BusyError, ServerLimits
from exports.serve.protocol import ProtocolError
from schemas.errors import (
    ConfigurationError,
    InputError,
    KGScriptsError,
    QueryError,
    RecordError,
    StoreMissingError,
    UnknownNameError,
)
from schemas.terminal import json_text

_LATER = {"Retry-After": "2"}
_WHEN_MADE = {"Retry-After": "5", "Refresh": "5"}
"""A browser asks again by itself."""


async def explained(respond: Callable[[], Awaitable[Response]]) -> Response:
    """A response; of an error one that says what is wrong."""
    try:
        return await respond()
    except ProtocolError as error:
        headers = {"Connection": "close"} if error.status in (408, 413) else {}
        return _told(error, error.status, headers)
    except ClientDisconnect:
        return Response(status_code=400)  # Nobody reads it.
    except UnknownNameError as error:
        return _told(error, 404)
    except (ConfigurationError, InputError, QueryError, RecordError) as error:
        return _told(error, 400)
    except BusyError as error:
        return _told(error, 503, _LATER)
    except KGScriptsError as error:
        return _told(error, 503, _WHEN_MADE if isinstance(error, StoreMissingError) else _LATER)


def _told(error: Exception, status: int, headers: Mapping[str, str] | None = None) -> Response:
    # A query from JSON may have halves of surrogate pairs, and the error names them.
    return PlainTextResponse(f"{error}\n".encode("utf-8", "replace"), status, headers)


async def failure(_: Request, __: Exception) -> Response:
    """The response to an error that nobody expected."""
    return PlainTextResponse("the server failed: its log says where\n", 500)


def as_json(content: object, status: int = 200) -> Response:
    """Values as JSON."""
    return Response(json_text(content, indent=None), status, media_type="application/json")


async def read_body(request: Request, limits: ServerLimits) -> bytes:
    """The body of a request; raises ProtocolError with 413 if it is too large, and with 408 if it is too slow."""
    too_large = ProtocolError(413, f"the body has more than {limits.body_bytes:,} bytes")
    with suppress(ValueError):
        if int(request.headers.get("content-length", "0")) > limits.body_bytes:
            raise too_large
    content = bytearray()
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for piece in request.stream():
                content += piece
                if len(content) > limits.body_bytes:
                    raise too_large
    except TimeoutError:
        raise ProtocolError(408, f"the body did not arrive in {limits.body_seconds:g} seconds") from None
    return bytes(content)
