"""Shards: files that hold whole readings, one Parquet file for each kind, under one name.

One of its files lists the readings that it completes, so that the index can be made anew from the shards. Writing a
shard needs no lock: it is not used until the index names it (`RecordStore.commit`).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from attrs import frozen

from kgscripts.records.kinds import encode, kind_name
from schemas.errors import DamagedIndexError, GraphDirectoryError, RecordError
from schemas.graph_directory import durable, file_digest, unwritable
from schemas.input_files import open_regular

_BYTES_A_GROUP = 1 << 20
PART = ".part"
READING = "reading-list"
"""The file of a shard that lists its readings. No kind of record has such a name: theirs are identifiers."""
_READINGS = pa.schema([pa.field(name, pa.string(), nullable=False) for name in ("subject", "extractor")])

DAMAGED_FILE = (OSError, ValueError, TypeError, LookupError, RecursionError, pa.ArrowException, RecordError)
"""The exceptions that reading a damaged file raises."""


@frozen
class Reading:
    """All records that one extractor gives for one subject; they may be of several kinds."""

    subject: str
    extractor: str
    records: Sequence[Any]


@frozen
class ShardFile:
    """One file of a shard: its kind, the digest of its columns, SHA-256, size and rows."""

    kind: str
    columns: str
    sha256: str
    bytes: int
    rows: int


@frozen
class WrittenShard:
    """A shard on disk and the readings (subject, extractor) that it completes, ascending."""

    name: str
    files: tuple[ShardFile, ...]
    completed: tuple[tuple[str, str], ...]


def shard_path(folder: Path, kind: str, name: str) -> Path:
    """The file of a kind of a shard.

    Raises
    ------
    DamagedIndexError
        If these are not the names of a kind and of a shard; an index of unknown origin may hold any text.
    GraphDirectoryError
        If a link leads out of `folder`.
    """
    # An index made by others may have values of any type.
    if not (kind == READING or str(kind).isidentifier()) or not re.fullmatch("[0-9a-f]{32}", str(name)):
        raise DamagedIndexError(
            f"the index of the records names the shard {str(name)[:40]!r} of the kind {str(kind)[:40]!r}",
            where=str(folder),
            remedy="run the last `kgscripts build-graph` again: it makes the index anew from the files of records",
        )
    path = folder / kind / f"{name}.parquet"
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise GraphDirectoryError(
            "a link leads out of the folder of records", where=str(path), remedy="put the files themselves there"
        )
    return path


def write_shard(folder: Path, readings: Sequence[Reading]) -> WrittenShard:
    """Write `readings` as one shard of the store in `folder`; several processes may do so side by side.

    Of readings with the same subject and extractor the last counts. The name of the shard is a digest of its contents.

    Raises
    ------
    GraphDirectoryError
        If the files cannot be written: a full disk, no permission.
    RecordError
        If a record cannot be stored.
    """
    unique = {(reading.subject, reading.extractor): reading for reading in readings}
    rows: dict[type, list[tuple[str, str, int, Any]]] = {}
    for subject, extractor in sorted(unique):
        counts: dict[type, int] = {}
        for record in unique[subject, extractor].records:
            ordinal = counts.get(type(record), 0)
            counts[type(record)] = ordinal + 1
            rows.setdefault(type(record), []).append((subject, extractor, ordinal, record))
    with ShardWriter(folder) as writer:
        for kind in sorted(rows, key=kind_name):
            writer.write(kind_name(kind), [encode(kind, rows[kind])])
        return writer.finish(sorted(unique))


class ShardWriter:
    """Writes one shard, one kind after another. Without `finish` no file is left."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts: list[tuple[Path, ShardFile]] = []

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for part, _file in self._parts:
            part.unlink(missing_ok=True)

    def write(self, kind: str, tables: Iterable[pa.Table]) -> None:
        """Write the rows of one kind, ascending by their key, as tables of the same columns."""
        groups = _groups(tables)
        first = next(groups, None)
        if first is None:
            return
        part = shard_path(self._folder, kind, uuid4().hex).with_suffix(PART)
        rows = 0
        with durable(part):
            part.parent.mkdir(parents=True, exist_ok=True)
            with pq.ParquetWriter(part, first.schema, compression="zstd") as parquet:
                for table in chain([first], groups):
                    rows += table.num_rows
                    parquet.write_table(table, row_group_size=_rows_a_group(table))
        columns = columns_digest(first.schema)
        self._parts.append((part, ShardFile(kind, columns, file_digest(part), part.stat().st_size, rows)))

    def finish(self, completed: Sequence[tuple[str, str]]) -> WrittenShard:
        """Give the files their final names; they are then kept also after a power failure."""
        name = _shard_name([file for _, file in self._parts], completed)
        subjects, extractors = zip(*completed, strict=True) if completed else ((), ())
        # Not part of the name, which is made of the readings themselves: a shard that lost its list is recognised.
        self.write(READING, [pa.table([pa.array(subjects, pa.string()), pa.array(extractors, pa.string())], _READINGS)])
        files = tuple(file for _, file in self._parts)
        for part, file in self._parts:
            path = shard_path(self._folder, file.kind, name)
            try:
                part.replace(path)
                _sync_folder(path.parent)
            except OSError as error:
                raise unwritable(path.parent, error) from error
        self._parts.clear()
        return WrittenShard(name, files, tuple(completed))


def read_shard(folder: Path, name: str) -> WrittenShard | None:
    """The shard that the files describe; None if one of them is damaged or missing."""
    completed: set[tuple[str, str]] | None = None
    files = []
    try:
        # A name out of a damaged note may be too long for a file.
        paths = [path for path in sorted(folder.glob(f"*/{name}.parquet")) if not path.parent.is_symlink()]
        for path in paths:
            with pq.ParquetFile(shard_path(folder, path.parent.name, name)) as parquet:
                columns, rows = columns_digest(parquet.schema_arrow), parquet.metadata.num_rows
                if path.parent.name == READING:
                    completed = _readings_in(parquet)
            files.append(ShardFile(path.parent.name, columns, file_digest(path), path.stat().st_size, rows))
        if completed is None:
            # Its list is lost: every reading has a record, or the name does not match.
            completed = set()
            for path in paths:
                with pq.ParquetFile(path) as parquet:
                    completed |= _readings_in(parquet)
    except (*DAMAGED_FILE, GraphDirectoryError):
        return None
    fits = name == _shard_name([file for file in files if file.kind != READING], sorted(completed))
    return WrittenShard(name, tuple(files), tuple(sorted(completed))) if fits else None


def rows_without_index(
    folder: Path, kind: type, subjects: Collection[str], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Columns, "subject" among them, of the records of a kind about some subjects, without index and lock of the store.

    A directory that cannot be written, that a build is at work in, or whose records are damaged gives what can be read.
    A row may come twice, and be of an extractor that is no longer used.
    """
    if folder.is_symlink():
        return
    name = kind_name(kind)
    wanted = pa.array(sorted(subjects), pa.string())
    for path in sorted((folder / name).glob("*.parquet")):
        try:
            with open_regular(shard_path(folder, name, path.stem)) as stream:
                yield from _rows_about(pq.ParquetFile(stream), wanted, columns)
        except (*DAMAGED_FILE, GraphDirectoryError):
            continue


def _rows_about(file: pq.ParquetFile, subjects: pa.StringArray, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows in one file, of the row groups that can hold one of the subjects; they ascend by subject."""
    place = file.schema_arrow.names.index("subject")
    for group in range(file.num_row_groups):
        span = file.metadata.row_group(group).column(place).statistics
        # Without statistics a group may hold any of them.
        if span is None or not span.has_min_max:
            held = subjects
        else:
            held = subjects.filter(pc.and_(pc.greater_equal(subjects, span.min), pc.less_equal(subjects, span.max)))
        if len(held):
            rows = file.read_row_group(group, list(columns))
            yield from rows.filter(pc.is_in(rows["subject"], held)).to_pylist()


def _readings_in(file: pq.ParquetFile) -> set[tuple[str, str]]:
    columns = file.read(_READINGS.names)
    return set(zip(*(columns[name].to_pylist() for name in _READINGS.names), strict=True))


def _shard_name(files: Iterable[ShardFile], completed: Iterable[tuple[str, str]]) -> str:
    """A digest of the content of a shard: shards with different files or readings have different names."""
    content = [*(f"{file.kind} {file.sha256}" for file in files), *map(" ".join, completed)]
    return hashlib.sha256("\n".join(content).encode()).hexdigest()[:32]


def columns_digest(schema: pa.Schema) -> str:
    """The digest of the columns of a kind, which differs between versions of it."""
    content = "\n".join(f"{column.name} {column.type} {column.nullable}" for column in schema)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The tables, small ones joined to at least the size of a row group."""
    pending: list[pa.Table] = []
    size = 0
    for table in tables:
        pending.append(table)
        size += table.nbytes
        if size >= _BYTES_A_GROUP:
            yield pa.concat_tables(pending)
            pending, size = [], 0
    if pending:
        yield pa.concat_tables(pending)


def _rows_a_group(table: pa.Table) -> int:
    """Groups of about a mebibyte, so that the records of a few subjects can be read without the rest."""
    return max(1, int(table.num_rows * _BYTES_A_GROUP // max(1, table.nbytes)))


def _sync_folder(folder: Path) -> None:
    with suppress(PermissionError):  # Windows does not open folders.
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
