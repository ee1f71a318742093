"""Answers that are kept to be given again: those of the latest version, the least recently used forgotten first."""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import sha256

from attrs import field, frozen
from starlette.responses import Response

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
            found = self._answers.get(address) if version == self._version else None
            if found is not None:
                self._answers.move_to_end(address)
            return found

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
