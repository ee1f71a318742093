"""The tables of records that the rules use, and the numbered documents."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence

import duckdb
import pyarrow as pa

from kgscripts.assembly.engine import Engine, Rule
from kgscripts.assembly.step import Step, tables_in, view
from kgscripts.records.kinds import kind_name, record_schema
from kgscripts.records.store import RecordStore
from schemas.errors import GraphDirectoryError
from schemas.records import (
    Decomposition,
    Discard,
    Document,
    EventMention,
    Need,
    Record,
    Segment,
    Sentence,
    SentenceVector,
    StateChange,
    WrittenScript,
    WrittenStep,
)

KINDS: tuple[type[Record], ...] = (
    Sentence,
    SentenceVector,
    Segment,
    EventMention,
    Need,
    Decomposition,
    StateChange,
    WrittenScript,
    WrittenStep,
    Discard,
)
"""The kinds of records that assembly always uses."""

AS_READ: tuple[type[Record], ...] = (EventMention, Need, Decomposition, StateChange, Segment)
"""Kinds whose records name things or scenarios: ``<kind>_as_read`` has the names as extracted, ``<kind>_record`` the
names after corrections."""


def load_records(engine: Engine, store: RecordStore, versions: Sequence[str], kinds: Iterable[type[Record]]) -> None:
    """Make the tables with which every plan starts: the live documents, the extractors, and a view of the files of each
    kind."""
    engine.add("live", store.inputs.documents())
    known = store.extractors.all()
    columns = range(len(versions)), sorted(versions), [known[version].name for version in sorted(versions)]
    types = pa.schema([("reader", pa.int16()), ("version", pa.string()), ("name", pa.string())])
    engine.add("extractor", pa.table(list(columns), schema=types))
    for kind in _read(kinds):
        file_view(engine, store, kind)


def given(kinds: Iterable[type[Record]]) -> list[str]:
    """The names of the tables that `load_records` makes."""
    return ["live", "extractor", *(f"{kind_name(kind)}_file" for kind in _read(kinds))]


def _read(kinds: Iterable[type[Record]]) -> list[type[Record]]:
    return [Document, *kinds]


def file_view(engine: Engine, store: RecordStore, kind: type[Record]) -> None:
    """Make ``<kind>_file``: a view of all files of a kind, or an empty table if there are none.

    Raises
    ------
    GraphDirectoryError
        If DuckDB cannot find a file by its name.
    """
    name = f"{kind_name(kind)}_file"
    # DuckDB takes the names of files as patterns, and folders such as ``year=2020`` as columns.
    files = [glob.escape(str(path)).replace("'", "''") for path in store.shards.files(kind)]
    if not files:
        engine.add(name, record_schema(kind).empty_table())
        return
    listed = ", ".join(f"'{path}'" for path in files)
    try:
        engine.view(name, f"FROM read_parquet([{listed}], hive_partitioning = false)")
    except duckdb.InvalidInputException as error:  # where names are looked up, another one with a backslash
        raise GraphDirectoryError(
            "cannot be found by DuckDB",
            where=str(store.folder),
            remedy="name a directory without *, ?, [ and backslashes in its path",
        ) from error


DOCUMENT = Rule(
    "document",
    """
    SELECT (row_number() OVER (ORDER BY l.digest) - 1)::INTEGER AS document, l.digest, l.name,
           substr(l.digest, 1, 24) AS key, s.title, s.format, s.scenario AS label, length(s.text) AS characters,
           s.url, s.licence, s.generated,
           identifier('source', slug(coalesce(nullif(s.title, ''), s.scenario)),
                      part('Source') || part(l.digest)) AS id
    FROM live l JOIN document_file s ON s.subject = l.digest
    """,
)
"""The documents, numbered by ascending digest."""

_TEXT = "SELECT d.document, s.text, s.passages FROM document_file s JOIN document d ON d.digest = s.subject"


_SIZE = "SELECT count(*) AS documents, coalesce(sum(characters), 0)::BIGINT AS characters FROM document"


def _document(tables: Engine) -> None:
    tables.run(DOCUMENT)
    (size,) = tables.table(_SIZE).to_pylist()
    tables.number_documents(size["documents"], size["characters"])


def steps(kinds: Iterable[type[Record]]) -> list[Step]:
    """The documents, their texts, and the records of each of `kinds` with the numbers of `document` and `reader`."""
    records = {
        f"{kind_name(kind)}_{'as_read' if kind in AS_READ else 'record'}": (
            f"SELECT d.document, x.reader, f.* EXCLUDE (subject, extractor) FROM {kind_name(kind)}_file f "
            "JOIN document d ON d.digest = f.subject JOIN extractor x ON x.version = f.extractor"
        )
        for kind in kinds
    }
    return [
        Step("document", ("document",), tables_in(DOCUMENT.query), _document),
        view("text", _TEXT),
        *(view(name, query) for name, query in records.items()),
    ]
