"""The record store: every record that was ever read in a graph directory; the graph is made of these alone.

    <kind>/<shard>.parquet    the records of one kind of whole readings (subject, extractor)
    index.sqlite              which readings and inputs there are, and where; files that it does not name do not count

A shard is one unit across kinds: it is written, merged, lost and deleted as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kgscripts.records.inputs import Input, InputIndex
from kgscripts.records.kinds import decode, kind_name, record_schema
from kgscripts.records.merging import merge
from kgscripts.records.shards import PART, WrittenShard, columns_digest, file_digest, shard_path
from schemas.errors import GraphDirectoryError, RecordError
from schemas.graph_directory import unwritable

_SMALLEST_TIER = 1 << 16
_LARGEST_TIER = 1 << 24
_SHARDS_A_TIER = 4
_DAMAGED = ".damaged"


class RecordStore(InputIndex):
    """The folder ``records`` of a graph directory, which must be held by `graph_directory.locked` to be changed.

    Opening reads no shard and no table of the index: it takes the same time for any number of records.

    Raises
    ------
    GraphDirectoryError
        If the index is damaged or of another format, or the folder has the layout of an older version.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._verified: set[Path] = set()

    def commit(self, shards: Iterable[WrittenShard] = (), inputs: Iterable[Input] = ()) -> None:
        """Take in shards and inputs, all or nothing; then merge small shards where there are many.

        A reading that is here already is replaced.

        Raises
        ------
        GraphDirectoryError
            If the index cannot be written, or a file of a shard is missing or has other columns than those of its kind.
        RecordError
            If a reading is by an extractor that was not added.
        """
        with self.transaction():
            for shard in shards:
                self._put_shard(shard)
            for item in inputs:
                self._put_input(item)
        self._merge_small()

    def _put_shard(self, shard: WrittenShard) -> None:
        if not shard.completed:
            return
        for file in shard.files:
            path = shard_path(self.folder, file.kind, shard.name)
            if not path.exists():
                raise GraphDirectoryError("a file that was just written is missing", where=str(path))
            columns = "SELECT columns FROM shard_file WHERE kind = ? AND columns != ?"
            if self._one(columns, file.kind, file.columns):
                raise self._other_columns(file.kind)
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
        ids = self._extractor_ids({extractor for _, extractor in shard.completed})
        if unknown := sorted(digest for digest, known in ids.items() if known is None):
            raise RecordError(f"a reading is by the extractor {unknown[0]}, which was not added to the store")
        self._executemany(
            "INSERT OR IGNORE INTO subject (digest) VALUES (?)", ((subject,) for subject, _ in shard.completed)
        )
        self._executemany(
            "INSERT INTO completion SELECT id, ?, ? FROM subject WHERE digest = ?"
            " ON CONFLICT (subject, extractor) DO UPDATE SET shard = excluded.shard",
            ((ids[extractor], number, subject) for subject, extractor in shard.completed),
        )

    def read(
        self, kind: type, subjects: Sequence[str], extractors: Collection[str] | None = None
    ) -> dict[str, list[Any]]:
        """The records of one kind of these subjects, ordered by extractor and ordinal; only those that have some.

        Only shards that hold their readings are read. By default the readings of all extractors count.

        Raises
        ------
        GraphDirectoryError
            If a file is damaged or missing. Its whole shard is then set aside and counts as unread.
        """
        wanted: dict[str, set[tuple[str, str]]] = {}
        for subject in subjects:
            for shard, extractor in self._rows(
                "SELECT shard.name, extractor.digest FROM completion"
                " JOIN shard ON shard.id = completion.shard JOIN extractor ON extractor.id = completion.extractor"
                " WHERE subject = (SELECT id FROM subject WHERE digest = ?)",
                subject,
            ):
                if extractors is None or extractor in extractors:
                    wanted.setdefault(shard, set()).add((subject, extractor))
        found: list[tuple[str, str, int, Any]] = []
        for shard, path in self._files(kind):
            if shard in wanted:
                self._verify(shard, path)
                held = {subject for subject, _ in wanted[shard]}
                table = _rows_of(path, held)
                rows = decode(kind, table)
                found += (row for row in rows if (row[0], row[1]) in wanted[shard])
        records: dict[str, list[Any]] = {}
        for subject, _, _, record in sorted(found, key=lambda row: row[:3]):
            records.setdefault(subject, []).append(record)
        return records

    def files(self, kind: type | str) -> list[Path]:
        """The files that hold the records of one kind, each checked against its SHA-256 once.

        They also hold readings that were replaced or removed, until `compact` drops these.

        Raises
        ------
        GraphDirectoryError
            If a file is damaged or missing. Its whole shard is then set aside and counts as unread.
        """
        files = self._files(kind)
        for shard, path in files:
            self._verify(shard, path)
        return [path for _, path in files]

    def _files(self, kind: type | str) -> list[tuple[str, Path]]:
        name = kind if isinstance(kind, str) else kind_name(kind)
        rows = list(
            self._rows(
                "SELECT name, columns FROM shard_file JOIN shard ON shard.id = shard WHERE kind = ? ORDER BY name", name
            )
        )
        if rows and not isinstance(kind, str) and rows[0][1] != columns_digest(record_schema(kind)):
            raise self._other_columns(name)
        return [(shard, shard_path(self.folder, name, shard)) for shard, _ in rows]

    def _other_columns(self, kind: str) -> GraphDirectoryError:
        return GraphDirectoryError(
            f"the records of the kind {kind} here have other columns than this version gives them",
            where=str(self.folder),
            remedy="build into a new directory",
        )

    def _verify(self, shard: str, path: Path) -> None:
        """Check a file; set its shard aside if it is not what was committed."""
        if path in self._verified:
            return
        try:
            digest: str | None = file_digest(path)
        except FileNotFoundError:
            digest = None
        expected = self._one(
            "SELECT sha256 FROM shard_file JOIN shard ON shard.id = shard WHERE name = ? AND kind = ?",
            shard,
            path.parent.name,
        )
        if digest != expected:
            with suppress(GraphDirectoryError):
                self._set_aside(shard)
            raise GraphDirectoryError(
                "a file of records is damaged" if digest else "a file of records is missing",
                where=str(path),
                remedy="run the same build again: what the file held is read again from the inputs",
            )
        self._verified.add(path)

    def _set_aside(self, shard: str) -> None:
        """Rename the files of a damaged shard and forget its readings."""
        paths = [
            shard_path(self.folder, kind, shard)
            for (kind,) in self._rows(
                "SELECT kind FROM shard_file WHERE shard = (SELECT id FROM shard WHERE name = ?)", shard
            )
        ]
        with self.transaction():
            self._execute("DELETE FROM completion WHERE shard = (SELECT id FROM shard WHERE name = ?)", shard)
            self._drop_shard(shard)
        for path in paths:
            self._verified.discard(path)
            with suppress(OSError):
                path.replace(path.with_suffix(_DAMAGED))

    def _drop_shard(self, shard: str) -> None:
        self._execute("DELETE FROM shard_file WHERE shard = (SELECT id FROM shard WHERE name = ?)", shard)
        self._execute("DELETE FROM shard WHERE name = ?", shard)

    def _merge_small(self) -> None:
        """Merge shards of like size, so that their number grows with the logarithm of what they hold."""
        tier = _SMALLEST_TIER
        while tier <= _LARGEST_TIER:
            small = [
                name
                for (name,) in self._rows(
                    "SELECT name FROM shard LEFT JOIN shard_file ON shard = shard.id GROUP BY shard.id"
                    " HAVING coalesce(sum(bytes), 0) < ? ORDER BY shard.id",
                    tier,
                )
            ]
            if len(small) >= _SHARDS_A_TIER:
                self._rewrite(small)
            tier *= 4

    def _rewrite(self, old: Sequence[str]) -> None:
        """Put one shard with the readings that count into the place of shards; these go when it is committed."""
        files = {name: self._verified_files(name) for name in old}
        readings = {
            name: list(
                self._rows(
                    "SELECT subject.digest, extractor.digest FROM completion"
                    " JOIN subject ON subject.id = completion.subject"
                    " JOIN extractor ON extractor.id = completion.extractor"
                    " WHERE shard = (SELECT id FROM shard WHERE name = ?)",
                    name,
                )
            )
            for name in old
        }
        new = merge(self.folder, files, readings)
        with self.transaction():
            self._put_shard(new)
            for name in set(old) - {new.name}:
                self._drop_shard(name)
        for name in set(old) - {new.name}:
            for path in files[name]:
                self._verified.discard(path)
                path.unlink(missing_ok=True)

    def _verified_files(self, shard: str) -> list[Path]:
        kinds = self._rows("SELECT kind FROM shard_file JOIN shard ON shard.id = shard WHERE name = ?", shard)
        paths = [shard_path(self.folder, kind, shard) for (kind,) in list(kinds)]
        for path in paths:
            self._verify(shard, path)
        return paths

    def compact(self, enriched: Collection[tuple[str, str]] = ()) -> None:
        """Drop readings that nothing needs, and delete what does not count.

        Dropped are readings of documents that no input gives, of extractors of which a newer version was added, and of
        enrichers unless (subject, extractor) is in `enriched`. No shard may be written meanwhile.
        """
        with self.transaction():
            self._forget(enriched)
        for (name,) in list(
            self._rows(
                "SELECT name FROM shard WHERE readings > (SELECT count(*) FROM completion WHERE shard = shard.id)"
                " ORDER BY name"
            )
        ):
            self._rewrite([name])
        self._merge_small()
        named = {
            shard_path(self.folder, kind, name)
            for kind, name in self._rows("SELECT kind, name FROM shard_file JOIN shard ON shard.id = shard")
        }
        try:
            for path in self.folder.glob("*/*"):
                if path not in named and path.suffix in (".parquet", PART, _DAMAGED):
                    path.unlink()
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def _forget(self, enriched: Collection[tuple[str, str]]) -> None:
        self._execute("CREATE TEMP TABLE IF NOT EXISTS enriched (subject TEXT, extractor TEXT)")
        self._execute("DELETE FROM temp.enriched")
        self._executemany("INSERT INTO temp.enriched VALUES (?, ?)", enriched)
        self._execute(
            "DELETE FROM completion WHERE extractor IN"
            " (SELECT old.id FROM extractor AS old JOIN extractor AS new USING (name) WHERE new.version > old.version)"
        )
        self._execute(
            "DELETE FROM completion WHERE extractor IN (SELECT id FROM extractor WHERE role != 'enricher')"
            " AND NOT EXISTS (SELECT * FROM source WHERE source.subject = completion.subject)"
        )
        self._execute(
            "DELETE FROM completion WHERE extractor IN (SELECT id FROM extractor WHERE role = 'enricher')"
            " AND (subject, extractor) NOT IN (SELECT subject.id, extractor.id FROM temp.enriched"
            " JOIN subject ON subject.digest = enriched.subject"
            " JOIN extractor ON extractor.digest = enriched.extractor)"
        )
        self._execute("DELETE FROM extractor WHERE id != 0 AND id NOT IN (SELECT extractor FROM completion)")
        self._execute(
            "DELETE FROM subject WHERE NOT EXISTS (SELECT * FROM completion WHERE subject = subject.id)"
            " AND NOT EXISTS (SELECT * FROM source WHERE subject = subject.id)"
        )

    def validate(self) -> Iterator[str]:
        """What is wrong with the files: those whose SHA-256 or number of rows is not what was committed."""
        for (problem,) in self._rows("PRAGMA integrity_check"):
            if problem != "ok":
                yield f"{self._path}: {problem}"
        for name, kind, columns, sha256, rows in list(
            self._rows("SELECT name, kind, columns, sha256, rows FROM shard_file JOIN shard ON shard.id = shard")
        ):
            path = shard_path(self.folder, kind, name)
            if not path.exists():
                yield f"{path}: the file is missing"
            elif file_digest(path) != sha256:
                yield f"{path}: the file is damaged"
            else:
                file = pq.ParquetFile(path)
                if file.metadata.num_rows != rows or columns_digest(file.schema_arrow) != columns:
                    yield f"{path}: the file has other rows or columns than the index says"


def _rows_of(path: Path, subjects: Collection[str]) -> pa.Table:
    """The rows of some subjects, from the row groups that can hold them."""
    first, last = min(subjects), max(subjects)
    condition = (pc.field("subject") >= first) & (pc.field("subject") <= last)
    table = pq.read_table(path, filters=condition, partitioning=None)
    return table.filter(pc.is_in(table["subject"], pa.array(sorted(subjects))))
