"""Plan and pieces in an object store, for machines that share no folder::

plan.json the plan <piece>/<kind>/<shard>.parquet records of a piece, under its digest <piece>/finished.json its note,
put last

The note of a piece has its shards by name, its inputs with their documents, and what failed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Self
from uuid import uuid4

import attrs
from attrs import Factory, define, frozen

from kgscripts.distributed.object_stores import Store
from kgscripts.distributed.plan import DAMAGED, FOLDER, PLAN, ReadingPlan, no_plan, structured
from kgscripts.records.inputs import Input
from kgscripts.records.readings import Failure
from kgscripts.records.shards import WrittenShard, read_shard, shard_path
from schemas.errors import DamagedIndexError, StoreError
from schemas.graph_directory import durable, replace, write_durably
from schemas.input_files import open_regular

_FORMAT = 1


@define(kw_only=True)
class Finished:
    """The note of one piece, under its digest (`Plan.digest`).

    The name of a shard is a digest of its files, so that a shard that is damaged or foreign is recognised.
    """

    documents: int = 0
    words: int = 0
    shards: list[str] = Factory(list)
    inputs: list[Input] = Factory(list)
    failures: list[Failure] = Factory(list)

    @classmethod
    def read(cls, directory: Path, piece: str) -> Self | None:
        """The note of a piece; None if there is none, or only a half or damaged one."""
        try:
            with open_regular(note_path(directory, piece)) as stream:
                content = json.loads(stream.read())
            if content.pop("format") != _FORMAT or content.keys() != attrs.fields_dict(cls).keys():
                return None
            return structured(content, cls)
        except (OSError, *DAMAGED):
            return None

    def write(self, directory: Path, piece: str) -> None:
        """Write the note of a piece; a file is replaced as a whole."""
        path = note_path(directory, piece)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Two machines that share the folder may have read the same piece.
        part = path.with_name(f".{path.name}.{os.getpid()}.{uuid4().hex[:8]}")
        with durable(part):
            part.write_text(json.dumps({"format": _FORMAT, **attrs.asdict(self)}), encoding="utf-8")
        replace(part, path)

    def read_shards(self, directory: Path) -> list[WrittenShard] | None:
        """Its shards, whose files are read and compared with their names; None if one is damaged or missing."""
        shards = [read_shard(directory / FOLDER, name) for name in self.shards]
        whole = [shard for shard in shards if shard is not None]
        return whole if len(whole) == len(shards) else None


def note_path(directory: Path, piece: str) -> Path:
    """Where the note of a piece lies in a directory."""
    return directory / FOLDER / "finished" / f"{piece}.json"


_NOTE = "finished.json"


@frozen
class Share:
    """The folder of an object store that has the plan and the pieces. All methods raise StoreError if it has no access
    or does not answer.
    """

    store: Store

    def plan(self) -> ReadingPlan:
        """The plan; raises GraphDirectoryError if there is none, or it is damaged."""
        where = f"{self.store.url}/{PLAN}"
        content = self.store.read(PLAN)
        if content is None:
            self.store.find()  # There may be no such bucket.
            raise no_plan(where)
        return ReadingPlan.parsed(content.decode("utf-8", "replace"), where)

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
            name = f"{piece}/{kind}/{file}"
            if (content := self.store.read(name)) is None:
                raise StoreError("the object is gone", where=f"{self.store.url}/{name}", remedy="read its piece again")
            write_durably(path, content)
        write_durably(note_path(directory, piece), note)

    def put(self, piece: str, directory: Path, finished: Finished) -> None:
        """Put what a piece has left there, the note last."""
        folder = directory / FOLDER
        for shard in finished.shards:
            for path in sorted(folder.glob(f"*/{shard}.parquet")):
                self.store.write(f"{piece}/{path.relative_to(folder).as_posix()}", path.read_bytes())
        self.store.write(f"{piece}/{_NOTE}", note_path(directory, piece).read_bytes())
