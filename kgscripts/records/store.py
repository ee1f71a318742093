"""The record store: every record that was ever read in a graph directory; the graph is made of these alone.

    <kind>/<shard>.parquet    the records of one kind of whole readings (subject, extractor)
    index.sqlite              which readings and inputs there are, and where; files that it does not name do not count
    inputs.parquet            the inputs and extractors of the last `compact`, for a new index (`records.rebuilding`)

A shard is one unit across kinds: it is written, merged, lost and deleted as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kgscripts.records.inputs import Input
from kgscripts.records.inputs_file import write_inputs
from kgscripts.records.kinds import decode
from kgscripts.records.merging import merge
from kgscripts.records.shard_index import CORRECTION, DAMAGED, ShardIndex
from kgscripts.records.shards import PART, WrittenShard, columns_digest, shard_path
from schemas.graph_directory import file_digest, unwritable

_SMALLEST_TIER = 1 << 16
_LARGEST_TIER = 1 << 24
_SHARDS_A_TIER = 4


class RecordStore(ShardIndex):
    """The folder ``records`` of a graph directory, which must be held by `graph_directory.locked`.

    Opening reads no shard and no table of the index: it takes the same time for any number of records.

    Raises
    ------
    GraphDirectoryError
        If the index is damaged or of another format, or the folder has the layout of an older version.
    """

    def commit(self, shards: Iterable[WrittenShard] = (), inputs: Iterable[Input] = (), *, merge: bool = True) -> None:
        """Take in shards and inputs, all or nothing; then merge small shards where there are many.

        A reading that is here already is replaced. Inside a transaction, or without `merge`, shards are left for a
        later call to merge: the files that `files` named stay in place.

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
        if merge and not self._connection.in_transaction:
            self._merge_small()

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
        for shard, path in self._files_of_kind(kind).items():
            if readings := wanted.get(shard):
                self._verify(shard, path)
                rows = decode(kind, _rows_of({subject for subject, _ in readings}, path))
                found += (row for row in rows if row[:2] in readings)
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
        files = self._files_of_kind(kind)
        for shard, path in files.items():
            self._verify(shard, path)
        return list(files.values())

    def verify(self) -> None:
        """Check every file against its SHA-256.

        Raises
        ------
        DamagedRecordsError
            If a file is damaged or missing. Its whole shard is then set aside and counts as unread.
        """
        for (name,) in list(self._rows("SELECT name FROM shard ORDER BY name")):
            for path in self._files_of_shard(name):
                self._verify(name, path)

    def shards(self) -> Iterator[tuple[str, list[tuple[str, str]], list[Path]]]:
        """Each shard: its name, its readings (subject, extractor) that count, and its files, one a kind.

        Raises
        ------
        GraphDirectoryError
            If a file is damaged or missing. Its whole shard is then set aside and counts as unread.
        """
        for (name,) in list(self._rows("SELECT name FROM shard ORDER BY name")):
            files = self._files_of_shard(name)
            for path in files:
                self._verify(name, path)
            yield name, self._readings(name), files

    def digest(self) -> str:
        """SHA-256 of the index: while it is the same, so is everything that the store holds."""
        return file_digest(self._path)

    def compact(self, enriched: Collection[tuple[str, str]] = (), used: Collection[str] = ()) -> None:
        """Drop readings that nothing needs, and delete files that do not count.

        Dropped are readings of documents that no input gives, of extractors of which another version was added later
        unless they are among the `used`, and of enrichers unless (subject, extractor) is in `enriched`. No shard may be
        written meanwhile.

        Raises
        ------
        GraphDirectoryError
            If something cannot be written, or a file that has to be rewritten is damaged.
        """
        with self.transaction():
            self._forget(enriched, used)
        self.drop_replaced()
        self._merge_small()
        write_inputs(self)
        named = {
            shard_path(self.folder, kind, name)
            for kind, name in self._rows("SELECT kind, name FROM shard_file JOIN shard ON id = shard")
        }
        try:
            for path in self.folder.glob("*/*"):
                if path not in named and path.suffix in (".parquet", PART, DAMAGED) and not path.parent.is_symlink():
                    path.unlink()
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def drop_replaced(self) -> None:
        """Write the shards anew that hold readings which are in other shards or nowhere.

        Raises
        ------
        GraphDirectoryError
            If something cannot be written, or a file that has to be rewritten is damaged.
        """
        held = "(SELECT count(*) FROM completion WHERE completion.shard = shard.id)"
        for (name,) in list(self._rows(f"SELECT name FROM shard WHERE readings > {held} ORDER BY name")):
            self._rewrite([name])

    def _forget(self, enriched: Collection[tuple[str, str]], used: Collection[str]) -> None:
        """Delete the completions that nothing needs, then extractors and subjects without any."""
        self._execute(
            "DELETE FROM completion WHERE extractor IN (SELECT old.id FROM extractor AS old"
            " JOIN extractor AS new USING (name, role) WHERE new.version > old.version"
            " AND old.digest NOT IN (SELECT value FROM json_each(?)))",
            json.dumps(list(used)),
        )
        self._execute(
            "DELETE FROM completion WHERE extractor IN (SELECT id FROM extractor WHERE role = 'extractor' OR id = 0)"
            " AND NOT EXISTS (SELECT * FROM source WHERE source.subject = completion.subject)"
        )
        self._execute("CREATE TEMP TABLE enriched (subject TEXT, extractor TEXT)")
        self._executemany("INSERT INTO temp.enriched VALUES (?, ?)", enriched)
        self._execute(
            "DELETE FROM completion WHERE extractor IN (SELECT id FROM extractor WHERE role = 'enricher')"
            " AND (subject, extractor) NOT IN (SELECT subject.id, extractor.id FROM temp.enriched"
            " JOIN subject ON subject.digest = enriched.subject"
            " JOIN extractor ON extractor.digest = enriched.extractor)"
        )
        self._execute("DROP TABLE temp.enriched")
        self._execute("DELETE FROM extractor WHERE id != 0 AND id NOT IN (SELECT extractor FROM completion)")
        self._execute(
            "DELETE FROM subject WHERE NOT EXISTS (SELECT * FROM completion WHERE subject = subject.id)"
            " AND NOT EXISTS (SELECT * FROM source WHERE subject = subject.id)"
        )

    def _merge_small(self) -> None:
        """Merge shards of like size, so that their number grows with the logarithm of what they hold."""
        tier = _SMALLEST_TIER
        while tier <= _LARGEST_TIER:
            small = list(
                self._rows(
                    "SELECT name, coalesce(sum(bytes), 0) AS size FROM shard LEFT JOIN shard_file ON shard = shard.id"
                    f" WHERE shard.id NOT IN (SELECT shard FROM shard_file WHERE kind = '{CORRECTION}')"
                    " GROUP BY shard.id HAVING size < ? ORDER BY shard.id",
                    tier,
                )
            )
            if len(small) >= _SHARDS_A_TIER:
                group: list[str] = []
                size = 0
                for name, size_of_shard in small:
                    group.append(name)
                    size += size_of_shard
                    if size >= _LARGEST_TIER:
                        self._rewrite(group)
                        group, size = [], 0
                if len(group) > 1:
                    self._rewrite(group)
            tier *= 4

    def _rewrite(self, old: Sequence[str]) -> None:
        """Replace shards by one with those of their readings that count.

        The new files are there before the index names them, and the old ones go after it does not.
        """
        if self._connection.in_transaction:
            raise RuntimeError("files of records cannot be replaced inside a transaction, which may be undone")
        files = {name: self._files_of_shard(name) for name in old}
        for name, paths in files.items():
            for path in paths:
                self._verify(name, path)
        new = merge(self.folder, files, {name: self._readings(name) for name in old})
        with self.transaction():
            self._put_shard(new)
            for name in files.keys() - {new.name}:
                self._drop_shard(name)
        try:
            for name in files.keys() - {new.name}:
                for path in files[name]:
                    self._verified.discard(path)
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def validate(self) -> Iterator[str]:
        """What is wrong with the index and the files, one problem at a time; nothing is changed."""
        for (problem,) in self._rows("PRAGMA integrity_check"):
            if problem != "ok":
                yield f"{self._path}: {problem}"
        for name, kind, columns, sha256, rows in self._rows(
            "SELECT name, kind, columns, sha256, rows FROM shard_file JOIN shard ON id = shard ORDER BY name, kind"
        ):
            path = shard_path(self.folder, kind, name)
            if not path.is_file():
                yield f"{path}: the file is missing"
            elif file_digest(path) != sha256:
                yield f"{path}: the file is damaged"
            else:
                with pq.ParquetFile(path) as file:
                    if file.metadata.num_rows != rows or columns_digest(file.schema_arrow) != columns:
                        yield f"{path}: the file has other rows or columns than the index says"


def _rows_of(subjects: Collection[str], path: Path) -> pa.Table:
    """The rows of some subjects, from the row groups that can hold them."""
    column = pc.field("subject")
    between = (column >= min(subjects)) & (column <= max(subjects))
    table = pq.read_table(path, filters=between, partitioning=None)
    return table.filter(pc.is_in(table["subject"], pa.array(sorted(subjects))))
