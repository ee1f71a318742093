"""HTTP client for SPARQL servers: authentication, retries, and errors with remedies."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx

from schemas.errors import ConfigurationError, StoreError

USER = "KGSCRIPTS_SPARQL_USER"
PASSWORD = "KGSCRIPTS_SPARQL_PASSWORD"
_WAITS = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each new attempt."""
_PASSING = (429, 502, 503, 504)
_TIMEOUT = httpx.Timeout(600.0, connect=10.0)


class SparqlClient:
    """Sends requests to one server with the user of the environment, and retries after transient failures.

    A request may arrive twice, so requests must be idempotent. If the server requires a user and the environment has
    none, `ask` prompts for it.
    """

    def __init__(self, address: str, ask: Callable[[str], str] | None = None) -> None:
        """Create a client for the server at `address`.

        Raises
        ------
        ConfigurationError
            If the address is not valid, or holds a password: every user of the machine can read a command's arguments.
        """
        try:
            parts = urlsplit(address)
            is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            parts, is_address = urlsplit(""), False
        if "@" in parts.netloc:
            raise ConfigurationError(
                "the address holds a user name",
                where=parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(),
                remedy=f"set {USER} and {PASSWORD} instead: others can read the arguments of a command",
            )
        if not is_address:
            raise ConfigurationError("not the address of a SPARQL server", where=address, remedy="http(s)://HOST/PATH")
        self._ask = ask
        self._client = httpx.Client(timeout=_TIMEOUT)
        if user := os.environ.get(USER):
            self._client.auth = httpx.BasicAuth(user, os.environ.get(PASSWORD, ""))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def post(self, url: str, content: bytes, headers: dict[str, str]) -> httpx.Response:
        """Post `content` and return the response.

        Raises
        ------
        StoreError
            If the server cannot be reached, or answers with anything but success or 400 (bad request).
        """
        response = self._send(url, content, headers)
        if response.status_code == httpx.codes.UNAUTHORIZED and self._ask is not None and self._client.auth is None:
            user = self._ask(f"User at {url}: ")
            self._client.auth = httpx.BasicAuth(user, self._ask(f"Password of {user}: "))
            response = self._send(url, content, headers)
        if response.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise StoreError(
                f"the server refuses the user ({response.status_code})",
                where=url,
                remedy=f"set {USER} and {PASSWORD} to one who may do this",
            )
        if response.status_code in (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED):
            raise StoreError(
                f"there is no such service at this address ({response.status_code})",
                where=url,
                remedy="name the data set that has /query, /update and /data below it, as Apache Jena Fuseki does",
            )
        if not response.is_success and response.status_code != httpx.codes.BAD_REQUEST:
            raise StoreError(
                f"the server answers {response.status_code} ({first_line(response)})",
                where=url,
                remedy="see the server's log, then run this again: nothing is duplicated",
            )
        return response

    def _send(self, url: str, content: bytes, headers: dict[str, str]) -> httpx.Response:
        for wait in (*_WAITS, None):
            try:
                response = self._client.post(url, content=content, headers=headers)
            except httpx.TransportError as error:
                if wait is None:
                    raise StoreError(
                        f"the server cannot be reached or went away ({error})",
                        where=url,
                        remedy="start the server and run this again: nothing is lost or duplicated",
                    ) from error
            else:
                if wait is None or response.status_code not in _PASSING:
                    return response
            time.sleep(wait)
        raise AssertionError("unreachable")


def first_line(response: httpx.Response) -> str:
    """The first line of the response."""
    return response.text.strip().partition("\n")[0][:300]
