"""The SQLite file under a record store: its tables, transactions and errors."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from schemas.errors import DamagedIndexError, GraphDirectoryError, RecordError
from schemas.graph_directory import durable, unwritable

FORMAT = 7
INDEX = "index.sqlite"
DAMAGED_INDEX = f"{INDEX}.damaged"
"""The name of an index in which damage was found, until a new one is made."""
INPUTS = "inputs.parquet"
SOURCE = "0" * 64
"""The pseudo extractor of the corpus readers, which gives the `Document` itself."""
_SECONDS_TO_WAIT = 60
_UNWRITABLE = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_UNDECODABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError, RecordError)

_REFERENCES = ("subject", "extractor", "shard", "input")
"""Columns with numbers of rows of the tables of these names."""

_TABLES = f"""
CREATE TABLE extractor (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('source', 'extractor', 'enricher')),
    models TEXT NOT NULL,
    version INTEGER NOT NULL    -- of several with one name the greatest is current
);
INSERT INTO extractor VALUES (0, '{SOURCE}', 'corpora', 'source', '[]', 0);
CREATE TABLE subject (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE);
CREATE TABLE shard (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, readings INTEGER NOT NULL);
CREATE TABLE shard_file (
    shard INTEGER NOT NULL, kind TEXT NOT NULL, columns TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
    rows INTEGER NOT NULL, PRIMARY KEY (shard, kind)
) WITHOUT ROWID;
CREATE INDEX file_of_kind ON shard_file (kind, columns);
CREATE TABLE completion (
    subject INTEGER NOT NULL, extractor INTEGER NOT NULL, shard INTEGER NOT NULL, PRIMARY KEY (subject, extractor)
) WITHOUT ROWID;
CREATE INDEX completion_of_shard ON completion (shard);
CREATE TABLE failure (
    subject INTEGER NOT NULL, extractor INTEGER NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (subject, extractor)
) WITHOUT ROWID;
CREATE TABLE input (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, complete INTEGER NOT NULL
);
CREATE TABLE source (
    subject INTEGER NOT NULL, input INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (subject, input, name)
) WITHOUT ROWID;
CREATE INDEX source_of_input ON source (input);
CREATE TABLE input_discard (
    id INTEGER PRIMARY KEY, input INTEGER NOT NULL, reason TEXT NOT NULL, place TEXT NOT NULL, "start" INTEGER,
    "end" INTEGER, detail TEXT NOT NULL
);
CREATE INDEX discard_of_input ON input_discard (input);
CREATE TABLE unlisted_discard (
    input INTEGER NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (input, reason)
) WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
"""


class Database:
    """The file `INDEX` in `folder`. Every change is one transaction: after a kill or with a full disk, the state before
    it remains.

    Raises
    ------
    GraphDirectoryError
        In every method: if the index is damaged (`DamagedIndexError`) or cannot be written, or another process writes.
    """

    def __init__(self, folder: Path, index: str = INDEX) -> None:
        # Some libraries take a relative path such as ``~`` or ``s3:x`` for a home or an address.
        self.folder = folder = folder.absolute()
        self.path = folder / index
        _check_layout(folder)
        if not folder.is_dir() and os.path.lexists(folder):
            raise self._damaged("the folder is none")
        if not self.path.is_file() or self.path.is_symlink():
            if os.path.lexists(self.path):
                raise self._damaged("it is no file")
            # With a new index, records that are there would count as unused and be deleted.
            if index == INDEX and any(folder.glob("*/*.parquet")):
                raise self._damaged("it is missing")
            _create(self.path)
        with self._guarded():
            # Without `mode=rw` SQLite would make a file that went missing. Transactions are begun by `transaction`.
            self._connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=_SECONDS_TO_WAIT
            )
        try:
            self._check_format()
        except GraphDirectoryError:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _check_format(self) -> None:
        with self._guarded():
            ((number,),) = self._connection.execute("PRAGMA user_version")
        # SQLite's own value, that of an empty file.
        if number == 0:
            raise self._damaged("it is empty")
        if number != FORMAT:
            raise _other_layout(self.folder, f"the records have the format {number}; this version reads {FORMAT}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All changes inside are made together at the end, or none after an error.

        A transaction inside another one is a part of it.
        """
        if self.in_transaction:
            yield
            return
        try:
            # With the right to write from the beginning: one that asks for it later may be refused.
            self.execute("BEGIN IMMEDIATE")
            yield
            self.execute("COMMIT")
        finally:
            if self.in_transaction:
                # It would hide the error that led here.
                with suppress(sqlite3.Error):
                    self._connection.rollback()

    @property
    def in_transaction(self) -> bool:
        """Whether changes wait for the end of a transaction, which may undo them."""
        return self._connection.in_transaction

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        """Run one statement."""
        with self._guarded():
            return self._connection.execute(sql, values)

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run one statement for each of `rows`."""
        with self._guarded():
            self._connection.executemany(sql, rows)

    def rows(self, sql: str, *values: Any) -> Iterator[Any]:
        """The rows of a query, as tuples."""
        cursor = self.execute(sql, *values)
        # No `yield` inside of the guard: what the caller raises is no error of the database.
        while True:
            with self._guarded():
                rows = cursor.fetchmany(1000)
            if not rows:
                return
            yield from rows

    def one(self, sql: str, *values: Any) -> Any:
        """The only value of the first row of a query; None if there is no row."""
        row = next(self.rows(sql, *values), None)
        return None if row is None else row[0]

    def problems(self) -> Iterator[str]:
        """The problems of the file, one at a time."""
        for (problem,) in self.rows("PRAGMA integrity_check"):
            if problem != "ok":
                yield f"{self.path}: {problem}"
        for (table,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
            yield from (f"{self.path}: {table}: {problem}" for problem in self._problems_of(table))

    def _problems_of(self, table: str) -> Iterator[str]:
        """Values of another type than that of their column, numbers of rows that are not there, and no digests."""
        for _, column, kind, *_ in self.rows(f"PRAGMA table_info({table})"):
            wrong = [f"typeof(\"{column}\") NOT IN ('{kind.lower()}', 'null')"]
            if column == "digest":
                wrong.append("length(digest) != 64 OR digest GLOB '*[^0-9a-f]*'")
            if column in _REFERENCES:
                wrong.append(f"{column} NOT IN (SELECT id FROM {column})")
            if self.one(f"SELECT count(*) FROM {table} WHERE {' OR '.join(wrong)}"):
                yield f"a value of {column} is none that a build writes"
        for _ in self.rows(f"SELECT * FROM {table}"):  # text that is no UTF-8 is an error
            pass

    @contextmanager
    def decoding(self) -> Iterator[None]:
        """A context for decoding values of the index; a value that cannot be decoded is damage of the index."""
        try:
            yield
        except _UNDECODABLE as error:
            raise self._damaged(str(error)) from error

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            # The lowest byte has the kind of the error; the rest of an extended code is its details.
            code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
            if code in _UNWRITABLE:
                raise unwritable(self.folder, OSError(str(error))) from error
            if code in _BUSY:
                raise GraphDirectoryError(
                    "another process is writing the records",
                    where=str(self.path),
                    remedy="wait for it to end and run the same command again",
                ) from error
            raise self._damaged(str(error)) from error
        except UnicodeEncodeError as error:
            raise RecordError(f"a name or a discard holds a lone surrogate ({error})", where=str(self.path)) from error

    def _damaged(self, problem: str) -> DamagedIndexError:
        return DamagedIndexError(
            f"the index of the records is damaged ({problem})",
            where=str(self.path),
            remedy="run the last `kgscripts build-graph` again: it makes the index anew from the files of records",
        )


def _create(path: Path) -> None:
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(exist_ok=True)
        part.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path.parent, error) from error
    with durable(part):
        connection = sqlite3.connect(part, isolation_level=None)
        try:
            # Without a journal: the file counts only when it has its final name.
            connection.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; {_TABLES} COMMIT")
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from error
        finally:
            connection.close()
    part.replace(path)


def _check_layout(folder: Path) -> None:
    if (folder / "readers.json").exists() or any(path.name != INPUTS for path in folder.glob("*.parquet")):
        raise _other_layout(folder, "the records are those of an older version of kgscripts")


def _other_layout(folder: Path, problem: str) -> GraphDirectoryError:
    return GraphDirectoryError(
        problem,
        where=str(folder),
        remedy="build into a new directory, or delete this folder and build again from all inputs",
    )
