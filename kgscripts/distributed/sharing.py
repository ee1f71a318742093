"""Plan and pieces in an object store, for machines that share no folder::

plan.json                        the plan
<piece>/<kind>/<shard>.parquet   records of a piece, under its digest
<piece>/finished.json            its note, put last
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from attrs import frozen

from kgscripts.distributed.finished import Finished, note_path
from kgscripts.distributed.object_stores import Store
from kgscripts.distributed.plan import FOLDER, PLAN, Plan, no_plan
from kgscripts.records.shards import shard_path
from schemas.errors import DamagedIndexError, StoreError
from schemas.graph_directory import durable, replace

_NOTE = "finished.json"


@frozen
class Share:
    """The folder of an object store that has the plan and the pieces. All methods raise StoreError if it has no access
    or does not answer.
    """

    store: Store

    @classmethod
    def at(cls, url: str) -> Self:
        """What is shared under a URL; raises ConfigurationError if it is none of an object store."""
        return cls(Store.at(url))

    def plan(self) -> Plan:
        """The plan; raises GraphDirectoryError if there is none, or it is damaged."""
        where = f"{self.store.url}/{PLAN}"
        content = self.store.read(PLAN)
        if content is None:
            self.store.find()  # There may be no such bucket.
            raise no_plan(where)
        return Plan.parsed(content.decode("utf-8", "replace"), where)

    def fetch(self, piece: str, directory: Path) -> None:
        """Fetch what a finished piece has left into the folder of pieces of a directory, the note last."""
        note = self.store.read(f"{piece}/{_NOTE}")
        if note is None:
            return
        for item in Store(f"{self.store.url}/{piece}").find():
            *_, kind, file = item.url.split("/")
            try:
                path = shard_path(directory / FOLDER, kind, file.removesuffix(".parquet"))
            except DamagedIndexError:  # No file of a shard: the note, or what somebody else has put there.
                continue
            self._fetch(f"{piece}/{kind}/{file}", path)
        _write(note_path(directory, piece), note)

    def _fetch(self, name: str, path: Path) -> None:
        content = self.store.read(name)
        if content is None:
            raise StoreError("the object is gone", where=f"{self.store.url}/{name}", remedy="read its piece again")
        _write(path, content)

    def put(self, piece: str, directory: Path, found: Finished) -> None:
        """Put what a piece has left there, the note last."""
        folder = directory / FOLDER
        for shard in found.shards:
            for path in sorted(folder.glob(f"*/{shard}.parquet")):
                self.store.write(f"{piece}/{path.relative_to(folder).as_posix()}", path.read_bytes())
        self.store.write(f"{piece}/{_NOTE}", note_path(directory, piece).read_bytes())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with durable(part):
        part.write_bytes(content)
    replace(part, path)
