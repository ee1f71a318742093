"""Answers that are kept to be given again: those of the latest build, the least recently used ones forgotten first."""

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


@frozen
class KeptAnswer:
    """The content of an answer, with a tag that changes with it, and packed if that pays."""

    content: bytes = field(repr=False)
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(factory=dict)
    tag: str = field(init=False)
    packed: bytes | None = field(init=False, repr=False)

    @tag.default
    def _tag(self) -> str:
        return f'W/"{sha256(self.content).hexdigest()[:32]}"'

    @packed.default
    def _packed(self) -> bytes | None:
        return gzip.compress(self.content, _LEVEL, mtime=0) if len(self.content) >= _LEAST_TO_PACK else None

    def response(self, accept_encoding: str, if_none_match: str) -> Response:
        """The response for a client that takes these encodings and has the answers with these tags."""
        headers = {**self.headers, "ETag": self.tag, "Vary": "Accept-Encoding", "Cache-Control": "no-cache"}
        if self.tag.removeprefix("W/") in (tag.strip().removeprefix("W/") for tag in if_none_match.split(",")):
            return Response(status_code=304, headers=headers)
        if self.packed is not None and "gzip" in accept_encoding.lower():
            return Response(self.packed, media_type=self.media_type, headers=headers | {"Content-Encoding": "gzip"})
        return Response(self.content, media_type=self.media_type, headers=headers)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.content) + len(self.packed or b"")


class KeptAnswers:
    """Answers by address, of one build, up to a size in bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._build = ""
        self._size = 0
        self._answers: OrderedDict[str, KeptAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, build: str | None, address: str) -> KeptAnswer | None:
        """The answer of a build for an address, if it is kept."""
        with self._lock:
            found = self._answers.get(address) if build == self._build else None
            if found is not None:
                self._answers.move_to_end(address)
            return found

    def add(self, build: str, address: str, answer: KeptAnswer) -> None:
        """Keep an answer; those of another build are forgotten."""
        with self._lock:
            if build != self._build:
                self._build, self._size = build, 0
                self._answers.clear()
            if (before := self._answers.pop(address, None)) is not None:
                self._size -= before.size
            self._answers[address] = answer
            self._size += answer.size
            while self._size > self._most:
                self._size -= self._answers.popitem(last=False)[1].size
