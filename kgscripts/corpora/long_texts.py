"""Texts of any length; those that are too long for one document are read in blocks."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from itertools import chain

from attrs import frozen

from kgscripts.corpora.files import InputFile, find_files
from kgscripts.corpora.formats import check_format, detected_format, read_source
from kgscripts.corpora.inline_markup import without_markup
from kgscripts.corpora.lines import passages_of
from kgscripts.corpora.plain_text import document_of_text, paragraph_spans
from kgscripts.corpora.source import (
    MAX_PASSAGES,
    MAX_RECORD_BYTES,
    DamagedSourceError,
    Source,
    has_too_many_sentences,
    not_utf8,
    open_source,
    source_of,
)
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document, Passage

STANDARD_INPUT = "-"

BLOCK_BYTES = 256 * 1024
"""The size of the blocks of a long text, in bytes of UTF-8."""


@frozen
class TextBlock:
    """A piece of a text without links, which begins at character `start` of it; passages are counted from there."""

    start: int
    text: str
    passages: tuple[Passage, ...]


@frozen
class LongText:
    """A plain text that is longer than a document can be, as blocks, which are read as they are fetched.

    A block that is not UTF-8 is a discard instead, and the text continues after it.
    """

    name: str
    title: str
    blocks: Iterator[TextBlock | Discard]


Item = Document | LongText | Discard


def read_inputs(inputs: Sequence[str], format: str | None = None) -> Iterator[Item]:
    """The texts in files and folders; ``-`` is standard input. A file in a folder that cannot be read is a discard.

    Raises ConfigurationError for an unknown format, and InputError for an input that is missing or unreadable itself,
    and for a folder without files.
    """
    check_format(format)
    found = [None if name == STANDARD_INPUT else find_files([name]) for name in inputs]
    return (item for files in found for item in _read(files, format))


def _read(files: Sequence[InputFile] | None, format: str | None) -> Iterator[Item]:
    if files is None:
        yield from texts_of(source_of("standard input", sys.stdin.buffer), format)
        return
    for file in files:
        try:
            if file.fault:
                raise InputError(file.fault)
            with open_source(file) as source:
                yield from texts_of(source, format)
        except InputError as error:
            yield Discard(reason=DiscardReason.UNREADABLE, where=file.name, detail=error.message)


def texts_of(source: Source, format: str | None) -> Iterator[Item]:
    """Yield the content of a source as `formats.read_source` does, except that plain text may be of any length.

    The format is a known one, or detected. The blocks of a long text have to be fetched before the next item.
    """
    try:
        if (format or detected_format(source)) == "text":
            data = source.stream.read(MAX_RECORD_BYTES + 1)
            if _is_long(data):
                blocks = _blocks(source, data)
                first = next(blocks)
                title = document_of_text("", first.text).title if isinstance(first, TextBlock) else ""
                yield LongText(source.name, title, chain([first], blocks))
                return
            source = source_of(source.name, io.BytesIO(data))
    except DamagedSourceError as error:
        yield source.damaged(error)
        return
    yield from read_source(source, format)


def _is_long(data: bytes) -> bool:
    """Whether a text has to be read in blocks; its first bytes are given, one more than a document can have."""
    lines = max(data.count(b"\n"), data.count(b"\r"))
    is_long = len(data) > MAX_RECORD_BYTES or lines > MAX_PASSAGES
    return is_long or has_too_many_sentences(data.decode("utf-8", errors="replace"))


def _blocks(source: Source, data: bytes) -> Iterator[TextBlock | Discard]:
    """The blocks of a text that begins with `data`."""
    start, line = 0, 1
    more = True
    while data:
        while more and len(data) <= BLOCK_BYTES:
            try:
                read = source.stream.read(BLOCK_BYTES)
            except DamagedSourceError as error:
                yield source.damaged(error)
                read = b""
            data += read
            more = bool(read)
        piece = data if len(data) <= BLOCK_BYTES else data[: _end(data)]
        data = data[len(piece) :]
        try:
            text = piece.decode("utf-8")
        except UnicodeDecodeError as error:
            yield source.discard(DiscardReason.UNDECODABLE, line + piece.count(b"\n", 0, error.start), not_utf8(error))
            text = piece.decode("utf-8", errors="replace")
        else:
            text = without_markup(text)
            passages = document_of_text("", text).passages if not start else passages_of(text, paragraph_spans(text))
            yield TextBlock(start, text, tuple(passages))
        start += len(text)
        line += piece.count(b"\n")


def _end(data: bytes) -> int:
    """The end of a block: after a blank line in its second half, else after a line or a word, else within a word."""
    for separators in ((b"\n\n", b"\n\r\n"), (b"\n",), (b". ", b"! ", b"? "), (b" ",)):
        ends = [data.rfind(separator, BLOCK_BYTES // 2, BLOCK_BYTES) + len(separator) for separator in separators]
        if max(ends) > BLOCK_BYTES // 2:
            return max(ends)
    end = BLOCK_BYTES
    while end and data[end] & 0xC0 == 0x80:  # not within a character
        end -= 1
    return end or BLOCK_BYTES
