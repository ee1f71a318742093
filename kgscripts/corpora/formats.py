"""Reading documents from a file in any supported format, which is detected from the content or given by name."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from typing import Any

from attrs import evolve

from kgscripts.corpora.files import InputFile, find_files
from kgscripts.corpora.jsonl import document_of_record
from kgscripts.corpora.sniffing import sniff, sniff_package
from kgscripts.corpora.source import (
    MAX_PASSAGES,
    MAX_SENTENCES,
    DamagedSourceError,
    Source,
    has_too_many_sentences,
    is_binary,
    open_source,
    source_of,
)
from kgscripts.corpora.text_kinds import other_kind
from schemas.errors import ConfigurationError, InputError
from schemas.plugins import entry_points_of, loaded
from schemas.records import Discard, DiscardReason, Document

_NO_TEXT = (b"%!PS", b"{\\rtf")
"""The beginnings of formats that consist of text characters but contain no readable text."""

_UNMARKED = frozenset({"text", "markdown", "pairs", None})
"""The formats of texts without a mark of their own, which may as well be something else."""

_BRACE_ALONE = re.compile(r"\s*\{\s*\n")
"""The beginning of an object of JSON over several lines, which is no JSON lines."""

_FORMATS = "kgscripts.formats"
"""The entry points of formats: each names a function of a `Source` that yields its documents, and discards."""
_DETECTORS = "kgscripts.formats.detectors"
"""The entry points that recognise formats of other packages, of the same names: each names a function that says whether
a source is of the format, by its first bytes and its name. They are asked before `sniffing` recognises ours."""


def formats() -> list[str]:
    """The values of `--format`: the names of the formats of all installed packages."""
    return [*entry_points_of(_FORMATS)]


def version_of_readers() -> str:
    """The version of kgscripts and of the other packages that bring formats."""
    return _version(tuple(sys.path))


@cache
def _version(path: tuple[str, ...]) -> str:
    # A part of the key of the cache only, as of entry points: reading the metadata takes longer than a short text.
    del path
    entries = [*entry_points_of(_FORMATS).values(), *entry_points_of(_DETECTORS).values()]
    packages = {(entry.dist.name, entry.dist.version) for entry in entries if entry.dist is not None}
    others = (f" {name} {version}" for name, version in sorted(packages) if name != "kgscripts")
    return metadata.version("kgscripts") + "".join(others)


def read_file(file: InputFile, *, format: str | None = None) -> Iterator[Document | Discard]:
    """Yield the documents of a file, and a discard for each part of it that was left out.

    gzip is unpacked; text is UTF-8, UTF-16 or UTF-32 with a byte order mark, or Western European.
    Invalid content yields a discard whose `where` is ``name:line``, and reading continues after it as far as the format
    allows. A text that is no prose is a discard too, unless `format` is given. Raises ConfigurationError for an unknown
    format and InputError for a file that cannot be opened.
    """
    check_format(format)
    return _read_opened(file, format)


STANDARD_INPUT = "-"


def read_inputs(inputs: Sequence[str], format: str | None = None) -> Iterator[Document | Discard]:
    """The texts in files and folders; ``-`` is standard input. A file in a folder that cannot be read is a discard.

    Raises ConfigurationError for an unknown format, and InputError for an input that is missing or unreadable itself,
    and for a folder without files.
    """
    check_format(format)
    # All of them before the first is read, so that a missing input is an error at once.
    file_lists = [None if name == STANDARD_INPUT else find_files([name]) for name in inputs]
    return (item for files in file_lists for item in _read_all(files, format))


def _read_all(files: Sequence[InputFile] | None, format: str | None) -> Iterator[Document | Discard]:
    if files is None:
        yield from read_source(source_of("standard input", sys.stdin.buffer), format)
        return
    for file in files:
        try:
            if file.fault:
                raise InputError(file.fault)
            yield from _read_opened(file, format)
        except InputError as error:
            yield Discard(reason=DiscardReason.UNREADABLE, where=file.name, detail=error.message)


def documents_from_strings(
    texts: Iterable[str | Mapping[str, Any]], *, format: str | None = None, name: str = "text"
) -> Iterator[Document | Discard]:
    """Yield documents from text in memory: strings (plain text or Markdown, unless `format` names another format), or
    mappings like a record of JSON lines, whose id is optional.

    The documents are named ``text#1``, ``text#2``, ..., whatever their ids.
    """
    check_format(format)
    for number, text in enumerate(texts, 1):
        label = f"{name}#{number}"
        try:
            if isinstance(text, str):
                yield from _read_string(text, label, format)
            else:
                document = document_of_record(text, name=label)
                empty = Discard(reason=DiscardReason.EMPTY, where=f"{label}:1", detail="no text")
                yield _bounded(_prose(document)) if document else empty
        except InputError as error:
            yield Discard(reason=DiscardReason.MALFORMED, where=f"{label}:1", detail=error.message)


def check_format(format: str | None) -> None:
    """Raise ConfigurationError for an unknown format; None stands for detection."""
    if format is not None and format not in entry_points_of(_FORMATS):
        raise ConfigurationError(f"no format {format!r}", remedy=f"one of {', '.join(formats())}")


def _read_opened(file: InputFile, format: str | None) -> Iterator[Document | Discard]:
    with open_source(file) as source:
        yield from read_source(source, format)


def _read_string(text: str, name: str, format: str | None) -> Iterator[Document | Discard]:
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"a lone surrogate at character {error.start}") from error
    source = source_of(name, io.BytesIO(data))
    if format is None:
        if other := other_kind(text):
            yield source.discard(other.reason, 1, other.detail)
            return
        format = "markdown" if sniff(data[:65536], name) == "markdown" else "text"
    yield from read_source(source, format)


def read_source(source: Source, format: str | None) -> Iterator[Document | Discard]:
    """Yield what `read_file` yields, from an opened source; the format is a known one, or detected."""
    empty = True
    try:
        chosen = format or detected_format(source)
        if isinstance(chosen, Discard):
            yield chosen
            return
        read = loaded(entry_points_of(_FORMATS)[chosen], "input format")
        for item in read(source):
            empty = False
            if isinstance(item, Document):
                item = evolve(item, encoding=source.encoding) if source.encoding else item
                item = _bounded(item if format else _prose(item))
            yield item
    except DamagedSourceError as error:
        yield source.damaged(error)
        return
    if empty:
        yield source.discard(DiscardReason.EMPTY, 1, "nothing to read")


def detected_format(source: Source) -> str | Discard:
    """The format of an opened source, by its beginning; a discard if it has none that can be read as prose."""
    sample = source.sample()
    for name, entry in entry_points_of(_DETECTORS).items():
        if loaded(entry, "detector of the format")(sample, source.name):
            return name
    if package := sniff_package(sample, source.name):
        return package
    if is_binary(sample) or sample.startswith(_NO_TEXT):
        return source.discard(DiscardReason.UNDECODABLE, 1, "not text; leave it out, or convert it to UTF-8 text")
    format = sniff(sample, source.name)
    # The sample may end within a character; of other bytes that are no UTF-8, the readers say where they are.
    text = sample.decode("utf-8", errors="replace").rstrip("\ufffd")
    is_judged = (format in _UNMARKED or (format == "jsonl" and _BRACE_ALONE.match(text))) and "\ufffd" not in text
    if is_judged and (other := other_kind(text)):
        return source.discard(other.reason, 1, other.detail)
    if format is None:
        detail = f"XML in an unknown format; choose one with --format ({', '.join(formats())})"
        return source.discard(DiscardReason.MARKUP, 1, detail)
    return format


def _prose(document: Document) -> Document | Discard:
    """The document; if it is a record, a discard if its text is no prose. Files are judged as a whole."""
    other = other_kind(document.text) if document.format == "jsonl" else None
    return Discard(reason=other.reason, where=document.name, detail=other.detail) if other else document


def _bounded(item: Document | Discard) -> Document | Discard:
    """The document, or a discard if reading it would take too much time and memory."""
    if isinstance(item, Discard):
        return item
    if len(item.passages) > MAX_PASSAGES:
        most = f"{MAX_PASSAGES:,} passages"
    elif has_too_many_sentences(item.text):
        most = f"{MAX_SENTENCES:,} sentences"
    else:
        return item
    detail = f"a document of more than {most}; split it"
    return Discard(reason=DiscardReason.TOO_LONG, where=item.name, detail=detail)
