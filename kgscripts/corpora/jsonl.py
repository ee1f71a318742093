"""JSON lines, or an array: documents ``{"id", "title"?, "scenario"?, "text" | "steps"}`` or pairs (`pair_formats`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kgscripts.corpora.inline_markup import without_markup
from kgscripts.corpora.json_arrays import array_values, is_array
from kgscripts.corpora.json_records import json_object, record_id, string, strings
from kgscripts.corpora.lines import passages_of, steps_of
from kgscripts.corpora.pairs.formats import document_of_pair, is_pair_record, pair_record
from kgscripts.corpora.plain_text import joined_lines, paragraph_spans
from kgscripts.corpora.source import Source, text_lines
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document


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
        return document_of_pair(pair_record(record), name)
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
