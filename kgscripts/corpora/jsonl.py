"""JSON lines: ``{"id", "title"?, "scenario"?, "text" | "steps"}``, one document a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kgscripts.corpora.plain_text import joined_lines, paragraph_spans
from kgscripts.corpora.source import Source, text_lines
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind


def read_jsonl(source: Source) -> Iterator[Document | Discard]:
    """One document a line; blank lines are passed over. An id that came before is a discard."""
    seen: dict[str, int] = {}
    for number, line in text_lines(source):
        if isinstance(line, Discard):
            yield line
            continue
        if not line.strip():
            continue
        try:
            record = _parse(line)
            identifier = _identifier(record)
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
            yield document


def document_of_record(record: Mapping[str, Any], *, name: str) -> Document | None:
    """The document that a record tells; None where its text is blank.

    The text of steps is the steps, one a line. Other keys are passed over. Raises InputError for a value of the
    wrong type, or with half a surrogate pair.
    """
    title = _string(record, "title")
    scenario = _string(record, "scenario")
    if ("text" in record) == ("steps" in record):
        raise InputError('wants either "text" or "steps"')
    if "text" in record:
        text = _string(record, "text")
        kind, spans = PassageKind.PARAGRAPH, paragraph_spans(text)
    else:
        text, spans = joined_lines(_steps(record["steps"]))
        kind = PassageKind.STEP
    if not spans:
        return None
    passages = [Passage(kind=kind, start=start, end=end) for start, end in spans]
    return Document(name=name, format="jsonl", text=text, title=title, scenario=scenario, passages=passages)


def _parse(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"no JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"JSON that cannot be read: {error}") from error
    if not isinstance(record, dict):
        raise InputError("no JSON object")
    return record


def _identifier(record: dict[str, Any]) -> str:
    identifier = record.get("id")
    if isinstance(identifier, bool) or not isinstance(identifier, str | int) or identifier == "":
        raise InputError('wants an "id", a string or a whole number')
    return _encodable("id", str(identifier))


def _string(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if value is None and key != "text":
        return ""
    if not isinstance(value, str):
        raise InputError(f'"{key}" is no string')
    return _encodable(key, value)


def _encodable(key: str, value: str) -> str:
    """JSON can escape half a surrogate pair, which is no character and cannot be written."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f'"{key}" has half a surrogate pair at character {error.start}') from error
    return value


def _steps(value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(step, str) for step in value):
        raise InputError('"steps" is no list of strings')
    return [_encodable("steps", step) for step in value]
