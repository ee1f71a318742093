"""Merging shards into one that holds only readings in use, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kgscripts.records.kinds import KEY
from kgscripts.records.shards import READING, ShardWriter, WrittenShard

_ORDER = [(name, "ascending") for name in KEY.names]


def merge(
    folder: Path, files: Mapping[str, Sequence[Path]], readings: Mapping[str, Sequence[tuple[str, str]]]
) -> WrittenShard:
    """Write one shard from several: from each, the `readings` (subject, extractor) that the store uses. `files` are the
    files of each shard, one for each kind. Memory holds one row group of each shard.
    """
    kinds = sorted({path.parent.name for paths in files.values() for path in paths} - {READING})
    keep = {name: pa.array(map(" ".join, readings[name]), pa.string()) for name in files}
    with ShardWriter(folder) as writer:
        for kind in kinds:
            cursors = [
                _Cursor(path, keep[name]) for name, paths in files.items() for path in paths if path.parent.name == kind
            ]
            writer.write(kind, _merged(cursors))
        return writer.finish(sorted(reading for held in readings.values() for reading in held))


class _Cursor:
    """Reads the rows in use from one file, a row group at a time."""

    def __init__(self, path: Path, keep: pa.Array) -> None:
        self._file = pq.ParquetFile(path)
        self._groups = iter(range(self._file.num_row_groups))
        self._keep = keep
        self.rest: pa.Table | None = self._next()

    def _next(self) -> pa.Table | None:
        for group in self._groups:
            table = self._file.read_row_group(group)
            keys = pc.binary_join_element_wise(table["subject"], table["extractor"], " ")
            kept = table.filter(pc.is_in(keys, self._keep))
            if kept.num_rows:
                return kept
        self._file.close()
        return None

    def through(self, subject: str) -> Iterator[pa.Table]:
        """The rows not read yet up to `subject`, itself included."""
        while self.rest is not None:
            inside = pc.sum(pc.less_equal(self.rest["subject"], subject)).as_py()
            if inside:
                yield self.rest.slice(0, inside)
            if inside < self.rest.num_rows:
                self.rest = self.rest.slice(inside)
                return
            self.rest = self._next()


def _merged(cursors: Sequence[_Cursor]) -> Iterator[pa.Table]:
    while rests := [cursor.rest for cursor in cursors if cursor.rest is not None]:
        last = min(rest["subject"][-1].as_py() for rest in rests)
        table = pa.concat_tables(piece for cursor in cursors for piece in cursor.through(last))
        yield table.sort_by(_ORDER)
