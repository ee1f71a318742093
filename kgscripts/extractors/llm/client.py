"""Requests to a server that speaks OpenAI's chat completions: bounded in time, size and attempts.

The key goes to the address of the settings only: redirects are not followed. No message, log or file repeats it.
"""

from __future__ import annotations

import json
import logging
import os
import random
import threading
from collections.abc import Mapping
from typing import Any

import httpx
from attrs import define, field

from kgscripts.extractors.llm.responses import Response, completion, retry_after, said
from kgscripts.extractors.llm.settings import LanguageModelSettings
from schemas.addresses import without_user
from schemas.errors import ConfigurationError, ExtractorError, ModelError
from schemas.http_clients import http_client
from schemas.interrupts import within
from schemas.secrets import hidden_in, keep_secret

_LOG = logging.getLogger(__name__)

ATTEMPTS = 6
FIRST_WAIT = 1.0
"""Seconds before the second attempt; each further one waits twice as long, and a part of it is random."""
LONGEST_WAIT = 60.0
"""No server makes a build wait longer before the next attempt."""
MOST_BYTES = 4 << 20
"""The largest response."""
_MOST_FAULTS = 5
"""After so many requests in a row that the server failed on, the fault is in the server."""
_CONNECT_SECONDS = 10.0
_PASSING = frozenset({408, 429, 500, 502, 503, 504, 529})
_REMEDY = "see the server's log and the settings of llm; what was read is kept, and the same command continues"


class BadAnswerError(ExtractorError):
    """An answer that is not what was asked for: worth asking once more."""


class RefusedError(ExtractorError):
    """The server refuses a request as it is (400 or 422)."""


class _PassingError(Exception):
    """Worth another attempt, after a wait of so many seconds if the server says so."""

    def __init__(self, message: str, wait: float | None = None, *, unreachable: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.wait = wait
        self.unreachable = unreachable


@define
class Client:
    """Sends requests; several threads can use one."""

    settings: LanguageModelSettings
    _headers: Mapping[str, str] = field(init=False, repr=False)
    _open: list[httpx.Client] = field(factory=list, init=False, repr=False)
    _free: list[httpx.Client] = field(factory=list, init=False, repr=False)
    """One for each request of the moment, so that one that takes too long is ended without the others."""
    _ended: threading.Event = field(factory=threading.Event, init=False, repr=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _faults: int = field(default=0, init=False)
    _attempts: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        key = _key(self.settings.key_variable)
        keep_secret(key)
        # Compressed responses could be of any size.
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "kgscripts", "Content-Type": "application/json"}
        if key:
            self._headers = {**self._headers, "Authorization": f"Bearer {key}"}
        self._free.append(self._opened())

    def _opened(self) -> httpx.Client:
        waits = httpx.Timeout(self.settings.timeout, connect=min(_CONNECT_SECONDS, self.settings.timeout))
        http = http_client(self._url, timeout=waits, headers=self._headers)
        self._open.append(http)
        return http

    @property
    def _url(self) -> str:
        return self.settings.endpoint.rstrip("/") + "/chat/completions"

    def close(self) -> None:
        """End the waits and the connections."""
        self._ended.set()
        for http in self._open:
            http.close()

    def take_attempts(self) -> int:
        """The requests that were sent since the last call, repeated ones included."""
        with self._lock:
            attempts, self._attempts = self._attempts, 0
        return attempts

    def ask(self, body: Mapping[str, Any]) -> Response:
        """Send a request, again after passing failures.

        Raises
        ------
        BadAnswerError
            If the response is no completion.
        RefusedError
            If the server refuses the request.
        ExtractorError
            If the server fails on this request.
        ModelError
            If it cannot be reached, refuses the key, has no such model, or fails on every request.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8")
        for attempt in range(ATTEMPTS):
            try:
                response = self._response(self._post(content))
            except _PassingError as error:
                last = error
                if attempt + 1 < ATTEMPTS:
                    self._wait(attempt, error)
                    continue
            else:
                self._faults = 0
                return response
        message = f"{last.message}, {ATTEMPTS} times"
        # Other texts would wait as long in vain.
        if last.unreachable:
            raise self._of_server(message)
        raise self.failed(message)

    def _wait(self, attempt: int, error: _PassingError) -> None:
        # Random in part, so that threads that failed together do not come back together.
        own = FIRST_WAIT * 2**attempt * random.uniform(0.5, 1.0)
        wait = min(LONGEST_WAIT, own if error.wait is None else max(error.wait, 0.0) + random.uniform(0, FIRST_WAIT))
        _LOG.info("llm: %s; asked again in %.1f s", error.message, wait)
        if self._ended.wait(wait):
            raise self._of_server("the build was ended")

    def _post(self, content: bytes) -> tuple[int, Mapping[str, str], bytes]:
        if self._ended.is_set():
            raise self._of_server("the build was ended")
        with self._lock:
            self._attempts += 1
            http = self._free.pop() if self._free else self._opened()
        try:
            received = within(self.settings.timeout, lambda: self._exchange(http, content))
            self._free.append(http)
            return received
        except (TimeoutError, httpx.ReadTimeout, httpx.WriteTimeout):
            raise self._late() from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError, UnicodeError) as error:
            # Its message is left out, since it may have headers.
            unreachable = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.InvalidURL)
            what = "the server cannot be reached" if unreachable else "the connection broke"
            raise _PassingError(f"{what} ({type(error).__name__})", unreachable=unreachable) from None
        finally:
            # After an error the connection may hold the rest of a response.
            if http not in self._free:
                http.close()

    def _exchange(self, http: httpx.Client, content: bytes) -> tuple[int, Mapping[str, str], bytes]:
        with http.stream("POST", self._url, content=content) as response:
            if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
                raise self.failed("the response is compressed, which was not asked for")
            body = bytearray()
            for part in response.iter_raw(1 << 16):
                body += part
                if len(body) > MOST_BYTES:
                    raise self.failed(f"the response is larger than {MOST_BYTES >> 20} MiB")
            return response.status_code, response.headers, hidden_in(bytes(body))

    def _response(self, received: tuple[int, Mapping[str, str], bytes]) -> Response:
        status, headers, body = received
        # 429 says that the key has asked too much, whatever the text.
        if status in _PASSING:
            raise _PassingError(
                f"the server answers {status}{said(body)}", retry_after(headers), unreachable=status == 429
            )
        if status in (400, 413, 422):
            raise RefusedError(f"the server refuses the request ({status}{said(body)})")
        if 300 <= status < 400:
            raise self._of_server(f"the server leads to another address ({status}), which is not followed")
        if status in (401, 403):
            raise self._of_server(f"the server refuses the key ({status}{said(body)})")
        if not 200 <= status < 300:
            raise self._of_server(f"the server answers {status}{said(body)}")
        try:
            return completion(json.loads(body.decode("utf-8-sig")))
        except (ValueError, RecursionError, TypeError, KeyError, IndexError, AttributeError):
            raise BadAnswerError(f"the server sends no completion{said(body)}") from None

    def _late(self) -> ExtractorError:
        return self.failed(f"the server did not answer within {self.settings.timeout:g} seconds")

    def failed(self, message: str) -> ExtractorError:
        """The failure of one request; of the server if it fails on all."""
        with self._lock:
            self._faults += 1
            many = self._faults >= _MOST_FAULTS
        if many:
            raise self._of_server(f"{message}; it failed on {self._faults} texts in a row")
        return ExtractorError(message)

    def _of_server(self, message: str) -> ModelError:
        return ModelError(message, where=without_user(self._url), remedy=_REMEDY)


def _key(variable: str) -> str:
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigurationError(
            f"the environment variable {variable} has no key", where="llm.key_variable", remedy=f"export {variable}=..."
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigurationError(
            f"the environment variable {variable} has characters that no key has", remedy="copy the key again"
        )
    return key
