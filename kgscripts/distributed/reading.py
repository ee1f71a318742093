"""Reading one piece: its documents -> shards of records in the folder of pieces, and a note that it is finished.

Shards are named by their content and written under other names first; the note is written last. So a piece that is read
twice, by two at once, or killed and read again, leaves the same. A piece of a plan in an object store is read in a
temporary folder and put there in the same order.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from kgscripts.building.build import Progress
from kgscripts.building.inputs import file_at
from kgscripts.building.jobs import CHARACTERS_A_SHARD, batches_of, in_parts, read_batches
from kgscripts.building.options import BuildOptions
from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.distributed.object_stores import Store, is_url
from kgscripts.distributed.plan import FOLDER, Portion, ReadingPlan
from kgscripts.distributed.sharing import Finished, Share
from kgscripts.records.database import SOURCE
from kgscripts.records.inputs import Input
from kgscripts.records.readings import Failure
from kgscripts.records.shards import Reading, write_shard
from schemas.arguments import path_of
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document


def read_piece(directory: str | Path, number: int, *, progress: Callable[[Progress], None] | None = None) -> Finished:
    """Read one piece of the plan in a graph directory, or under the URL where plan and pieces are shared; one that is
    finished is not read again.

    Raises
    ------
    ConfigurationError
        If there is no such piece, or this machine has other versions of extractors than the plan.
    InputError
        If an input has changed since the plan was made.
    ExtractorError
        With the option `strict`, at the first document on which an extractor fails.
    GraphDirectoryError
        If there is no plan, or records cannot be written.
    StoreError
        If an object store refuses or does not answer; the piece is then not finished.
    """
    if not is_url(directory):
        path = path_of("the directory", directory)
        plan = ReadingPlan.read(path)
        return _finished_before(path, plan.digest(number)) or _read(path, plan, number, progress)
    share = Share(Store.at(str(directory)))
    plan = share.plan()
    piece = plan.digest(number)
    with TemporaryDirectory(prefix="kgscripts-") as folder:
        path = Path(folder)
        share.fetch(piece, path)
        if (before := _finished_before(path, piece)) is not None:
            return before
        finished = _read(path, plan, number, progress)
        share.put(piece, path, finished)
    return finished


def _finished_before(path: Path, piece: str) -> Finished | None:
    """What the piece has left, if it is finished and undamaged."""
    finished = Finished.read(path, piece)
    return None if finished is None or finished.read_shards(path) is None else finished


def _read(path: Path, plan: ReadingPlan, number: int, progress: Callable[[Progress], None] | None) -> Finished:
    options, reader = _reader(plan)
    versions = frozenset(item.version for item in reader.extractors)
    finished = Finished()
    documents = _stored(_documents(plan.piece(number), options, finished), path / FOLDER, finished)
    batches = (Batch(each, versions) for each in batches_of(documents))
    for batch, written in read_batches(reader, path / FOLDER, batches, jobs=1):
        if written.shard is not None:
            finished.shards.append(written.shard.name)
        finished.failures.extend(written.failures)
        finished.documents += len(batch.documents)
        finished.words += sum(len(document.text.split()) for document in batch.documents)
        if progress is not None:
            progress(Progress(finished.documents, finished.documents, finished.words))
    finished.write(path, plan.digest(number))
    return finished


def _reader(plan: ReadingPlan) -> tuple[BuildOptions, DocumentReader]:
    """The options of a plan, and its extractors; those of the latest plan keep the models that they have loaded."""
    global _latest
    key = json.dumps([plan.options, plan.extractors], sort_keys=True, default=str)
    if _latest is None or _latest[0] != key:
        options, chosen, _ = plan.chosen()
        _latest = key, options, DocumentReader(chosen, options.spacy_model, options.strict)
    return _latest[1:]


_latest: tuple[str, BuildOptions, DocumentReader] | None = None


def divide_or_give_up(directory: str | Path, number: int, reason: str) -> bool:
    """Cut a piece that cannot be read in halves, and return True; if it has one document only, this one has failed.

    Raises what `read_piece` raises.
    """
    path = path_of("the directory", directory)
    plan = ReadingPlan.read(path)
    options, reader = _reader(plan)
    finished = Finished()
    documents = list(islice(_documents(plan.piece(number), options, finished), 2))
    if len(documents) == 2:
        plan.divided(number).write(path)
        return True
    list(_stored(documents, path / FOLDER, finished))
    finished.failures.extend(
        Failure(document.digest, item.version, DiscardReason.EXTRACTOR_FAILED, reason)
        for document in documents
        for item in reader.extractors
    )
    finished.write(path, plan.digest(number))
    return False


def _documents(portions: Iterable[Portion], options: BuildOptions, finished: Finished) -> Iterator[Document]:
    """The documents of the portions, each once; their inputs are noted in `finished`."""
    seen: set[str] = set()
    for portion in portions:
        (given,) = options.file_inputs([file_at(portion.path, portion.name)])
        if given.fingerprint() != portion.fingerprint:
            raise InputError(
                "the file has changed since the reading was split",
                where=portion.path,
                remedy="run `kgscripts split-reading` again; pieces of other files stay finished",
            )
        taken = Input(given.key, portion.fingerprint, complete=True)
        finished.inputs.append(taken)
        number = -1
        for item in given.items():
            if isinstance(item, Discard):
                # Each part meets all discards of the file.
                if portion.part == 0:
                    taken.add_discard(item)
                continue
            number += 1
            if number % portion.parts != portion.part:
                continue
            taken.sources.append((item.digest, item.name))
            if item.digest not in seen:
                seen.add(item.digest)
                yield item


def _stored(documents: Iterable[Document], folder: Path, finished: Finished) -> Iterator[Document]:
    """The documents, which are written as shards before the reading of those that follow."""
    for batch in in_parts(documents, CHARACTERS_A_SHARD, sys.maxsize):
        shard = write_shard(folder, [Reading(document.digest, SOURCE, [document]) for document in batch])
        finished.shards.append(shard.name)
        yield from batch
