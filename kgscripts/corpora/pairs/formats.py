"""The two formats of pairs, rows of tab-separated columns and JSON records, and the documents made of them.

A row has the columns abstract and concrete and, in a cloze template, a 0 or 1 for each concrete token. A record is
``{"abstract": "...", "concrete": "..." | ["step", ...], "id"?}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from kgscripts.corpora.json_records import string, strings
from kgscripts.corpora.plain_text import joined_lines
from kgscripts.corpora.source import Source, text_lines
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind

_HEADER = ["abstract", "concrete"]


@frozen
class RawPair:
    """Both sides as raw text; some steps may be blank. `in_steps`: whether the concrete side was a list of steps.

    `marks` has a "0" or "1" for each concrete token of a cloze template; it is None for other pairs.
    """

    abstract: str
    steps: list[str]
    in_steps: bool = False
    marks: list[str] | None = None


def is_header(line: str) -> bool:
    """Whether a first line contains the column names."""
    return [column.strip().lower() for column in line.split("\t")[:2]] == _HEADER


def pair_row(line: str) -> RawPair:
    """The pair in the columns of a line.

    Raises InputError for another number of columns than two or three, an empty side, and marks other than 0 and 1 or
    not one for each token between white space.
    """
    columns = line.split("\t")
    if len(columns) not in (2, 3):
        count = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        raise InputError(f"{count} instead of 2 (abstract, concrete), or 3 in a cloze template")
    abstract, concrete = columns[:2]
    _check_sides(abstract, concrete)
    if len(columns) == 2:
        return RawPair(abstract, [concrete])
    marks = columns[2].split()
    if not set(marks) <= {"0", "1"}:
        raise InputError("the third column contains something other than 0 and 1")
    if len(marks) != len(tokens := concrete.split()):
        raise InputError(f"{len(marks)} marks for {len(tokens)} tokens")
    return RawPair(abstract, [concrete], marks=marks)


def _check_sides(abstract: str, concrete: str) -> None:
    if not abstract.strip() or not concrete.strip():
        raise InputError(f"the {'concrete' if abstract.strip() else 'abstract'} side is empty")


def is_pair_record(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object is intended as a pair."""
    return "abstract" in record or "concrete" in record


def pair_record(record: Mapping[str, Any]) -> RawPair:
    """The pair in a JSON object.

    Raises InputError for a side that is missing, empty or of another type.
    """
    abstract = string(record, "abstract")
    value = record.get("concrete")
    if not isinstance(value, str | list):
        raise InputError('"concrete" is neither a string nor a list of strings')
    steps = [string(record, "concrete")] if isinstance(value, str) else strings(record, "concrete")
    _check_sides(abstract, "".join(steps))
    return RawPair(abstract, steps, in_steps=isinstance(value, list))


def read_pairs(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per pair: the abstract side, a line break, the concrete side. Blank lines are skipped."""
    for number, line in text_lines(source):
        if isinstance(line, Discard):
            yield line
            continue
        if not line.strip() or (number == 1 and is_header(line)):
            continue
        try:
            yield document_of_pair(pair_row(line), source.label(number), "pairs")
        except InputError as error:
            yield source.discard(DiscardReason.MALFORMED, number, error.message)


def document_of_pair(pair: RawPair, name: str, format: str) -> Document:
    """The document of a pair; each step is a line and a passage."""
    text, spans = joined_lines([pair.abstract, *pair.steps])
    first, *parts = [Passage(kind=PassageKind.STEP, start=start, end=end) for start, end in spans]
    passages = [
        evolve(first, kind=PassageKind.ABSTRACT),
        Passage(kind=PassageKind.CONCRETE, start=parts[0].start, end=parts[-1].end),
        *(parts if pair.in_steps else ()),
    ]
    return Document(name=name, format=format, text=text, passages=passages)
