"""Abstract and concrete instructions side by side, in columns that tabs divide.

The cloze templates of KidsCook (Bisk et al., NAACL 2019) have a third column: for each token of the concrete side 0
where it is to be guessed, else 1. It says nothing about the text, and is only checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgscripts.corpora.plain_text import joined_lines
from kgscripts.corpora.source import Source, text_lines
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind

_HEADER = ["abstract", "concrete"]


def read_pairs(source: Source) -> Iterator[Document | Discard]:
    """One document a pair: the abstract side, a line break, the concrete side. Blank lines are passed over."""
    for number, line in text_lines(source):
        if isinstance(line, Discard):
            yield line
            continue
        columns = line.split("\t")
        if not line.strip() or (number == 1 and [column.strip().lower() for column in columns[:2]] == _HEADER):
            continue
        if fault := _fault(columns):
            yield source.discard(DiscardReason.MALFORMED, number, fault)
            continue
        text, spans = joined_lines(columns[:2])
        kinds = (PassageKind.ABSTRACT, PassageKind.CONCRETE)
        passages = [Passage(kind=kind, start=start, end=end) for kind, (start, end) in zip(kinds, spans, strict=True)]
        yield Document(name=source.label(number), format="pairs", text=text, passages=passages)


def _fault(columns: list[str]) -> str:
    """What is wrong with a row, or ""."""
    if len(columns) not in (2, 3):
        return f"{len(columns)} columns where 2 are wanted (abstract, concrete), or 3 in a cloze template"
    if not columns[0].strip() or not columns[1].strip():
        return f"the {'abstract' if not columns[0].strip() else 'concrete'} side is empty"
    if len(columns) == 3:
        marks = columns[2].split()
        if not set(marks) <= {"0", "1"}:
            return "the third column holds something else than 0 and 1"
        if len(marks) != len(tokens := columns[1].split()):
            return f"{len(marks)} marks for {len(tokens)} tokens"
    return ""
