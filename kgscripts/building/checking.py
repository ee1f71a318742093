"""Checks the records of an extractor: their kinds, their values, and their spans in the text.

The spans of a record are its fields `start` and `end`, pairs such as `word_start` and `word_end`, and spans of nested
records.
"""

from __future__ import annotations

import traceback
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from kgscripts.extractors.protocol import Extractor
from kgscripts.records.kinds import encode, kind_name, record_schema
from schemas.errors import (
    ConfigurationError,
    ExtractorError,
    GraphDirectoryError,
    KGScriptsError,
    ModelError,
    RecordError,
)
from schemas.records import Discard, DiscardReason, Document, Record

_START, _END = "start", "end"


@frozen
class RecordSpan:
    """A span of a record; `name` is that of the part or of the pair of fields, "" for the record's own."""

    name: str
    start: int
    end: int


def spans_of(record: object) -> Iterator[RecordSpan]:
    """The spans of a record and of everything in it; a pair of fields that are None is no span.

    Raises
    ------
    ConfigurationError
        If its class is no kind of record.
    """
    kind: type = type(record)
    record_schema(kind)
    return _spans(record, "")


@cache
def _pairs(kind: type) -> list[tuple[str, str, str]]:
    """The pairs of fields of a class that may be spans, with the names of these."""
    names = [item.name for item in attrs.fields(kind)]
    starts = [name for name in names if name == _START or name.endswith(f"_{_START}")]
    pairs = ((name.removesuffix(_START).rstrip("_"), name, name.removesuffix(_START) + _END) for name in starts)
    return [pair for pair in pairs if pair[2] in names]


def _spans(value: Any, outer: str) -> Iterator[RecordSpan]:
    kind: type = type(value)
    if isinstance(value, tuple | list):
        for item in value:
            yield from _spans(item, outer)
    elif attrs.has(kind):
        for name, *ends in _pairs(kind):
            start, end = (getattr(value, each) for each in ends)
            if isinstance(start, int) and isinstance(end, int):
                yield RecordSpan(name or outer, start, end)
        for field in attrs.fields(kind):
            yield from _spans(getattr(value, field.name), field.name)


OF_THE_BUILD = (MemoryError, OSError, ImportError, ModelError, ConfigurationError, GraphDirectoryError)
"""Errors that are not about a document: the machine, the disk, a missing package or model, or an option is at fault."""

_MOST_CHARACTERS = 300


@frozen
class Extent:
    """The characters of a document to which records may refer: the `length` of its text, and the spans of its passages.

    `starts` and `ends` belong to the passages, in text order; passages that touch or overlap are joined.
    """

    length: int
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, document: Document) -> Extent:
        """The extent of a document. Without passages, records may refer to all of its text."""
        starts: list[int] = []
        ends: list[int] = []
        for passage in document.passages:
            if ends and passage.start <= ends[-1]:
                ends[-1] = max(ends[-1], passage.end)
            else:
                starts.append(passage.start)
                ends.append(passage.end)
        return cls(len(document.text), starts or [0], ends or [len(document.text)])

    def problem(self, span: RecordSpan) -> str:
        """The error of a span; "" if it is not empty, lies in the text and overlaps a passage."""
        if span.start < 0 or span.end > self.length:
            return f"lies outside of the text of {self.length} characters"
        if span.start >= span.end:
            return "is empty"
        # The last passage that begins before the end of the span: if it does not overlap it, none does.
        last = bisect_left(self.starts, span.end) - 1
        return "" if last >= 0 and self.ends[last] > span.start else "lies in no passage"


def checked(extractor: Extractor, extent: Extent, records: Sequence[Record], *, strict: bool) -> list[Record]:
    """The records that an extractor gave for a document, with a discard in the place of each with a misplaced span.

    Raises
    ------
    ExtractorError
        If a record is of a kind that the extractor does not declare, or, with `strict`, has a misplaced span.
    """
    result: list[Record] = []
    for record in records:
        if not isinstance(record, extractor.gives):
            raise ExtractorError(
                f"it gave a record of the kind {type(record).__name__}", remedy="name the kind in `gives`"
            )
        problems = ((span, extent.problem(span)) for span in spans_of(record))
        span, problem = next((item for item in problems if item[1]), (None, ""))
        if span is None:
            result.append(record)
            continue
        what = f"{_named(record, span)} {problem}"
        if strict:
            raise ExtractorError(what)
        result.append(Discard(reason=DiscardReason.MISPLACED_SPAN, detail=f"{extractor.name}: {what}"))
    return result


def _named(record: Record, span: RecordSpan) -> str:
    kind = kind_name(type(record))
    return f"{span.name} {span.start}:{span.end} of {kind}" if span.name else f"{kind} {span.start}:{span.end}"


def check_storable(subject: str, extractor: str, records: Sequence[Record]) -> None:
    """Check that every value fits into the column of its field.

    Raises
    ------
    RecordError
        If a value does not, such as an integer beyond 64 bits.
    """
    for kind in {type(record) for record in records}:
        encode(kind, [(subject, extractor, 0, record) for record in records if type(record) is kind])


def described(error: Exception) -> str:
    """An error in one line, with the place in the code that raised it."""
    message = error.message if isinstance(error, KGScriptsError) else f"{type(error).__name__}: {error}"
    message = " ".join(message.encode("utf-8", "replace").decode("utf-8").split())[:_MOST_CHARACTERS]
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, ExtractorError | RecordError) or not frames:
        return message
    return f"{message} ({Path(frames[-1].filename).name}:{frames[-1].lineno})"
