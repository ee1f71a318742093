"""HTTP client for SPARQL servers: authentication, limits of time and size, retries, and errors with remedies."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Self

import httpx
from attrs import frozen

from schemas.addresses import check_address, without_user
from schemas.errors import ConfigurationError, StoreError
from schemas.http_clients import http_client
from schemas.interrupts import EXPORT_SECONDS, within
from schemas.secrets import hidden, hidden_in, keep_secret

USER = "KGSCRIPTS_SPARQL_USER"
PASSWORD = "KGSCRIPTS_SPARQL_PASSWORD"
_CONNECT_SECONDS = 10.0
_WAITS = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each new attempt."""
_PASSING = (429, 502, 503, 504)
_MOST_BYTES = 256 << 20
"""The largest response, after decompression."""
_MOST_ERROR_BYTES = 1 << 16


@frozen
class Answer:
    """A server's response: HTTP status, media type without parameters, and the decompressed body."""

    status: int
    media_type: str
    content: bytes

    @property
    def is_success(self) -> bool:
        """Whether the status is one of success."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The beginning of the body, for messages."""
        return self.content[:_MOST_ERROR_BYTES].decode("utf-8", "replace")

    @property
    def first_line(self) -> str:
        """At most 300 characters of the first line of the body."""
        return self.text.strip().partition("\n")[0][:300]


class SparqlClient:
    """Sends requests to one server with the user of the environment.

    If the server requires a user and the environment has none, `ask` prompts for it. `timeout` is the time limit of a
    request in seconds, from name resolution to the last byte of the response. Redirects are not followed.
    """

    def __init__(self, address: str, ask: Callable[[str], str] | None = None, timeout: float = EXPORT_SECONDS) -> None:
        """Create a client for the server at `address`.

        Raises
        ------
        ConfigurationError
            If the address is not valid or contains a user name or fragment, or the environment holds invalid settings.
        """
        check_address(address, ("http", "https"), "SPARQL server", f"set {USER} and {PASSWORD} instead")
        self._ask = ask
        self._timeout = timeout
        # Each wait has the whole limit, and `within` ends the sum of them.
        waits = httpx.Timeout(timeout, connect=min(_CONNECT_SECONDS, timeout))
        self._client = http_client(
            address, timeout=waits, headers={"Accept-Encoding": "gzip", "User-Agent": "kgscripts"}
        )
        # Some services take a token in the query string.
        keep_secret(*(part.partition("=")[2] or part for part in address.partition("?")[2].split("&")))
        if user := os.environ.get(USER):
            self._client.auth = _credentials(user, os.environ.get(PASSWORD, ""))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def post(self, url: str, content: bytes, headers: dict[str, str]) -> Answer:
        """Post `content`, again after transient failures but not after a time-out; it must be idempotent.

        Raises
        ------
        StoreError
            If the server cannot be reached, does not respond in time, or answers with anything but success or 400 (bad
            request).
        """
        return self._authorized(url, lambda: self._repeated(url, content, headers))

    def query(self, url: str, content: bytes, headers: dict[str, str]) -> Answer:
        """Post a query once: a query that is too expensive for a server must not be sent again.

        Raises
        ------
        StoreError
            As `post`.
        """
        return self._authorized(url, lambda: self._send(url, content, headers))

    def _authorized(self, url: str, send: Callable[[], Answer]) -> Answer:
        where = without_user(url)
        answer = send()
        if answer.status == httpx.codes.UNAUTHORIZED and self._ask is not None and self._client.auth is None:
            user = self._ask(f"User at {where}: ")
            self._client.auth = _credentials(user, self._ask(f"Password of {user}: "))
            answer = send()
        if answer.status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise StoreError(
                f"the server refuses the user ({answer.status})",
                where=where,
                remedy=f"set {USER} and {PASSWORD} to one who may do this",
            )
        if answer.status in (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED):
            raise StoreError(
                f"there is no such service at this address ({answer.status})",
                where=where,
                remedy="name the data set that has /query, /update and /data below it, as Apache Jena Fuseki does",
            )
        if not answer.is_success and answer.status != httpx.codes.BAD_REQUEST:
            raise StoreError(
                f"the server answers {answer.status} ({answer.first_line})",
                where=where,
                remedy="see the server's log, then run this again: nothing is duplicated",
            )
        return answer

    def _repeated(self, url: str, content: bytes, headers: dict[str, str]) -> Answer:
        for wait in _WAITS:
            try:
                answer = self._send(url, content, headers)
            except _UnreachableError:
                pass
            else:
                if answer.status not in _PASSING:
                    return answer
            time.sleep(wait)
        return self._send(url, content, headers)

    def _send(self, url: str, content: bytes, headers: dict[str, str]) -> Answer:
        try:
            return within(self._timeout, lambda: self._exchange(url, content, headers))
        # Before the errors that these are kinds of: what took too long is not sent again.
        except (TimeoutError, httpx.ReadTimeout, httpx.WriteTimeout):
            raise StoreError(
                f"the server did not respond within {self._timeout:g} seconds",
                where=without_user(url),
                remedy="ask for less, allow more time, or see the server's log",
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError) as error:
            raise _UnreachableError(
                f"the server cannot be reached or went away ({hidden(str(error)) or type(error).__name__})",
                where=without_user(url),
                remedy="start the server and run this again: nothing is lost or duplicated",
            ) from None
        except zlib.error as error:
            raise StoreError(
                f"the response is not compressed as it says ({error})",
                where=without_user(url),
                remedy="see the server's log",
            ) from error

    def _exchange(self, url: str, content: bytes, headers: dict[str, str]) -> Answer:
        with self._client.stream("POST", url, content=content, headers=headers) as response:
            # Of an error, the beginning is enough.
            most = _MOST_BYTES if response.is_success else _MOST_ERROR_BYTES
            body = bytearray()
            for piece in _decompressed(response):
                body += piece
                if len(body) > most:
                    break
            if len(body) > most and response.is_success:
                raise StoreError(
                    f"the response is larger than {most >> 20} MiB",
                    where=without_user(url),
                    remedy="ask for less, for instance with LIMIT",
                )
            media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            content = bytes(body if response.is_success else hidden_in(bytes(body))[:most])
            return Answer(response.status_code, hidden(media_type), content)


class _UnreachableError(StoreError):
    """The server cannot be reached, or the connection broke: worth another attempt."""


def _credentials(user: str, password: str) -> httpx.BasicAuth:
    keep_secret(password)
    try:
        return httpx.BasicAuth(user, password)
    except UnicodeError:
        raise ConfigurationError(
            "the user name or password is not valid text", remedy=f"set {USER} and {PASSWORD} in UTF-8"
        ) from None


def _decompressed(response: httpx.Response) -> Iterator[bytes]:
    """Iterate over the body in pieces of at most a mebibyte, however well it is compressed."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding in ("identity", ""):
        yield from response.iter_raw(1 << 20)
        return
    if encoding not in ("gzip", "x-gzip"):
        raise zlib.error("only gzip was asked for")
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    for compressed in response.iter_raw():
        is_full = True
        while is_full and not decompressor.eof:
            piece = decompressor.decompress(compressed, 1 << 20)
            compressed = decompressor.unconsumed_tail
            # Behind a full piece there may be more, even if all that is compressed was taken.
            is_full = len(piece) == 1 << 20
            yield piece
    if not decompressor.eof:
        raise zlib.error("the end is missing")
