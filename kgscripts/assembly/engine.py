"""The embedded SQL engine that runs the rules of assembly, out of core and in partitions; ids of nodes in SQL."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa
from attrs import frozen

from schemas.arguments import check_number
from schemas.errors import ConfigurationError, GraphDirectoryError
from schemas.graph_directory import unwritable
from schemas.operating_system import memory_bytes
from schemas.tables import table_schema
from schemas.vocabulary import slug

ACTION_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")

MACROS = """
-- What is hashed of a key: each part behind its length, so that no two keys run into each other.
CREATE MACRO part(value) AS length(value) || ':' || value;
CREATE MACRO key_hash(content) AS substr(sha256(content), 1, 24);
CREATE MACRO identifier(prefix, readable, content) AS
    prefix || '/' || CASE WHEN readable = '' THEN '' ELSE readable || '-' END || key_hash(content);
-- Ids of passages ascend with the number of the document, start, end and kind.
CREATE MACRO padded(number) AS substr((1000000000 + number)::VARCHAR, 2);
CREATE MACRO passage_id(document_key, first, last, kind) AS
    'passage/' || document_key || '-' || padded(first) || '-' || padded(last) || '-' || kind;
-- Twelve bytes, whose digits are the end of the statement's id: a fifth of what the id itself takes.
CREATE MACRO statement_hash(relation, subject, object, scenario) AS
    unhex(key_hash(part('Statement') || part(relation) || part(subject) || part(object) || part(scenario)));
CREATE MACRO digits(hash) AS lower(hex(hash));
-- part / whole, rounded half up to four decimals.
CREATE MACRO share(part_, whole) AS
    ((part_::HUGEINT * 20000 + whole::HUGEINT) // (2 * whole::HUGEINT))::DOUBLE / 10000;
-- ln p(a, b) / (p(a) p(b)) from counts over `total` mentions, in nats (Church and Hanks 1990).
CREATE MACRO pmi(pair, one, other, total) AS
    round(ln(pair::DOUBLE * total::DOUBLE / (one::DOUBLE * other::DOUBLE)), 4) + 0.0;
-- A place among `length` ones: 0 first, 1 last, in billionths.
CREATE MACRO relative_position(place, length) AS
    (place * 2000000000 + greatest(1, length - 1)) // (2 * greatest(1, length - 1));
-- Whether a row belongs to the current partition.
CREATE MACRO in_partition(document) AS
    document BETWEEN getvariable('first_document') AND getvariable('last_document');
"""


def action_key(row: str) -> str:
    """SQL: the hashed parts of an action's key, whose columns are those of `row`."""
    return " || ".join(f"part({row}.{name})" for name in ACTION_PARTS)


def same_action(left: str, right: str) -> str:
    """SQL: whether two rows hold the same action."""
    return " AND ".join(f"{left}.{name} = {right}.{name}" for name in ACTION_PARTS)


def arrow_table(rows: Iterable[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    """The table of rows of Python values."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(column, item.type) for column, item in zip(columns, schema, strict=True)], schema)


_BYTES_A_CHARACTER = 32
"""The memory that a character of a partition's texts needs; what rules join and sort then fits. Partitions are as large
as memory allows, since each looks through tables of the whole graph."""
_BYTES_A_DOCUMENT = 300 * _BYTES_A_CHARACTER
"""The memory that a document needs in addition."""

_LEAST_MEMORY = 256 << 20
_OUTSIDE_ENGINE = 3
"""A third of the memory is left to Python, Arrow and Parquet."""

_TABLES_OVER_RECORDS = 40
"""The tables of the rules take about this many times the size of the records."""

_ROWS = 65_536


@frozen
class Rule:
    """One table as a query over others."""

    table: str
    query: str


@frozen
class DocumentRule(Rule):
    """A rule whose work is split by documents: its query selects by ``in_partition(document)``, and the table is the
    concatenation of all partitions, whatever their number.

    A temporary table holds only the rows of the current partition, for rules that run in the same partition.
    """

    temporary: bool = False


def default_memory() -> int:
    """A quarter of the machine's memory, in bytes."""
    return memory_bytes() // 4


def check_memory(memory: int) -> None:
    """Raise ConfigurationError if this number of bytes is too small, or larger than any machine has."""
    check_number("memory", memory, least=0, most=1 << 62)
    if memory < _LEAST_MEMORY:
        raise ConfigurationError(
            f"{memory >> 20} MiB are too little memory", remedy=f"give {_LEAST_MEMORY >> 20} MiB at least"
        )


_FEW_RECORDS = 1 << 20
"""Bytes."""

_VERY_FEW_RECORDS = 1 << 17
"""Bytes. A plan made without the optimizer gives the same rows."""


class Engine:
    """DuckDB over a scratch file, or in memory where tables fit. `memory` and the size of the `records` are in bytes.

    Raises
    ------
    GraphDirectoryError
        From every method, if the disk is full or refuses.
    """

    def __init__(self, scratch: Path, *, memory: int | None, partitions: int, min_support: int, records: int) -> None:
        memory = default_memory() if memory is None else memory
        self._directory = scratch.parent.parent
        self._memory = memory
        self._partitions = partitions
        self._documents = 0
        self._views: set[str] = set()
        self._temporary: set[str] = set()
        scratch.mkdir(parents=True, exist_ok=True)
        with self._guarded():
            self._connection = duckdb.connect(
                str(scratch / "assembly.duckdb") if records * _TABLES_OVER_RECORDS > memory else ":memory:",
                config={
                    "memory_limit": f"{memory * (_OUTSIDE_ENGINE - 1) // _OUTSIDE_ENGINE >> 20}MiB",
                    "temp_directory": str(scratch / "spill"),
                    # With few texts, handing work to a second thread takes longer than the work itself.
                    "threads": 1 if records < _FEW_RECORDS else os.cpu_count() or 1,
                    # Rules that need an order ask for it; keeping that of insertion takes memory.
                    "preserve_insertion_order": False,
                    # Nothing is fetched from the net.
                    "autoinstall_known_extensions": False,
                    "autoload_known_extensions": False,
                },
            )
            # DuckDB shows a progress bar on terminals and in notebooks. Without ipywidgets it cannot be switched off.
            if self._connection.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(True,)]:
                self._connection.execute("SET enable_progress_bar = false")
            # The rules are many: with very few texts, to plan them better takes longer than the work itself.
            if records < _VERY_FEW_RECORDS:
                self._connection.execute("PRAGMA disable_optimizer")
            self._connection.create_function("slug", slug, ["VARCHAR"], "VARCHAR")
            self._connection.execute(MACROS)
            self._connection.execute(f"CREATE MACRO least_support() AS {min_support}")
            # Whether a node or relation enters the graph: enough sources have it, or a person added it.
            self._connection.execute("CREATE MACRO kept(support, added) AS (support >= least_support() OR added)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def add_function(self, name: str, function: Callable[..., object], parameters: Sequence[str], result: str) -> None:
        """Register a Python function for the rules, with the SQL types of its parameters and its result."""
        with self._guarded():
            self._connection.create_function(name, function, list(parameters), result)

    def add_macro(self, definition: str) -> None:
        """Register an SQL expression for the rules: ``name(parameters) AS expression``."""
        with self._guarded():
            self._connection.execute(f"CREATE MACRO {definition}")

    def add_map(self, name: str, values: Mapping[str, str]) -> None:
        """Make the macro ``name(key)``: the value of the lower-cased key, or the key itself if it has no value."""
        if not values:
            self.add_macro(f"{name}(key) AS key")
            return
        keys = pa.table({"key": list(values), "value": list(values.values())})
        self._run_on(keys, f"SET VARIABLE {name}s = (SELECT map(list(key), list(value)) FROM arrow_rows)")
        self.add_macro(f"{name}(key) AS coalesce(map_extract_value(getvariable('{name}s'), lower(key)), key)")

    def _run_on(self, rows: pa.Table, statement: str) -> None:
        """Run a statement that reads ``arrow_rows``."""
        with self._guarded():
            self._connection.register("arrow_rows", rows)
            self._connection.execute(statement)
            self._connection.unregister("arrow_rows")

    def add(self, table: str, rows: pa.Table) -> None:
        """Make a table of Arrow rows."""
        self._run_on(rows, f"CREATE TABLE {table} AS FROM arrow_rows")

    def add_temporary(self, table: str, rows: pa.Table) -> None:
        """Make a table of Arrow rows for the current partition; it replaces that of the previous one."""
        self._temporary.add(table)
        self._run_on(rows, f"CREATE OR REPLACE TEMP TABLE {table} AS FROM arrow_rows")

    def make_temporary(self, table: str, query: str) -> None:
        """Make a table of the rows of a query for the current partition; it replaces that of the previous one."""
        self._temporary.add(table)
        with self._guarded():
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {query}")

    def view(self, name: str, query: str) -> None:
        """Make a view: a query with a name, computed again at each use."""
        with self._guarded():
            self._connection.execute(f"CREATE VIEW {name} AS {query}")
        self._views.add(name)

    def number_documents(self, documents: int, characters: int) -> None:
        """Set the number of documents, which are numbered from 0, and of the characters of all their texts: partitions
        by document are ranges of documents."""
        self._documents = documents
        needed = characters * _BYTES_A_CHARACTER + documents * _BYTES_A_DOCUMENT
        # Rounded up: no partition may need more memory than there is.
        self._partitions = max(self._partitions, -(-needed // self._memory))

    def run(self, *rules: Rule) -> None:
        """Make the tables of rules. Those by document run in the given order in each partition, all others once."""
        made: set[str] = set()
        # Fails where both kinds are mixed: a rule that is not split would run in each partition.
        (split,) = {isinstance(rule, DocumentRule) for rule in rules}
        for _ in self.partitions() if split else (None,):
            for rule in rules:
                if isinstance(rule, DocumentRule) and rule.temporary:
                    self.make_temporary(rule.table, rule.query)
                    continue
                begins = f"INSERT INTO {rule.table}" if rule.table in made else f"CREATE TABLE {rule.table} AS"
                made.add(rule.table)
                with self._guarded():
                    self._connection.execute(f"{begins} {rule.query}")

    def drop(self, table: str) -> None:
        """Drop a table or view that is no longer used."""
        kind = "VIEW" if table in self._views else "TABLE"
        self._views.discard(table)
        with self._guarded():
            self._connection.execute(f"DROP {kind} {table}")

    def drop_temporary(self) -> None:
        """Drop all tables of the last partition."""
        while self._temporary:
            self.drop(self._temporary.pop())

    def partitions(self) -> Iterator[None]:
        """Go through the partitions of the documents; queries see the current one (see `DocumentRule`)."""
        for number in range(self._partitions):
            first, beyond = (self._documents * bound // self._partitions for bound in (number, number + 1))
            with self._guarded():
                self._connection.execute(f"SET VARIABLE first_document = {first}")
                self._connection.execute(f"SET VARIABLE last_document = {beyond - 1}")
            yield

    def rows(self, query: str) -> Iterator[pa.RecordBatch]:
        """The result of a query, streamed in batches."""
        with self._guarded():
            yield from self._connection.sql(query).to_arrow_reader(_ROWS)

    def graph_rows(self, name: str, query: str) -> Iterator[pa.RecordBatch]:
        """The result of a query as rows of the graph's table `name`, streamed in batches."""
        schema = table_schema(name)
        for batch in _ahead(self.rows(query)):
            columns = [batch[column.name].cast(column.type) for column in schema]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def table(self, query: str) -> pa.Table:
        """The whole result of a query whose result is small."""
        with self._guarded():
            return self._connection.sql(query).to_arrow_table()

    def values(self, query: str) -> Sequence[Any]:
        """The first column of a query whose result is small."""
        values: list[Any] = self.table(query).column(0).to_pylist()
        return values

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except duckdb.OutOfMemoryException as error:
            raise GraphDirectoryError(
                f"assembly needs more memory ({_first_line(error)})",
                where=str(self._directory),
                remedy="give it more with --memory, and run the same command again",
            ) from error
        except duckdb.IOException as error:
            raise unwritable(self._directory, OSError(_first_line(error))) from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _ahead(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same batches; the next one is computed while one is in use."""
    first = next(batches, None)
    # Most tables of a small graph are one batch, for which a thread would be started in vain.
    while first is not None and len(first) < _ROWS:
        yield first
        first = next(batches, None)
    if first is None:
        return
    with ThreadPoolExecutor(max_workers=1) as thread:
        following = thread.submit(next, batches, None)
        yield first
        while (batch := following.result()) is not None:
            following = thread.submit(next, batches, None)
            yield batch
