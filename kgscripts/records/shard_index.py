"""Which shards there are, which readings each of them holds, and whether their files are whole."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from kgscripts.records.database import INDEX
from kgscripts.records.inputs import InputIndex
from kgscripts.records.kinds import kind_name, record_schema
from kgscripts.records.shards import WrittenShard, columns_digest, shard_path
from schemas.errors import DamagedRecordsError, GraphDirectoryError, RecordError
from schemas.graph_directory import file_digest

DAMAGED = ".damaged"
CORRECTION = "correction"
"""The kind of record that no input gives again. Shards with it are merged with no others."""
_NUMBER = "(SELECT id FROM shard WHERE name = ?)"


class ShardIndex(InputIndex):
    """The part of the index about shards. One kind has the same columns in all shards."""

    def __init__(self, folder: Path, index: str = INDEX) -> None:
        super().__init__(folder, index)
        self._verified: set[Path] = set()

    def _put_shard(self, shard: WrittenShard) -> None:
        """Enter a shard; readings that are in another one count from here."""
        if not shard.completed:
            return
        for file in shard.files:
            path = shard_path(self.folder, file.kind, shard.name)
            if not path.exists():
                raise GraphDirectoryError(
                    "a file that was just written is missing", where=str(path), remedy="run the same command again"
                )
            if self._one("SELECT 1 FROM shard_file WHERE kind = ? AND columns != ?", file.kind, file.columns):
                raise self._other_columns(file.kind)
        ids = self._extractor_ids({extractor for _, extractor in shard.completed})
        if unknown := sorted(digest for digest, known in ids.items() if known is None):
            raise RecordError(
                f"a reading is by the extractor {unknown[0]}, which the store does not know",
                remedy="add the extractor to the store first",
            )
        self._execute(
            "INSERT INTO shard (name, readings) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
            shard.name,
            len(shard.completed),
        )
        number = self._one("SELECT id FROM shard WHERE name = ?", shard.name)
        self._executemany(
            "INSERT OR REPLACE INTO shard_file VALUES (?, ?, ?, ?, ?, ?)",
            ((number, file.kind, file.columns, file.sha256, file.bytes, file.rows) for file in shard.files),
        )
        self._executemany(
            "INSERT OR IGNORE INTO subject (digest) VALUES (?)", ((subject,) for subject, _ in shard.completed)
        )
        self._executemany(
            "INSERT INTO completion SELECT id, ?, ? FROM subject WHERE digest = ?"
            " ON CONFLICT (subject, extractor) DO UPDATE SET shard = excluded.shard",
            ((ids[extractor], number, subject) for subject, extractor in shard.completed),
        )

    def _drop_shard(self, name: str) -> None:
        self._execute(f"DELETE FROM completion WHERE shard = {_NUMBER}", name)
        self._execute(f"DELETE FROM shard_file WHERE shard = {_NUMBER}", name)
        self._execute("DELETE FROM shard WHERE name = ?", name)

    def _readings(self, name: str) -> list[tuple[str, str]]:
        """The readings (subject, extractor) of a shard that count."""
        return list(
            self._rows(
                "SELECT subject.digest, extractor.digest FROM completion"
                " JOIN subject ON subject.id = completion.subject"
                " JOIN extractor ON extractor.id = completion.extractor"
                f" WHERE shard = {_NUMBER}",
                name,
            )
        )

    def _files_of_kind(self, kind: type | str) -> dict[str, Path]:
        """The file of each shard that has one of this kind."""
        name = kind if isinstance(kind, str) else kind_name(kind)
        rows = self._rows("SELECT name, columns FROM shard_file JOIN shard ON id = shard WHERE kind = ?", name)
        files = {}
        for shard, columns in rows:
            if not isinstance(kind, str) and columns != columns_digest(record_schema(kind)):
                raise self._other_columns(name)
            files[shard] = shard_path(self.folder, name, shard)
        return dict(sorted(files.items()))

    def _files_of_shard(self, name: str) -> list[Path]:
        rows = self._rows(f"SELECT kind FROM shard_file WHERE shard = {_NUMBER} ORDER BY kind", name)
        return [shard_path(self.folder, kind, name) for (kind,) in rows]

    def _other_columns(self, kind: str) -> GraphDirectoryError:
        return GraphDirectoryError(
            f"the records of the kind {kind} in the store have other columns than this version gives them",
            where=str(self.folder),
            remedy="build into a new directory",
        )

    def _verify(self, shard: str, path: Path) -> None:
        """Check a file of a shard, the first time that it is used.

        Raises
        ------
        DamagedRecordsError
            If it is not what was committed. The shard is then set aside.
        GraphDirectoryError
            If it held corrections, which no build can read again.
        """
        if path in self._verified:
            return
        digest = file_digest(path) if path.is_file() else None
        expected = self._one(
            f"SELECT sha256 FROM shard_file WHERE shard = {_NUMBER} AND kind = ?", shard, path.parent.name
        )
        if digest != expected:
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
        self._verified.add(path)

    def _set_aside(self, shard: str) -> None:
        """Forget the readings of a damaged shard and rename its files."""
        paths = self._files_of_shard(shard)
        with self.transaction():
            self._drop_shard(shard)
        for path in paths:
            self._verified.discard(path)
            with suppress(OSError):
                path.replace(path.with_suffix(DAMAGED))
