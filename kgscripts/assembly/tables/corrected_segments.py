"""Corrections of what a source or one of its passages is about.

Of corrections of a source the latest counts. Corrections of its passages are applied on top of it, the latest last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from attrs import evolve, frozen

from kgscripts.assembly.engine import Engine, arrow_table
from kgscripts.assembly.step import Step, rows, tables_in, view
from kgscripts.assembly.tables.words import names_source, spans_of
from kgscripts.records.store import RecordStore
from schemas.corrections import NO_SCENARIO, Correction, CorrectionKind

_OF_DOCUMENTS = "WHERE document IN (SELECT document FROM document d JOIN about_source a USING (digest))"
_TOLD = f'SELECT document, reader, scenario, start, "end", confidence FROM segment_found {_OF_DOCUMENTS}'
_TEXTS = f"SELECT document, text FROM text {_OF_DOCUMENTS} ORDER BY document"
_ABOUT = "SELECT document, correction FROM document JOIN about_source USING (digest) ORDER BY document, correction"

_SEGMENTS = pa.schema(
    [
        ("document", pa.int32()),
        ("reader", pa.int16()),
        ("scenario", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("confidence", pa.float64()),
    ]
)
_APPLIED = pa.schema([("document", pa.int32()), ("correction", pa.int32())])


@frozen
class Told:
    """A stretch of a text that is about a scenario: by a `reader`, or by an enricher or a person (None)."""

    start: int
    end: int
    scenario: str
    reader: int | None = None
    confidence: float = 1.0


def steps(corrections: Sequence[Correction], store: RecordStore) -> list[Step]:
    """The view `segment_told`: the segments that were found, after corrections; and `about_document`: the corrections
    that are applied to a document. `store` has the names of documents.
    """
    if not any(item.kind is CorrectionKind.ABOUT for item in corrections):
        return [view("segment_told", "FROM segment_found"), rows("about_document", _APPLIED.empty_table)]
    reads = frozenset[str]().union(*map(tables_in, (_TOLD, _TEXTS, _ABOUT)))
    return [
        rows("about_source", partial(_sources, corrections, store)),
        Step("corrected_segment", ("corrected_segment", "about_document"), reads, partial(_correct, corrections)),
        view(
            "segment_told",
            "FROM segment_found ANTI JOIN about_document USING (document) UNION ALL BY NAME FROM corrected_segment",
        ),
    ]


def _sources(corrections: Sequence[Correction], store: RecordStore) -> pa.Table:
    about = [(number, item.thing) for number, item in enumerate(corrections) if item.kind is CorrectionKind.ABOUT]
    pairs = {
        (number, digest)
        for digest, name in store.inputs.sources()
        for number, words in about
        if names_source(words, name, digest)
    }
    return arrow_table(sorted(pairs), pa.schema([("correction", pa.int32()), ("digest", pa.string())]))


def _correct(corrections: Sequence[Correction], tables: Engine) -> None:
    told: dict[int, list[Told]] = defaultdict(list)
    for row in tables.table(_TOLD).to_pylist():
        told[row.pop("document")].append(Told(**row))
    about: dict[int, list[int]] = defaultdict(list)
    for row in tables.table(_ABOUT).to_pylist():
        about[row["document"]].append(row["correction"])
    segments: list[tuple[int, Told]] = []
    applied: list[tuple[int, int]] = []
    for row in tables.table(_TEXTS).to_pylist():
        document = row["document"]
        given = {number: corrections[number] for number in about[document]}
        of_text, numbers = corrected(row["text"], told[document], given)
        if numbers:
            segments += ((document, item) for item in of_text)
            applied += ((document, number) for number in sorted(numbers))
    told_rows = [(document, *(getattr(item, name) for name in _SEGMENTS.names[1:])) for document, item in segments]
    tables.add("corrected_segment", arrow_table(told_rows, _SEGMENTS))
    tables.add("about_document", arrow_table(applied, _APPLIED))


def corrected(
    text: str, told: Iterable[Told], corrections: Mapping[int, Correction]
) -> tuple[list[Told], frozenset[int]]:
    """The segments of a text after corrections of it, by ascending number, and the numbers of those that are applied:
    each decides what some stretch of the text is about.
    """
    stretches = list(told)
    owned: list[Told] = []
    """The stretches that corrections decide, each with the number of the correction as its reader."""
    whole = {number: item for number, item in corrections.items() if not item.other}
    # Of corrections of the whole text only the latest counts, and it comes before those of stretches.
    latest = list(whole)[-1:]
    for number in (*latest, *(number for number in corrections if number not in whole)):
        item = corrections[number]
        for start, end in spans_of(item.other, text) if item.other else [(0, len(text))] * bool(text):
            stretches = list(_cut(text, stretches, start, end))
            owned = [*_cut(text, owned, start, end), Told(start, end, "", number)]
            if item.scenario != NO_SCENARIO:
                stretches.append(Told(start, end, item.scenario))
    return stretches, frozenset(item.reader for item in owned if item.reader is not None)


def _cut(text: str, segments: Iterable[Told], start: int, end: int) -> Iterator[Told]:
    """What is left of segments outside of a stretch, without space at the ends."""
    for item in segments:
        if item.end <= start or end <= item.start:
            yield item
            continue
        for first, last in ((item.start, start), (end, item.end)):
            rest = text[first:last] if first < last else ""
            if rest.strip():
                first += len(rest) - len(rest.lstrip())
                yield evolve(item, start=first, end=first + len(rest.strip()))
