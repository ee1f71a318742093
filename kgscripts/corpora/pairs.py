"""Abstract and concrete instructions side by side as documents: rows of columns, and records of JSON lines.

The marks of a cloze template, its third column, say nothing about the text, and are only checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from kgscripts.corpora.pair_columns import is_header, pair_row
from kgscripts.corpora.pair_records import PairRecord
from kgscripts.corpora.plain_text import joined_lines
from kgscripts.corpora.source import Source, text_lines
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind


def read_pairs(source: Source) -> Iterator[Document | Discard]:
    """One document a pair: the abstract side, a line break, the concrete side. Blank lines are passed over."""
    for number, line in text_lines(source):
        if isinstance(line, Discard):
            yield line
            continue
        if not line.strip() or (number == 1 and is_header(line)):
            continue
        try:
            row = pair_row(line)
        except InputError as error:
            yield source.discard(DiscardReason.MALFORMED, number, error.message)
            continue
        yield _document(source.label(number), "pairs", row.abstract, [row.concrete], steps=False)


def document_of_pair(record: PairRecord, name: str) -> Document:
    """The document of a pair from JSON lines, as `read_pairs` makes them; steps are lines of it and passages too."""
    return _document(name, "jsonl", record.abstract, record.steps, steps=record.in_steps)


def _document(name: str, format: str, abstract: str, concrete: list[str], *, steps: bool) -> Document:
    text, spans = joined_lines([abstract, *concrete])
    first, *parts = [Passage(kind=PassageKind.STEP, start=start, end=end) for start, end in spans]
    passages = [
        evolve(first, kind=PassageKind.ABSTRACT),
        Passage(kind=PassageKind.CONCRETE, start=parts[0].start, end=parts[-1].end),
        *(parts if steps else ()),
    ]
    return Document(name=name, format=format, text=text, passages=passages)
