"""Writing the passages of the texts: what each lies within, what follows it and its scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.step import Step, tables_in
from kgscripts.assembly.writing.evidence import write_step
from kgscripts.records.kinds import kind_name, record_schema
from schemas.graph_writer import ScriptGraphWriter
from schemas.records import PassageKind, Record
from schemas.tables import table_schema

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

SPANS = """
    SELECT DISTINCT document, start, "end", kind FROM (
        SELECT document, p.start, p."end", p.kind FROM text, UNNEST(passages) AS t(p) WHERE in_partition(document)
        UNION ALL
        SELECT s.document, s.start, s."end", 'segment' FROM segment s JOIN document d USING (document)
        WHERE in_partition(s.document) AND NOT (s.start = 0 AND s."end" = d.characters)
        UNION ALL
        SELECT document, start, "end", 'sentence' FROM sentence_record WHERE in_partition(document)
        UNION ALL
        SELECT document, start, "end", 'mention' FROM mention WHERE in_partition(document)
        UNION ALL
        SELECT document, start, "end", 'mention' FROM need_record WHERE in_partition(document){others}
    ) ORDER BY document, start, "end" DESC, kind = 'mention', kind = 'sentence', kind
"""
"""The passages of the current documents, outer ones first. For a segment over a whole text there is no passage, but the
source.

`others` are the spans of other kinds of records that relations read.
"""

_MEASURED = "SELECT *, 'mention' AS kind FROM measured_span WHERE in_partition(document)"
PASSAGE = f"""
    SELECT passage_id(d.key, s.start, s."end", s.kind) AS id, s.kind, s.start, s."end", d.id AS source, s.document,
           m.quantities, m.sizes, m.durations
    FROM span s JOIN document d USING (document)
         LEFT JOIN ({_MEASURED}) m
         ON m.document = s.document AND m.start = s.start AND m."end" = s."end" AND m.kind = s.kind
    ORDER BY s.document, s.start, s."end", s.kind
"""
"""The passages of the current documents with the measures of mentions, without their texts."""

WITHIN = """
    SELECT passage_id(d.key, s.start, s."end", s.kind) AS from_id,
           coalesce(passage_id(d.key, s.outer_start, s.outer_end, s.outer_kind), d.id) AS to_id
    FROM span s JOIN document d USING (document) ORDER BY s.document, s.start, s."end", s.kind
"""

NEXT = """
    SELECT passage_id(d.key, start, "end", 'mention') AS from_id,
           passage_id(d.key, next_start, next_end, 'mention') AS to_id
    FROM (SELECT document, start, "end", lead(start) OVER text_order AS next_start,
                 lead("end") OVER text_order AS next_end
          FROM (SELECT DISTINCT document, start, "end" FROM mention WHERE in_partition(document))
          WINDOW text_order AS (PARTITION BY document ORDER BY start, "end"))
    JOIN document d USING (document) WHERE next_start IS NOT NULL ORDER BY document, start, "end"
"""

ABOUT_PASSAGE = """
    SELECT passage_id(d.key, s.start, s."end", 'segment') AS from_id, c.id AS to_id, s.confidence
    FROM segment s JOIN document d USING (document) JOIN scenario c USING (scenario)
    WHERE in_partition(document) AND NOT (s.start = 0 AND s."end" = d.characters)
    UNION ALL
    SELECT passage_id(d.key, m.start, m."end", 'mention'), c.id, max(s.confidence)
    FROM mention m JOIN segment s ON s.document = m.document AND m.start >= s.start AND m.start < s."end"
         JOIN namesake n ON n.scenario = s.scenario AND n.action = m.action
         JOIN document d ON d.document = m.document JOIN scenario c ON c.scenario = s.scenario
    WHERE in_partition(m.document) AND in_partition(s.document) GROUP BY d.key, m.start, m."end", c.id
    ORDER BY from_id, to_id
"""

ABOUT_SOURCE = """
    SELECT d.id AS from_id, c.id AS to_id, max(s.confidence) AS confidence
    FROM segment s JOIN document d USING (document) JOIN scenario c USING (scenario)
    GROUP BY ALL ORDER BY from_id, to_id
"""


_SOURCE = """
    SELECT id, name, digest, nullif(title, '') AS title, nullif(label, '') AS scenario_label, format, characters,
           nullif(url, '') AS url, nullif(licence, '') AS licence, nullif(generated, false) AS generated
    FROM document ORDER BY id
"""
_TEXTS = "SELECT document, text FROM text WHERE in_partition(document)"


def steps(writer: ScriptGraphWriter, kinds: Iterable[type[Record]]) -> list[Step]:
    """Write Source, Passage, WITHIN, NEXT and ABOUT. The spans of records of these `kinds` are mentions too."""
    others = "".join(
        f" UNION ALL SELECT document, start, \"end\", 'mention' FROM {kind_name(kind)}_record "
        "WHERE in_partition(document)"
        for kind in kinds
        if {"start", "end"} <= set(record_schema(kind).names)
    )
    spans = SPANS.format(others=others)
    files = ("Passage", "WITHIN", "NEXT", "ABOUT")

    def write_passages(tables: Engine) -> None:
        with ExitStack() as stack:
            passage, within, following, about = (stack.enter_context(writer.table(name)) for name in files)
            for _ in tables.partitions():
                tables.add_temporary("span", _nested(tables.table(spans)))
                for batch in _passages(tables):
                    passage(batch)
                queries = (WITHIN, NEXT, ABOUT_PASSAGE)
                for name, write, query in zip(files[1:], (within, following, about), queries, strict=True):
                    for batch in tables.graph_rows(name, query):
                        write(batch)
            for batch in tables.graph_rows("ABOUT", ABOUT_SOURCE):
                about(batch)

    reads = frozenset[str]().union(*map(tables_in, (spans, _TEXTS, _MEASURED, NEXT, ABOUT_PASSAGE, ABOUT_SOURCE)))
    return [
        write_step(writer, "Source", _SOURCE),
        Step("write Passage", tuple(f"graph/{name}" for name in files), reads, write_passages),
    ]


def _passages(tables: Engine) -> Iterator[pa.RecordBatch]:
    """The rows of Passage for the current documents.

    Their texts are cut out in Python: DuckDB would count the characters from the beginning of the document for each
    passage, in quadratic time.
    """
    schema = table_schema("Passage")
    texts = tables.table(_TEXTS)
    places = {document: place for place, document in enumerate(texts["document"].to_pylist())}
    for batch in tables.rows(PASSAGE):
        cut: list[str] = []
        spans = zip(*(batch[name].to_pylist() for name in ("document", "start", "end")), strict=True)
        for document, of_document in groupby(spans, key=itemgetter(0)):
            text = texts["text"][places[document]].as_py()
            cut.extend(text[start:end] for _, start, end in of_document)
        with_text = batch.append_column("text", pa.array(cut, pa.string()))
        yield pa.RecordBatch.from_arrays([with_text[item.name].cast(item.type) for item in schema], schema=schema)


def _nested(spans: pa.Table) -> pa.Table:
    """The spans, each with the smallest span around it: start, end and kind, null for the source itself."""
    holds = pc.not_equal(spans["kind"], PassageKind.MENTION.value)
    parent = parents(*(column.to_numpy() for column in (spans["document"], spans["end"], holds)))
    outer = pa.array(parent, mask=parent < 0)
    for name in ("start", "end", "kind"):
        spans = spans.append_column(f"outer_{name}", spans[name].take(outer))
    return spans


def parents(document: Integers, end: Integers, holds: Booleans) -> Integers:
    """The index of the smallest span around each span, by `document` and `end`; -1 for the source itself.

    Spans ascend by document and start, longer ones first. Only spans for which `holds` is true can contain others.
    """
    places = np.arange(len(document))
    before = np.concatenate([[-1], np.maximum.accumulate(np.where(holds, places, -1))[:-1]])[: len(document)]
    parent = np.where(document[before] == document, before, -1)
    # Spans that end too early are skipped, together with all spans that they skipped.
    while len(short := np.flatnonzero((parent >= 0) & (end[parent] < end))):
        parent[short] = parent[parent[short]]
    return parent
