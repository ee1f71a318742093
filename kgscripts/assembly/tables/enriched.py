"""The records that enrichers give for rows of assembly, as tables with the numbers of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import pyarrow as pa

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.step import Step, rows, tables_in, view
from kgscripts.assembly.tables.records import file_view
from kgscripts.enrichers.protocol import Enricher, enrich
from kgscripts.records.kinds import KEY, kind_name, record_schema
from kgscripts.records.store import RecordStore
from schemas.records import ActionVector, NamedSegment, Record, StepCluster

ALWAYS_READ: tuple[type[Record], ...] = (StepCluster, ActionVector, NamedSegment)
"""The kinds of records of enrichers that assembly uses; their tables are empty without an enricher that gives them."""


def steps(store: RecordStore, enrichers: Sequence[Enricher], enriched: set[tuple[str, str]]) -> list[Step]:
    """For each enricher the table ``<kind>_of``: its records, with the row (`target`) that they describe.

    Networks run only on rows without a record. The subjects and versions are added to `enriched`.
    """
    views: list[Step] = []
    for enricher in enrichers:
        kind = kind_name(enricher.gives)
        views += [
            Step(
                f"enrich {enricher.name}",
                (f"{kind}_subject", f"{kind}_file"),
                tables_in(enricher.query) | tables_in(enricher.candidates),
                partial(_enrich, store, enricher, enriched),
            ),
            view(
                f"{kind}_of",
                f"SELECT o.target, f.* EXCLUDE (subject, extractor) FROM {kind}_subject o JOIN {kind}_file f "
                f"ON f.subject = o.subject AND f.extractor = '{enricher.version}'",
            ),
        ]
    given = {enricher.gives for enricher in enrichers}
    return [*views, *_empty(kind for kind in ALWAYS_READ if kind not in given)]


def _enrich(store: RecordStore, enricher: Enricher, enriched: set[tuple[str, str]], tables: Engine) -> None:
    subjects = enrich(store, enricher, tables.table(enricher.query), tables.values(enricher.candidates))
    tables.add(f"{kind_name(enricher.gives)}_subject", subjects)
    file_view(tables, store, enricher.gives)
    enriched.update((subject, enricher.version) for subject in subjects["subject"].to_pylist())


def _empty(kinds: Iterable[type[Record]]) -> list[Step]:
    tables = []
    for kind in kinds:
        columns = (column for column in record_schema(kind) if column.name == "ordinal" or column.name not in KEY.names)
        schema = pa.schema([("target", pa.int64()), *columns])
        tables.append(rows(f"{kind_name(kind)}_of", schema.empty_table))
    return tables
