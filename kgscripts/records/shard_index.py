"""The shards of a store: the readings that each of them holds, and whether their files are undamaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pyarrow.parquet as pq

from kgscripts.records.database import Database
from kgscripts.records.kinds import kind_name, record_schema
from kgscripts.records.merging import merge
from kgscripts.records.readings import ReadingIndex
from kgscripts.records.shards import PART, WrittenShard, columns_digest, shard_path
from schemas.errors import DamagedRecordsError, GraphDirectoryError
from schemas.graph_directory import file_digest, unwritable

DAMAGED = ".damaged"
CORRECTION = "correction"
"""The kind of record that no input gives again. Its shard is never merged with others."""
_NUMBER = "(SELECT id FROM shard WHERE name = ?)"


class ShardIndex:
    """The shards in use, and their files. A kind has the same columns in all shards.

    A file is checked against its SHA-256 the first time that it is used.
    """

    def __init__(self, database: Database, readings: ReadingIndex) -> None:
        self._database = database
        self._readings = readings
        self._checked: set[Path] = set()

    def names(self) -> list[str]:
        """The names of all shards, ascending."""
        return [name for (name,) in self._database.rows("SELECT name FROM shard ORDER BY name")]

    def all(self) -> Iterator[tuple[str, list[tuple[str, str]], list[Path]]]:
        """For each shard its name, its readings (subject, extractor) in use, and its files, one for each kind.

        Raises
        ------
        DamagedRecordsError
            If a file is damaged or missing. Its whole shard is then set aside and counts as unread.
        """
        for name in self.names():
            yield name, self._readings.of_shard(name), self._checked_files(name)

    def files(self, kind: type | str) -> list[Path]:
        """The files that hold the records of one kind.

        They also hold readings that were replaced or removed, until `RecordStore.compact` drops these.

        Raises
        ------
        GraphDirectoryError
            If a file is damaged or missing (its whole shard is then set aside and counts as unread), or has other
            columns than `kind`.
        """
        files = self.paths(kind)
        for shard, path in files.items():
            self.check_file(shard, path)
        return list(files.values())

    def verify(self) -> None:
        """Check every file.

        Raises
        ------
        DamagedRecordsError
            If a file is damaged or missing. Its whole shard is then set aside and counts as unread.
        """
        for name in self.names():
            self._checked_files(name)

    def paths(self, kind: type | str) -> dict[str, Path]:
        """The file of each shard that has one of this kind, not checked yet."""
        name = kind if isinstance(kind, str) else kind_name(kind)
        rows = self._database.rows("SELECT name, columns FROM shard_file JOIN shard ON id = shard WHERE kind = ?", name)
        files = {}
        for shard, columns in rows:
            if not isinstance(kind, str) and columns != columns_digest(record_schema(kind)):
                raise self._other_columns(name)
            files[shard] = shard_path(self._database.folder, name, shard)
        return dict(sorted(files.items()))

    def check_file(self, shard: str, path: Path) -> None:
        """Check a file of a shard, the first time that it is used.

        Raises
        ------
        DamagedRecordsError
            If it is damaged. The shard is then set aside.
        GraphDirectoryError
            If it held corrections, which no build can read again.
        """
        if path in self._checked:
            return
        digest = file_digest(path) if path.is_file() else None
        expected = self._database.one(
            f"SELECT sha256 FROM shard_file WHERE shard = {_NUMBER} AND kind = ?", shard, path.parent.name
        )
        if digest != expected:
            # Where nothing can be written, the damage is still what has to be reported.
            with suppress(GraphDirectoryError):
                self._set_aside(shard)
            if path.parent.name == CORRECTION:
                raise GraphDirectoryError(
                    "the file of the corrections is damaged or missing",
                    where=str(path),
                    remedy="run the same command again: they are taken from the graph, as far as it has them",
                )
            raise DamagedRecordsError(
                "a file of records is damaged" if digest else "a file of records is missing",
                where=str(path),
                remedy="run the same build again: what the file held is read again from the inputs",
            )
        self._checked.add(path)

    def put(self, shard: WrittenShard) -> None:
        """Add a shard; readings that are also in another shard are taken from this one.

        Raises
        ------
        GraphDirectoryError
            If one of its files is missing or has other columns than those of its kind.
        RecordError
            If a reading is by an extractor that is not known.
        """
        if not shard.completed:
            return
        for file in shard.files:
            path = shard_path(self._database.folder, file.kind, shard.name)
            if not path.exists():
                raise GraphDirectoryError(
                    "a file that was just written is missing", where=str(path), remedy="run the same command again"
                )
            if self._database.one("SELECT 1 FROM shard_file WHERE kind = ? AND columns != ?", file.kind, file.columns):
                raise self._other_columns(file.kind)
        with self._database.transaction():
            self._database.execute(
                # Equal content has an equal name: it may be there.
                "INSERT INTO shard (name, readings) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                shard.name,
                len(shard.completed),
            )
            number = self._database.one("SELECT id FROM shard WHERE name = ?", shard.name)
            self._database.execute_many(
                "INSERT OR REPLACE INTO shard_file VALUES (?, ?, ?, ?, ?, ?)",
                ((number, file.kind, file.columns, file.sha256, file.bytes, file.rows) for file in shard.files),
            )
            self._readings.put(shard.name, shard.completed)

    def rewrite(self, old: Sequence[str]) -> None:
        """Replace shards by one with their readings in use. New files are written before the index names them, and old
        files are deleted after it names them no more.

        Raises
        ------
        GraphDirectoryError
            If something cannot be written, or a file is damaged or missing.
        """
        if self._database.in_transaction:
            raise RuntimeError("files of records cannot be replaced inside a transaction, which may be undone")
        files = {name: self._checked_files(name) for name in old}
        new = merge(self._database.folder, files, {name: self._readings.of_shard(name) for name in old})
        # A shard that comes out as it was has the same name: its files stay.
        files.pop(new.name, None)
        with self._database.transaction():
            self.put(new)
            for name in files:
                self._drop(name)
        try:
            for path in chain.from_iterable(files.values()):
                self._checked.discard(path)
                path.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(self._database.folder, error) from error

    def delete_uncounted(self) -> None:
        """Delete the files of records that belong to no shard.

        Raises
        ------
        GraphDirectoryError
            If one cannot be deleted.
        """
        folder = self._database.folder
        named = {path for name in self.names() for path in self._files(name)}
        try:
            for path in folder.glob("*/*"):
                if path not in named and path.suffix in (".parquet", PART, DAMAGED) and not path.parent.is_symlink():
                    path.unlink()
        except OSError as error:
            raise unwritable(folder, error) from error

    def problems(self) -> Iterator[str]:
        """The problems of the files, one at a time; nothing is changed."""
        for name, kind, columns, sha256, rows in self._database.rows(
            "SELECT name, kind, columns, sha256, rows FROM shard_file JOIN shard ON id = shard ORDER BY name, kind"
        ):
            path = shard_path(self._database.folder, kind, name)
            if not path.is_file():
                yield f"{path}: the file is missing"
            elif file_digest(path) != sha256:
                yield f"{path}: the file is damaged"
            else:
                with pq.ParquetFile(path) as file:
                    if file.metadata.num_rows != rows or columns_digest(file.schema_arrow) != columns:
                        yield f"{path}: the file has other rows or columns than the index says"

    def _files(self, shard: str) -> list[Path]:
        rows = self._database.rows(f"SELECT kind FROM shard_file WHERE shard = {_NUMBER} ORDER BY kind", shard)
        return [shard_path(self._database.folder, kind, shard) for (kind,) in rows]

    def _checked_files(self, shard: str) -> list[Path]:
        files = self._files(shard)
        for path in files:
            self.check_file(shard, path)
        return files

    def _drop(self, shard: str) -> None:
        self._readings.drop(shard)
        self._database.execute(f"DELETE FROM shard_file WHERE shard = {_NUMBER}", shard)
        self._database.execute("DELETE FROM shard WHERE name = ?", shard)

    def _other_columns(self, kind: str) -> GraphDirectoryError:
        return GraphDirectoryError(
            f"the records of the kind {kind} in the store have other columns than this version gives them",
            where=str(self._database.folder),
            remedy="build into a new directory",
        )

    def _set_aside(self, shard: str) -> None:
        """Drop the readings of a damaged shard and rename its files."""
        paths = self._files(shard)
        with self._database.transaction():
            self._drop(shard)
        for path in paths:
            self._checked.discard(path)
            # Under another name for whoever wants to look at it, until a build deletes it.
            with suppress(OSError):
                path.replace(path.with_suffix(DAMAGED))
