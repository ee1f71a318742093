"""What a finished piece has left: its shards by name, its inputs with their documents, and what failed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Self
from uuid import uuid4

import attrs
from attrs import Factory, define

from kgscripts.distributed.plan import DAMAGED, FOLDER, structured
from kgscripts.records.failures import Failure
from kgscripts.records.inputs import Input
from kgscripts.records.shards import WrittenShard, read_shard
from schemas.graph_directory import durable, replace
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
        part = path.with_name(f".{path.name}.{os.getpid()}.{uuid4().hex[:8]}")
        with durable(part):
            part.write_text(json.dumps({"format": _FORMAT, **attrs.asdict(self)}), encoding="utf-8")
        replace(part, path)

    def read_shards(self, directory: Path) -> list[WrittenShard] | None:
        """Its shards, whose files are read and compared with their names; None if one is damaged or missing."""
        found = [read_shard(directory / FOLDER, name) for name in self.shards]
        whole = [shard for shard in found if shard is not None]
        return whole if len(whole) == len(found) else None


def note_path(directory: Path, piece: str) -> Path:
    """Where the note of a piece lies in a directory."""
    return directory / FOLDER / "finished" / f"{piece}.json"
