"""The record store: all records of a graph directory; the graph is made only of these.

    <kind>/<shard>.parquet    the records of one kind of whole readings (subject, extractor)
    index.sqlite              which readings and inputs there are, and in which files; other files are ignored
    inputs.parquet            the inputs and extractors of the last `compact`, for a new index (`records.opening`)

A shard is one unit across kinds: it is written, merged, lost and deleted as a whole. `compact` drops unused readings
and merges small shards.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kgscripts.records.database import INDEX, Database
from kgscripts.records.extractors import ExtractorIndex
from kgscripts.records.inputs import Input, InputIndex, write_inputs
from kgscripts.records.kinds import decode
from kgscripts.records.readings import Failure, FailureIndex, ReadingIndex
from kgscripts.records.shard_index import CORRECTION, ShardIndex
from kgscripts.records.shards import WrittenShard
from schemas.graph_directory import file_digest

# Bytes. Shards are merged with others of their tier, so that a large one is seldom written again.
_SMALLEST_TIER = 1 << 16
_LARGEST_TIER = 1 << 24
_SHARDS_A_TIER = 4


class RecordStore:
    """The folder ``records`` of a graph directory, which must be held by `graph_directory.locked`.

    Its parts share one database: the known `extractors`, the `inputs`, `readings` (which extractor has read which
    document), `failures` (which documents it could not read), and `shards`, the files. Operations on several parts are
    methods here.

    Opening reads no shard and no table of the index: it takes the same time for any number of records.

    Raises
    ------
    GraphDirectoryError
        If the index is damaged or of another format, or the folder has the layout of an older version. In every method
        of the store and its parts: if the index is damaged (`DamagedIndexError`) or cannot be written.
    """

    def __init__(self, folder: Path, index: str = INDEX) -> None:
        self._database = Database(folder, index)
        self.folder = self._database.folder
        self.extractors = ExtractorIndex(self._database)
        self.inputs = InputIndex(self._database)
        self.readings = ReadingIndex(self._database, self.extractors)
        self.failures = FailureIndex(self._database)
        self.shards = ShardIndex(self._database, self.readings)

    def close(self) -> None:
        """Close the index."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def transaction(self) -> AbstractContextManager[None]:
        """All changes inside are made together at the end, or none after an error.

        Everything but `compact` can be called inside.
        """
        return self._database.transaction()

    def commit(
        self,
        shards: Iterable[WrittenShard] = (),
        inputs: Iterable[Input] = (),
        failures: Iterable[Failure] = (),
        *,
        merge: bool = True,
        withdraw: bool = False,
    ) -> None:
        """Add shards, inputs and failures, all or none; then merge small shards if there are many. An existing reading
        is replaced; a failure is removed when its document is read, and left out where it was read already, unless
        `withdraw` drops what was read. Inside a transaction, or without `merge`, shards are left for a later call to
        merge: the files that `ShardIndex.files` named stay in place.

        Raises
        ------
        GraphDirectoryError
            If a file of a shard is missing or has other columns than those of its kind.
        RecordError
            If a reading is by an extractor that was not added.
        """
        with self.transaction():
            for shard in shards:
                self.shards.put(shard)
                self.failures.drop(shard.completed)
            for item in inputs:
                self.inputs.put(item)
            # It may be an iterator, and is gone through twice.
            failed = list(failures)
            if withdraw:
                self.readings.withdraw((item.subject, item.extractor) for item in failed)
            self.failures.put(failed)
        if merge and not self._database.in_transaction:
            self._merge_small()

    def read(
        self, kind: type, subjects: Sequence[str], extractors: Collection[str] | None = None
    ) -> dict[str, list[Any]]:
        """The records of one kind of these subjects, ordered by extractor and ordinal; subjects without records are
        left out.

        Only shards that hold their readings are read. By default the readings of all extractors count.

        Raises
        ------
        GraphDirectoryError
            If a file is damaged or missing. Its whole shard is then set aside and counts as unread.
        """
        wanted: dict[str, set[tuple[str, str]]] = {}
        for subject in subjects:
            for shard, extractor in self.readings.of_subject(subject):
                if extractors is None or extractor in extractors:
                    wanted.setdefault(shard, set()).add((subject, extractor))
        selected: list[tuple[str, str, int, Any]] = []
        for shard, path in self.shards.paths(kind).items():
            if readings := wanted.get(shard):
                self.shards.check_file(shard, path)
                rows = decode(kind, _rows_of({subject for subject, _ in readings}, path))
                selected += (row for row in rows if row[:2] in readings)
        records: dict[str, list[Any]] = {}
        for subject, _, _, record in sorted(selected, key=lambda row: row[:3]):
            records.setdefault(subject, []).append(record)
        return records

    def digest(self) -> str:
        """SHA-256 of the index: while it is the same, the content of the store is the same."""
        return file_digest(self._database.path)

    def compact(self, enriched: Collection[tuple[str, str]] = (), used: Collection[str] = ()) -> None:
        """Drop unused readings, merge small shards, and delete unused files.

        No shard may be written meanwhile.

        Raises
        ------
        GraphDirectoryError
            If something cannot be written, or a file that has to be rewritten is damaged.
        """
        self._forget(enriched, used)
        self.drop_replaced()
        self._merge_small()
        write_inputs(self.folder, self.extractors.all().values(), self.inputs.all())
        self.shards.delete_uncounted()

    def _forget(self, enriched: Collection[tuple[str, str]], used: Collection[str]) -> None:
        """Drop unused readings and failures, then extractors and subjects without any.

        Dropped are those of documents that no input gives, of older versions of extractors that are not among the
        `used`, and of enrichers unless (subject, extractor) is in `enriched`.
        """
        database = self._database
        with database.transaction():
            for table in ("completion", "failure"):
                database.execute(
                    f"DELETE FROM {table} WHERE extractor IN (SELECT old.id FROM extractor AS old"
                    " JOIN extractor AS new USING (name, role) WHERE new.version > old.version"
                    " AND old.digest NOT IN (SELECT value FROM json_each(?)))",
                    json.dumps(list(used)),
                )
                database.execute(
                    f"DELETE FROM {table} WHERE extractor IN"
                    " (SELECT id FROM extractor WHERE role = 'extractor' OR id = 0)"
                    f" AND NOT EXISTS (SELECT * FROM source WHERE source.subject = {table}.subject)"
                )
            # A table, since there may be more pairs than parameters of a statement.
            database.execute("CREATE TEMP TABLE enriched (subject TEXT, extractor TEXT)")
            database.execute_many("INSERT INTO temp.enriched VALUES (?, ?)", enriched)
            database.execute(
                "DELETE FROM completion WHERE extractor IN (SELECT id FROM extractor WHERE role = 'enricher')"
                " AND (subject, extractor) NOT IN (SELECT subject.id, extractor.id FROM temp.enriched"
                " JOIN subject ON subject.digest = enriched.subject"
                " JOIN extractor ON extractor.digest = enriched.extractor)"
            )
            database.execute("DROP TABLE temp.enriched")
            database.execute(
                "DELETE FROM extractor WHERE id != 0 AND id NOT IN (SELECT extractor FROM completion)"
                " AND id NOT IN (SELECT extractor FROM failure)"
            )
            database.execute(
                "DELETE FROM subject WHERE NOT EXISTS (SELECT * FROM completion WHERE subject = subject.id)"
                " AND NOT EXISTS (SELECT * FROM source WHERE subject = subject.id)"
            )

    def drop_replaced(self) -> None:
        """Rewrite the shards that hold readings which were dropped or moved to other shards."""
        held = "(SELECT count(*) FROM completion WHERE completion.shard = shard.id)"
        sql = f"SELECT name FROM shard WHERE readings > {held} ORDER BY name"
        for (name,) in list(self._database.rows(sql)):
            self.shards.rewrite([name])

    def _merge_small(self) -> None:
        """Merge shards of similar size, so that their number grows with the logarithm of the number of records."""
        tier = _SMALLEST_TIER
        while tier <= _LARGEST_TIER:
            small = list(
                self._database.rows(
                    "SELECT name, coalesce(sum(bytes), 0) AS size FROM shard LEFT JOIN shard_file ON shard = shard.id"
                    # No build reads corrections again, so damage of other records must not reach them.
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
                        self.shards.rewrite(group)
                        group, size = [], 0
                if len(group) > 1:
                    self.shards.rewrite(group)
            tier *= 4

    def validate(self) -> Iterator[str]:
        """The problems of the index and the files, one at a time; nothing is changed."""
        yield from self._database.problems()
        yield from self.shards.problems()


def _rows_of(subjects: Collection[str], path: Path) -> pa.Table:
    """The rows of some subjects, from the row groups that can hold them."""
    column = pc.field("subject")
    # A range skips row groups; the exact subjects are chosen of what is left.
    between = (column >= min(subjects)) & (column <= max(subjects))
    table = pq.read_table(path, filters=between, partitioning=None)
    return table.filter(pc.is_in(table["subject"], pa.array(sorted(subjects))))
