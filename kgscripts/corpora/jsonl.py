"""JSON lines, or an array: documents ``{"id", "title"?, "scenario"?, "text" | "steps"}`` or pairs (`pair_formats`)."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kgscripts.corpora.inline_markup import without_markup
from kgscripts.corpora.json_records import json_object, record_id, string, strings
from kgscripts.corpora.lines import passages_of, steps_of
from kgscripts.corpora.pairs.formats import document_of_pair, is_pair_record, pair_record
from kgscripts.corpora.plain_text import joined_lines, paragraph_spans
from kgscripts.corpora.source import MAX_RECORD_BYTES, Source, not_utf8, text_lines, too_long
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document

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


def read_jsonl(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per line, or item of an array; blank lines are skipped. A repeated id is a discard."""
    for item in read_identified(source):
        yield item if isinstance(item, Discard) else item[1]


def read_identified(source: Source) -> Iterator[tuple[str, Document] | Discard]:
    """Yield what `read_jsonl` does, each document with the id of its record."""
    seen: dict[str, int] = {}
    records = array_values(source) if is_array(source.sample()) else _lines(source)
    for number, record in records:
        if isinstance(record, Discard):
            yield record
            continue
        try:
            if isinstance(record, str):
                record = json_object(record)
            elif not isinstance(record, dict):
                raise InputError("not a JSON object")
            identifier = f"line {number}" if is_pair_record(record) and "id" not in record else record_id(record)
            document = document_of_record(record, name=source.label(identifier))
        except InputError as error:
            yield source.discard(DiscardReason.MALFORMED, number, error.message)
            continue
        if identifier in seen:
            detail = f"id {identifier!r} was on line {seen[identifier]} before"
            yield source.discard(DiscardReason.DUPLICATE_ID, number, detail)
        elif document is None:
            seen[identifier] = number
            yield source.discard(DiscardReason.EMPTY, number, "no text")
        else:
            seen[identifier] = number
            yield identifier, document


def _lines(source: Source) -> Iterator[tuple[int, str | Discard]]:
    """The lines that are not blank."""
    return ((number, line) for number, line in text_lines(source) if isinstance(line, Discard) or line.strip())


def document_of_record(record: Mapping[str, Any], *, name: str) -> Document | None:
    """The document of a record; None where its text is blank.

    The text of a record with steps has one step per line. Other keys are ignored. Raises InputError for a value of the
    wrong type, or with a lone surrogate.
    """
    if is_pair_record(record):
        return document_of_pair(pair_record(record), name, "jsonl")
    title = _optional(record, "title")
    scenario = _optional(record, "scenario")
    if ("text" in record) == ("steps" in record):
        raise InputError('needs either "text" or "steps"')
    if "text" in record:
        text = without_markup(string(record, "text"))
        passages = passages_of(text, paragraph_spans(text))
    else:
        text, spans = joined_lines([without_markup(step) for step in strings(record, "steps")])
        passages = steps_of(text, spans)
    if not passages:
        return None
    return Document(name=name, format="jsonl", text=text, title=title, scenario=scenario, passages=passages)


def _optional(record: Mapping[str, Any], key: str) -> str:
    return "" if record.get(key) is None else string(record, key)
