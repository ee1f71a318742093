"""Guessing the encoding of bytes that are not UTF-8: that of Western European languages, or none."""

from __future__ import annotations

import codecs
from collections.abc import Callable

_WESTERN = ["cp1252"]
"""Windows-1252, which has all letters of Latin-1. Other encodings with one byte a character are not guessed: nearly any
bytes are valid in each of them."""
_MOST_BYTES = 64 * 1024
_CONTEXT = 1_000
"""The bytes before the first that is not ASCII that are judged too: a few bytes alone say little."""
UNCHANGED = (b"%PDF-", b"PK\x03\x04")
"""The beginnings of formats that are no text, whose bytes have to stay as they are."""


def western_encoding(data: bytes) -> str | None:
    """Windows-1252 (or Latin-1) if `charset-normalizer` sees no disorder in the first bytes; else None."""
    if b"\0" in data:
        return None
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_MOST_BYTES], cp_isolation=_WESTERN).best()
    return None if best is None else best.encoding


class Utf8Check:
    """Passes chunks of bytes on as UTF-8. If the first that are not ASCII are Western, all from there on are recoded.

    A text that has any valid sequence of UTF-8 before is UTF-8 with damage, and stays as it is.
    """

    def __init__(self, is_binary: Callable[[bytes], bool]) -> None:
        self._decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
        self._is_binary = is_binary
        self._passes = False
        self.encoding = ""

    def leave(self) -> None:
        """Pass everything on unchanged."""
        self._passes = True

    def recoded(self, chunk: bytes) -> bytes:
        """The next bytes as UTF-8; an empty chunk is the end."""
        if self._passes or self._decoder is None:
            return chunk
        if self.encoding:
            return self._decoder.decode(chunk, final=not chunk).encode("utf-8")
        pending, _ = self._decoder.getstate()
        try:
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":  # UTF-8 that is cut off
                self._passes = True
                return pending + chunk
            return self._decided(pending + chunk, error.start)
        if not text.isascii():
            self._passes = True
            pending, _ = self._decoder.getstate()
            return text.encode("utf-8") + pending
        return text.encode("utf-8")

    def _decided(self, data: bytes, fault: int) -> bytes:
        if (
            data[:fault].isascii()
            and not self._is_binary(data)
            and (encoding := western_encoding(data[max(0, fault - _CONTEXT) :]))
        ):
            self.encoding = encoding
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
            return self._decoder.decode(data).encode("utf-8")
        self._passes = True
        return data
