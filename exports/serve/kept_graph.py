"""A graph whose tables are kept in memory: an answer of a server needs a few rows of dozens of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Event, Lock
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from attrs import define, field, frozen

from exports.graph import ScriptGraph
from exports.serve.limits import ServerLimits
from kgscripts.search.entries import Answer
from kgscripts.search.searching import search
from schemas.arguments import items_of
from schemas.errors import StoreMissingError
from schemas.provenance import measurements_version
from schemas.table_reader import values_of

_Rows = npt.NDArray[np.int64]


@frozen(repr=False, eq=False)
class KeptGraph(ScriptGraph):
    """A graph that keeps each table that `select` reads, up to a limit of rows of all; other tables are read again.

    It belongs to one build: tables that were read while another build was moved into place must not be used.
    """

    limits: ServerLimits
    missing: Callable[[str], StoreMissingError]
    """The error for who needs a store of a kind that is not there: a request does not wait for one."""
    build: str = field(init=False)
    """Tells this build, with its measurements, from others."""
    compares_meanings: Event = field(factory=Event, init=False)
    """Set once the vectors are there, and the model is loaded."""
    _tables: dict[str, _KeptTable] = field(factory=dict, init=False)
    _reading: Lock = field(factory=Lock, init=False)

    @classmethod
    def of(cls, graph: ScriptGraph, limits: ServerLimits, missing: Callable[[str], StoreMissingError]) -> Self:
        """A graph that was just opened, with nothing kept yet."""
        return cls(graph.directory, graph.manifest, limits, missing)

    @build.default
    def _build(self) -> str:
        return f"{self.build_id} {measurements_version(self.directory, self.build_id)}"

    @property
    def version(self) -> str:
        """Tells its answers from others: those by words alone are not those by meaning too."""
        return f"{self.build} {self.compares_meanings.is_set():d}"

    def before_store_is_made(self, kind: str) -> None:
        """See `ScriptGraph.before_store_is_made`."""
        if sum(map(self.manifest.rows, self.manifest.tables)) > self.limits.made_rows:
            raise self.missing(kind)

    def search(self, question: str, *, kind: str | None = None, limit: int = 5) -> Answer:
        """See `ScriptGraph.search`; by words alone as long as meanings cannot be compared without waiting."""
        by_meaning = self.compares_meanings.is_set()
        return search(self, question, kind=kind, limit=limit, by_meaning=by_meaning)

    def select(
        self, table: str, columns: Iterable[str] | None = None, where: Mapping[str, object] | None = None
    ) -> pa.Table:
        """See `ScriptGraph.select`."""
        wanted = None if columns is None else items_of("columns", columns)
        kept = self._kept(table)
        if kept is None or not isinstance(where, Mapping | None):
            return super().select(table, wanted, where)
        among = {column: values_of(values) for column, values in (where or {}).items()}
        return kept.select(wanted, among) if kept.has(wanted, among) else super().select(table, wanted, among)

    def _kept(self, table: str) -> _KeptTable | None:
        """The table, read if it fits."""
        # Without the lock, which is held as long as another table is read.
        if (known := self._tables.get(table)) is not None or table not in self.manifest.tables:
            return known
        with self._reading:
            rows = sum(each.rows.num_rows for each in self._tables.values())
            if table not in self._tables and rows + self.manifest.rows(table) <= self.limits.kept_rows:
                self._tables[table] = _KeptTable(self.table(table).combine_chunks())
            return self._tables.get(table)


@define(eq=False)
class _KeptTable:
    """The rows of a table, and where those with a value of a column are, for each column that was asked for."""

    rows: pa.Table
    _places: dict[str, _Places] = field(factory=dict, init=False)

    def has(self, columns: list[str] | None, among: Mapping[str, list[Any]]) -> bool:
        """Whether it can select these: others, and errors, are left to the reader of the file."""
        schema = self.rows.schema
        return (columns is None or (columns != [] and set(columns) <= set(schema.names))) and all(
            column in schema.names and schema.field(column).type == pa.string() and all(type(v) is str for v in values)
            for column, values in among.items()
        )

    def select(self, columns: list[str] | None, among: Mapping[str, list[str]]) -> pa.Table:
        """The rows that have one of these values in each of these columns, in their order."""
        numbers: _Rows | None = None
        for column, values in among.items():
            if column not in self._places:
                self._places[column] = _Places.of(self.rows[column])
            places = self._places[column].having(values)
            numbers = places if numbers is None else np.intersect1d(numbers, places, assume_unique=True)
        rows = self.rows if columns is None else self.rows.select(columns)
        if numbers is None:
            return rows
        return rows.take(pa.array(numbers)) if len(numbers) else rows.slice(0, 0)


@frozen(eq=False)
class _Places:
    """The rows of a column by its values: those of the value with the number n are `rows[ends[n - 1] : ends[n]]`."""

    numbers: dict[str, int]
    rows: _Rows
    ends: _Rows

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> Self:
        """Those of a column of text; rows without a value come last and are never asked for."""
        encoded = column.combine_chunks().dictionary_encode()
        values = encoded.dictionary.to_pylist()
        numbers = encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
        counts = np.bincount(numbers, minlength=len(values) + 1)
        return cls(
            {value: number for number, value in enumerate(values)},
            np.argsort(numbers, kind="stable"),
            np.concatenate(([0], np.cumsum(counts))),
        )

    def having(self, values: Iterable[str]) -> _Rows:
        """The rows with one of the values, ascending."""
        known = {number for value in values if (number := self.numbers.get(value)) is not None}
        parts = [self.rows[self.ends[number] : self.ends[number + 1]] for number in known]
        return np.sort(np.concatenate(parts)) if parts else np.empty(0, np.int64)
