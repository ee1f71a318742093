"""Finished pieces -> records of a graph directory -> graph."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from attrs import define, evolve, field, frozen

from kgscripts.building.build import Build, Progress
from kgscripts.building.inputs import place_key
from kgscripts.building.making import make_graph
from kgscripts.building.reading import DocumentReader
from kgscripts.building.report import BuildReport
from kgscripts.distributed.object_stores import Store
from kgscripts.distributed.plan import FOLDER, ReadingPlan
from kgscripts.distributed.sharing import Finished, Share
from kgscripts.records.inputs import Input
from kgscripts.records.shards import PART, WrittenShard, shard_path
from kgscripts.records.store import RecordStore
from schemas.arguments import path_of
from schemas.errors import GraphDirectoryError
from schemas.graph_directory import unwritable


@frozen
class TakenIn:
    """The graph of what is finished, and the pieces that are not, each with the reason; `place` is where they are read,
    a directory or a URL."""

    report: BuildReport
    missing: Mapping[int, str]
    place: str


def take_in_pieces(
    directory: str | Path,
    *,
    memory: int | None = None,
    jobs: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> TakenIn:
    """Take the finished pieces of the plan in a graph directory in, and assemble the graph of all records.

    Pieces that are shared in an object store are fetched. The graph has the documents of the finished pieces; the same
    call takes further ones in. After the last one the folder of the pieces is removed.

    Raises
    ------
    GraphDirectoryError
        If there is no plan, no piece is finished, or the directory is in use, damaged or cannot be written.
    ConfigurationError
        If this machine has other versions of extractors than the plan.
    StoreError
        If an object store refuses or does not answer.
    """
    path = path_of("the directory", directory)
    plan = ReadingPlan.read(path)
    options, chosen, enrichers = plan.chosen()
    taking = _Taking(path, plan)
    reader = DocumentReader(chosen, options.spacy_model, options.strict)
    making = evolve(options, memory=memory, jobs=jobs)
    report = make_graph(path, reader, enrichers, making, taking.take_in, (), progress)
    if not taking.missing:
        _remove(path / FOLDER)
    return TakenIn(report, taking.missing, plan.share or str(path))


@define
class _Taking:
    directory: Path
    plan: ReadingPlan
    missing: dict[int, str] = field(factory=dict, init=False)

    def take_in(self, build: Build) -> None:
        """Add what all finished pieces have left to the records."""
        store = build.store
        for chosen in build.reader.extractors:
            store.extractors.add(chosen.version, chosen.extractor.name, "extractor", chosen.models)
        self.missing = {}
        of_input: dict[str, list[Input]] = {}
        for number in range(len(self.plan.pieces)):
            note, shards = self._left_by(self.plan.digest(number))
            if note is None:
                self.missing[number] = "not finished"
            elif shards is None:
                self.missing[number] = "damaged"
            else:
                _place(self.directory, store, shards)
                store.commit(shards, failures=note.failures, merge=False)
                build.tried |= {(failure.subject, failure.extractor) for failure in note.failures}
                build.run.sources_read += note.documents
                build.run.words_read += note.words
                for item in note.inputs:
                    of_input.setdefault(item.key, []).append(item)
        if self.missing and len(self.missing) == len(self.plan.pieces):
            raise GraphDirectoryError(
                f"no piece of the reading is finished (of {len(self.plan.pieces):,})",
                where=str(self.directory),
                remedy="read them: kgscripts read-piece DIR --piece N",
            )
        parts = Counter(place_key(portion.path) for piece in self.plan.pieces for portion in piece)
        store.commit(inputs=[_joined(items, parts[key]) for key, items in of_input.items()])
        build.run.inputs_read = len(of_input)

    def _left_by(self, piece: str) -> tuple[Finished | None, list[WrittenShard] | None]:
        """The note of a piece and its shards, each None if it is missing or damaged; fetched where it is shared."""
        for fetch in (False, True) if self.plan.share else (False,):
            if fetch:
                Share(Store.at(self.plan.share)).fetch(piece, self.directory)
            note = Finished.read(self.directory, piece)
            shards = None if note is None else note.read_shards(self.directory)
            if shards is not None:
                break
        return note, shards


def _remove(folder: Path) -> None:
    """Remove the folder of pieces; stopped meanwhile, it is no longer one."""
    removed = folder.with_name(f".{folder.name}")
    with suppress(OSError):
        # Left by a call that was killed.
        shutil.rmtree(removed, ignore_errors=True)
        folder.rename(removed)
        shutil.rmtree(removed)


def _joined(items: Sequence[Input], parts: int) -> Input:
    """An input of the portions of one file; it is complete if all its parts are there."""
    joined = evolve(
        items[0], complete=len(items) == parts, sources=[source for item in items for source in item.sources]
    )
    for item in items:
        # Only the first portion of a file lists what is wrong with it.
        if item.discards:
            joined.discards, joined.unlisted = item.discards, item.unlisted
    return joined


def _place(directory: Path, store: RecordStore, shards: Iterable[WrittenShard]) -> None:
    """Put the files of shards into the folder of records, where another name of the same file takes no room."""
    for shard in shards:
        for file in shard.files:
            target = shard_path(store.folder, file.kind, shard.name)
            if target.exists():
                continue
            source = shard_path(directory / FOLDER, file.kind, shard.name)
            # Under another name until it is complete.
            part = target.with_name(f"{uuid4().hex}{PART}")
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(source, part)
                except OSError:  # Another file system, or one without links.
                    shutil.copyfile(source, part)
                part.replace(target)
            except OSError as error:
                part.unlink(missing_ok=True)
                raise unwritable(target.parent, error) from error
