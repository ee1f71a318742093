"""The values of a JSON array, one at a time, each with the number of its first line."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from kgscripts.corpora.source import MAX_RECORD_BYTES, Source, not_utf8, too_long
from schemas.records import DiscardReason

_BEGINS = re.compile(rb"\s*\[\s*(?:[{\]]|\Z)")
_GAP = re.compile(r"[\s,]*")
_CHUNK = 64 * 1024


def is_array(sample: bytes) -> bool:
    """Whether a source begins like an array of objects."""
    return _BEGINS.match(sample) is not None


def array_values(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the line (from 1) and value of each item. What is no JSON, too long or not closed is a discard and ends it.

    Memory is that of one value: the text is read in pieces, of twice the size each time that a value is not complete.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    text, at, line, size = "", 0, 1, _CHUNK
    opened = ended = False
    while True:
        gap = _GAP.match(text, at) if opened else re.compile(r"\s*\[").match(text)
        if gap is not None:
            line += text.count("\n", at, gap.end())
            at, opened = gap.end(), True
            if text.startswith("]", at):
                return
        try:
            if gap is None or at == len(text):
                raise ValueError("the array is not closed")
            value, end = json.JSONDecoder().raw_decode(text, at)
        except RecursionError as error:
            yield line, source.discard(DiscardReason.MALFORMED, line, f"JSON that cannot be read: {error}")
            return
        except ValueError as error:
            if ended:
                yield line, source.discard(DiscardReason.MALFORMED, line, f"not JSON from here on: {error}")
                return
            if len(text) - at > 4 * MAX_RECORD_BYTES:
                yield line, source.discard(DiscardReason.TOO_LONG, line, too_long("an object"))
                return
            data = source.stream.read(size)
            ended, size = not data, min(2 * size, MAX_RECORD_BYTES)
            try:
                text, at = text[at:] + decoder.decode(data, final=ended), 0
            except UnicodeDecodeError as fault:
                yield line, source.discard(DiscardReason.UNDECODABLE, line, not_utf8(fault))
                return
            continue
        if end - at > MAX_RECORD_BYTES:
            value = source.discard(DiscardReason.TOO_LONG, line, too_long("an object"))
        yield line, value
        line += text.count("\n", at, end)
        at, size = end, _CHUNK
