"""Responses, what the client gets of errors, the bodies of requests, and answers that are kept to be given again."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import wraps
from hashlib import sha256
from typing import Any, ParamSpec

from attrs import field, frozen
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

_P = ParamSpec("_P")
_LATER = {"Retry-After": "2"}
_WHEN_MADE = {"Retry-After": "5", "Refresh": "5"}
"""A browser asks again by itself."""


def explained(respond: Callable[_P, Awaitable[Response]]) -> Callable[_P, Awaitable[Response]]:
    """A function that responds; its response to an error says what is wrong."""

    @wraps(respond)
    async def explaining(*arguments: _P.args, **named: _P.kwargs) -> Response:
        try:
            return await respond(*arguments, **named)
        except ProtocolError as error:
            # The rest of the body is not read, so that nothing more can come on this connection.
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

    return explaining


def _told(error: Exception, status: int, headers: Mapping[str, str] | None = None) -> Response:
    # A query from JSON may have halves of surrogate pairs, and the error names them.
    return PlainTextResponse(f"{error}\n".encode("utf-8", "replace"), status, headers)


async def failure(_: Request, __: Exception) -> Response:
    """The response to an error that nobody expected."""
    return PlainTextResponse("the server failed: its log says where\n", 500)


def as_json(content: object, status: int = 200) -> Response:
    """Values as JSON."""
    return Response(json_text(content, indent=None), status, media_type="application/json")


async def read_object(request: Request, limits: ServerLimits, what: str) -> dict[str, Any]:
    """The JSON object in the body of a request; raises ProtocolError with 400, which says `what` to send, if there is
    none, and as `read_body`."""
    body = await read_body(request, limits)
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ProtocolError(400, f"the body is no JSON object: send {what}")
    return content


async def read_body(request: Request, limits: ServerLimits) -> bytes:
    """The body of a request; raises ProtocolError with 413 if it is too large, and with 408 if it is too slow."""
    too_large = ProtocolError(413, f"the body has more than {limits.body_bytes:,} bytes")
    # A length that is no number says nothing: what arrives is counted anyway.
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


_LEAST_TO_PACK = 1_000
_LEVEL = 5
_LARGE_SHARE = 2
"""An answer that takes more than this part of the room is not kept: it would drive out many others."""


@frozen
class KeptAnswer:
    """The content of an answer, with a tag that changes with it, and packed if `is_packed` and that pays."""

    content: bytes = field(repr=False)
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(factory=dict)
    is_packed: bool = True
    tag: str = field(init=False)
    packed: bytes | None = field(init=False, repr=False)

    @tag.default
    def _tag(self) -> str:
        # A weak one, since the packed and the plain answer have the same.
        return f'W/"{sha256(self.content).hexdigest()[:32]}"'

    @packed.default
    def _packed(self) -> bytes | None:
        pays = self.is_packed and len(self.content) >= _LEAST_TO_PACK
        return gzip.compress(self.content, _LEVEL, mtime=0) if pays else None

    def response(self, accept_encoding: str, if_none_match: str) -> Response:
        """The response for a client that takes these encodings and has the answers with these tags."""
        varies = ", ".join(filter(None, (self.headers.get("Vary"), "Accept-Encoding")))
        headers = {**self.headers, "ETag": self.tag, "Vary": varies, "Cache-Control": "no-cache"}
        if self.tag.removeprefix("W/") in (tag.strip().removeprefix("W/") for tag in if_none_match.split(",")):
            return Response(status_code=304, headers=headers)
        if self.packed is not None and takes_gzip(accept_encoding):
            return Response(self.packed, media_type=self.media_type, headers=headers | {"Content-Encoding": "gzip"})
        return Response(self.content, media_type=self.media_type, headers=headers)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.content) + len(self.packed or b"")


def takes_gzip(accept_encoding: str) -> bool:
    """Whether a client takes packed answers."""
    return "gzip" in accept_encoding.lower()


class KeptAnswers:
    """Answers by address, of one version of a graph, up to a size in bytes. One that would take much of it is not
    kept."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._version = ""
        self._size = 0
        self._answers: OrderedDict[str, KeptAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, version: str | None, address: str) -> KeptAnswer | None:
        """The answer of a version for an address, if it is kept."""
        with self._lock:
            answer = self._answers.get(address) if version == self._version else None
            if answer is not None:
                self._answers.move_to_end(address)
            return answer

    def add(self, version: str, address: str, answer: KeptAnswer) -> None:
        """Keep an answer; those of another version are forgotten."""
        with self._lock:
            if version != self._version:
                self._version, self._size = version, 0
                self._answers.clear()
            self._forget(address)
            size = _size(address, answer)
            if size <= self._most / _LARGE_SHARE:
                self._answers[address] = answer
                self._size += size
            while self._size > self._most:
                self._forget(next(iter(self._answers)))

    def _forget(self, address: str) -> None:
        if (answer := self._answers.pop(address, None)) is not None:
            self._size -= _size(address, answer)


def _size(address: str, answer: KeptAnswer) -> int:
    """The bytes that an answer takes with its address, which may be a long query."""
    return len(address.encode()) + answer.size
