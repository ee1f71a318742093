"""The record store: all that was ever read in a graph directory, by source; the graph is made of this alone.

Shards hold readings by the digests of source and reader, whoever gave the source. The index says which inputs the
graph is made of. A reading is in a shard before an input that needs it is in the index, so that a kill at any moment
loses at most what was read since the last `flush`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import asdict

from kgscripts.assembly.index import Input, read_index, write_index
from kgscripts.assembly.shards import RECORDS, Shard, merged
from schemas.errors import GraphDirectoryError, RecordError
from schemas.graph_directory import durable
from schemas.provenance import BenchmarkScore, Model

_SMALLEST_TIER = 1 << 16
_LARGEST_TIER = 1 << 24
_SHARDS_A_TIER = 4


def reader_digest(models: Iterable[Model]) -> str:
    """What names the models that read together."""
    return hashlib.sha256("\n".join(model.digest for model in models).encode()).hexdigest()


class RecordStore:
    """The folder ``records`` of a graph directory, which must be held by `graph_directory.locked`."""

    def __init__(self, folder: Path) -> None:
        """Open the store; a damaged shard is renamed to ``*.damaged``, so that its sources count as unread.

        Raises
        ------
        GraphDirectoryError
            If the index is damaged.
        """
        self._folder = folder
        folder.mkdir(exist_ok=True)
        self.damaged: list[Path] = []
        self.inputs = read_index(folder / "index.parquet")
        self.readers = _read_readers(folder / "readers.json")
        self._pending: list[pa.RecordBatch] = []
        self._shards: list[Shard] = []
        self._holders: dict[tuple[str, str], Path | None] = {}
        for path in sorted(folder.glob("*.parquet")):
            if path.name != "index.parquet":
                self._open(path)
        self._changed = False

    def _open(self, path: Path) -> None:
        try:
            self._hold(Shard.open(path))
        except GraphDirectoryError:
            self.damaged.append(path.replace(path.with_suffix(".damaged")))

    def _hold(self, shard: Shard) -> None:
        self._shards.append(shard)
        for key in shard.keys:
            if self._holders.get(key) is None:
                self._holders[key] = shard.path

    def has(self, digest: str, reader: str) -> bool:
        """Whether this reader's reading of this source is here."""
        return (digest, reader) in self._holders and reader in self.readers

    def is_current(self, key: str, fingerprint: str, reader: str) -> bool:
        """Whether an input was read whole, by this reader, and all of it is here."""
        known = self.inputs.get(key)
        return (
            known is not None
            and known.complete
            and known.fingerprint == fingerprint
            and all(found == reader and self.has(digest, found) for (digest, _), found in known.sources.items())
        )

    def add_reader(self, models: tuple[Model, ...]) -> str:
        """Make a reader known, with the scores of its models as they are now; its digest.

        The first model reads for the others, which are the reader's extractors in their order.
        """
        digest = reader_digest(models)
        now = {(model.name, model.digest): model for model in models}
        readers = {
            known: tuple(now.get((model.name, model.digest), model) for model in those)
            for known, those in (self.readers | {digest: models}).items()
        }
        if readers != self.readers:
            self.readers = readers
            self._write_readers()
        return digest

    def add_readings(self, batch: pa.RecordBatch) -> None:
        """Take in readings, as `shards.encode` gives them."""
        self._pending.append(batch)
        self._holders.update(((digest, reader), None) for digest, reader in _keys(batch))

    def add_input(self, item: Input) -> None:
        """Put an input into the place of what it gave before; its readings must have been taken in."""
        known = self.inputs.pop(item.key, None)
        if known is not None and not item.complete and known.fingerprint == item.fingerprint:
            item.complement(known)
        self.inputs[item.key] = item
        self._changed = True

    def remove_input(self, key: str) -> None:
        """Take an input out with all that it gave."""
        del self.inputs[key]
        self._changed = True

    def remove_source(self, digest: str) -> None:
        """Take a source out of every input; what is left of them counts as incomplete, so that it can come back."""
        for key, item in list(self.inputs.items()):
            kept = {source: reader for source, reader in item.sources.items() if source[0] != digest}
            if len(kept) < len(item.sources):
                self._changed = True
                if kept:
                    item.sources, item.complete = kept, False
                else:
                    del self.inputs[key]

    @property
    def pending_bytes(self) -> int:
        """Size of what was taken in since the last `flush`."""
        return sum(batch.nbytes for batch in self._pending)

    def flush(self) -> None:
        """Make the readings durable. The index, which grows with all that was ever read, waits for `commit`."""
        if self._pending:
            self._hold(Shard.write(self._folder, pa.Table.from_batches(self._pending, schema=RECORDS)))
            self._pending.clear()
            self._merge_small()

    def commit(self) -> None:
        """Make all that was taken in durable, readings first."""
        self.flush()
        if self._changed:
            write_index(self._folder / "index.parquet", self.inputs.values())
            self._changed = False

    def wanted(self) -> dict[str, str]:
        """The sources that the inputs give, each with its reader: that of the input which was read last."""
        return {digest: reader for item in self.inputs.values() for (digest, _), reader in item.sources.items()}

    def check(self) -> None:
        """Check that every source that the inputs give is here.

        Raises
        ------
        GraphDirectoryError
            If some were lost with a damaged shard.
        """
        lost = [
            item.key
            for item in self.inputs.values()
            if not all(self.has(digest, reader) for (digest, _), reader in item.sources.items())
        ]
        if lost:
            more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
            raise GraphDirectoryError(
                "a file of records was damaged or lost",
                where=str(self._folder),
                remedy=f"build again from {', '.join(lost[:3])}{more}, or take it out with `kgscripts remove`",
            )

    def compact(self) -> None:
        """Drop readings that no input needs, merge small shards, forget readers without readings."""
        wanted = self.wanted()
        for shard in list(self._shards):
            keep = {key for key in shard.keys if wanted.get(key[0]) == key[1] and self._holders[key] == shard.path}
            if len(keep) < len(shard.keys):
                self._replace([shard], shard.read(keep))
        self._merge_small()
        used = set(wanted.values())
        if used != set(self.readers):
            self.readers = {digest: models for digest, models in self.readers.items() if digest in used}
            self._write_readers()
        for path in self._folder.glob("*.damaged"):
            path.unlink()

    def models(self) -> list[Model]:
        """The models that read what is in the graph, each once."""
        used = {
            (model.name, model.digest): model
            for reader in set(self.wanted().values())
            for model in self.readers[reader]
        }
        return [model for _, model in sorted(used.items())]

    def batches(self, rows: int = 256) -> Iterator[pa.RecordBatch]:
        """All records of the graph, ascending by source, `rows` sources at a time."""
        return merged(self._shards, self.wanted(), rows)

    def _merge_small(self) -> None:
        """Merge shards of like size, so that their number grows with the logarithm of what they hold."""
        tier = _SMALLEST_TIER
        while tier <= _LARGEST_TIER:
            small = [shard for shard in self._shards if shard.bytes < tier]
            if len(small) >= _SHARDS_A_TIER:
                self._replace(small, pa.concat_tables([shard.read() for shard in small]))
            tier *= 4

    def _replace(self, old: list[Shard], rows: pa.Table) -> None:
        new = Shard.write(self._folder, rows) if rows.num_rows else None
        for shard in old:
            self._shards.remove(shard)
            for key in shard.keys:
                if self._holders.get(key) == shard.path:
                    del self._holders[key]
            if new is None or new.path != shard.path:
                shard.path.unlink()
        if new is not None:
            self._hold(new)

    def _write_readers(self) -> None:
        content = {digest: [asdict(model) for model in models] for digest, models in self.readers.items()}
        path = self._folder / "readers.json"
        part = path.with_suffix(".part")
        with durable(part):
            part.write_text(json.dumps(content, indent=1, sort_keys=True), encoding="utf-8")
        part.replace(path)


def _keys(batch: pa.RecordBatch) -> Iterable[tuple[str, str]]:
    return zip(batch["digest"].to_pylist(), batch["reader"].to_pylist(), strict=True)


def _read_readers(path: Path) -> dict[str, tuple[Model, ...]]:
    if not path.exists():
        return {}
    try:
        content: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
        return {digest: tuple(_model(model) for model in models) for digest, models in content.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecordError) as error:
        raise GraphDirectoryError(
            f"the list of readers is damaged ({error})",
            where=str(path),
            remedy="delete this file and build again from all inputs: what was read is read again",
        ) from error


def _model(row: dict[str, Any]) -> Model:
    return Model(**row | {"scores": [BenchmarkScore(**score) for score in row["scores"]]})
