"""Corpora in XML: MCScript (Ostermann et al., LREC 2018) and DeScript (Wanzare et al., LREC 2016).

Records are streamed; entities and external references are rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from attrs import frozen
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import XMLParser

from kgscripts.corpora.plain_text import joined_lines, paragraph_spans
from kgscripts.corpora.source import MAX_RECORD_BYTES, Source, too_long
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind

_CHUNK = 64 * 1024


@frozen
class XmlRecord:
    """An element, and the line on which it begins, from 1."""

    element: Element
    line: int


class _Records:
    """Parser target that keeps the elements with one tag and drops all others, so that memory holds one record."""

    def __init__(self, tag: str) -> None:
        self.done: list[XmlRecord] = []
        self.parser: Any = None
        self.line = 1
        self._tag = tag
        self._depth = 0
        self._builder = TreeBuilder()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._depth == 0:
            if tag != self._tag:
                return
            self._builder = TreeBuilder()
            self.line = self.parser.CurrentLineNumber
        self._depth += 1
        self._builder.start(tag, attributes)

    def data(self, data: str) -> None:
        if self._depth:
            self._builder.data(data)

    def end(self, tag: str) -> None:
        if not self._depth:
            return
        self._builder.end(tag)
        self._depth -= 1
        if not self._depth:
            self.done.append(XmlRecord(self._builder.close(), self.line))

    def close(self) -> None:
        pass


def xml_records(source: Source, tag: str) -> Iterator[XmlRecord | Discard]:
    """Yield each element with the tag as soon as it is complete.

    A fault ends reading with a discard: XML that is not well-formed, an entity declaration, a reference to another
    file, or a record of more than `MAX_RECORD_BYTES`.
    """
    source.sample()  # reads ahead, so that `encoding` is known: it overrides the XML declaration
    target = _Records(tag)
    parser = XMLParser(target=target, encoding="utf-8" if source.encoding else None, forbid_external=True)
    target.parser = parser.parser
    since_record = 0
    is_found = False
    try:
        while chunk := source.stream.read(_CHUNK):
            parser.feed(chunk)
            is_found = is_found or bool(target.done)
            since_record = 0 if target.done else since_record + len(chunk)
            yield from target.done
            target.done.clear()
            if since_record > MAX_RECORD_BYTES:
                yield source.discard(DiscardReason.TOO_LONG, target.line, too_long(f"<{tag}>"))
                return
        parser.close()
        if not is_found:
            yield source.discard(DiscardReason.MALFORMED, 1, f"it contains no <{tag}>")
    except ParseError as error:
        yield from target.done
        yield source.discard(DiscardReason.MALFORMED, error.position[0], f"invalid XML from here: {error}")
    except DefusedXmlException as error:
        detail = f"entities and external references are not allowed: {error}"
        yield source.discard(DiscardReason.MALFORMED, parser.parser.CurrentLineNumber, detail)
    # Expat asks Python for the encodings that it does not know: Python may not know them either, or not byte by byte.
    except (LookupError, ValueError) as error:
        detail = f"its encoding cannot be read; convert the file to UTF-8 ({error})"
        yield source.discard(DiscardReason.UNDECODABLE, parser.parser.CurrentLineNumber, detail)


def read_mcscript(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per story."""
    seen: dict[str, int] = {}
    for record in xml_records(source, "instance"):
        if isinstance(record, Discard):
            yield record
            continue
        identifier = record.element.get("id", "")
        story = record.element.find("text")
        if not identifier or story is None:
            yield source.discard(DiscardReason.MALFORMED, record.line, "an <instance> without id or <text>")
            continue
        text = "".join(story.itertext())
        if identifier in seen:
            detail = f"id {identifier!r} was on line {seen[identifier]} before"
            yield source.discard(DiscardReason.DUPLICATE_ID, record.line, detail)
        elif not text.strip():
            yield source.discard(DiscardReason.EMPTY, record.line, f"story {identifier!r} has no text")
        else:
            seen[identifier] = record.line
            yield Document(
                name=source.label(identifier),
                format="mcscript",
                text=text,
                scenario=record.element.get("scenario", ""),
                passages=[
                    Passage(kind=PassageKind.PARAGRAPH, start=start, end=end) for start, end in paragraph_spans(text)
                ],
            )


_SUFFIXES = (".gz", ".xml", ".new")


def read_descript(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per event sequence description; its steps are the lines of the text."""
    scenario = scenario_of_file(source.name)
    seen: dict[str, int] = {}
    for record in xml_records(source, "script"):
        if isinstance(record, Discard):
            yield record
            continue
        identifier = record.element.get("id", "")
        items = record.element.findall("item")
        if not identifier or any(item.get("original") is None for item in items):
            detail = "a <script> without id, or an <item> without original"
            yield source.discard(DiscardReason.MALFORMED, record.line, detail)
            continue
        if identifier in seen:
            detail = f"id {identifier!r} was on line {seen[identifier]} before"
            yield source.discard(DiscardReason.DUPLICATE_ID, record.line, detail)
            continue
        seen[identifier] = record.line
        text, spans = joined_lines([item.get("original", "") for item in items])
        if not spans:
            yield source.discard(DiscardReason.EMPTY, record.line, f"script {identifier!r} has no steps")
            continue
        yield Document(
            name=source.label(identifier),
            format="descript",
            text=text,
            scenario=scenario,
            passages=[Passage(kind=PassageKind.STEP, start=start, end=end) for start, end in spans],
        )


def scenario_of_file(name: str) -> str:
    """The scenario that a DeScript file is named after."""
    scenario = PurePosixPath(name).name
    for suffix in _SUFFIXES:
        scenario = scenario.removesuffix(suffix)
    return scenario
