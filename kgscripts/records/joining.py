"""Joining record stores: readings and inputs of one are copied into another; no text is read again."""

from __future__ import annotations

from collections.abc import Collection

from kgscripts.records.corrections import CORRECTIONS, add_corrections, read_corrections
from kgscripts.records.database import SOURCE
from kgscripts.records.merging import merge
from kgscripts.records.store import RecordStore
from schemas.errors import InputError
from schemas.graph_directory import unwritable
from schemas.records import DiscardReason


def join(target: RecordStore, source: RecordStore, versions: Collection[str]) -> None:
    """Copy documents, inputs and corrections of `source` into `target`, and the readings and failures of `versions`.

    Records that `target` has are not copied: a document of both counts once, and is a failure only if both failed on
    it. Memory holds one row group of each shard.

    Raises
    ------
    InputError
        If both have read an input, and found other contents in it.
    GraphDirectoryError
        If records are damaged, or cannot be written.
    """
    for digest, entry in source.extractors.all().items():
        if digest not in (SOURCE, CORRECTIONS) and (digest in versions or entry.role == "enricher"):
            target.extractors.add(digest, entry.name, entry.role, entry.models)
    known = target.extractors.all().keys() - {CORRECTIONS}
    # What was read of a document without the records of an extractor that failed on it is replaced.
    partly = {item.failure.subject for item in target.failures.all(versions)}
    partly -= {item.failure.subject for item in source.failures.all(versions)}
    for name, readings, files in source.shards.all():
        wanted = [
            reading
            for reading in readings
            if reading[1] in known
            and ((reading[0] in partly and reading[1] in versions) or not target.readings.has(*reading))
        ]
        if wanted:
            try:
                target.commit([merge(target.folder, {name: files}, {name: wanted})])
            except OSError as error:
                raise unwritable(target.folder, error) from error
    if partly:
        target.drop_replaced()
    with target.transaction():
        for item in source.inputs.all():
            present = target.inputs.get(item.key)
            if present is not None and present.fingerprint != item.fingerprint:
                raise InputError(
                    "both graphs have read it, with other contents or options",
                    where=item.key,
                    remedy="build one of the graphs from it again, then merge",
                )
            # A complete input has all that an incomplete one has.
            if present is None or item.complete or not present.complete:
                target.inputs.put(item)
        # After the documents; a document that either graph has read is no failure.
        failed = {
            (item.failure.subject, item.failure.extractor)
            for item in target.failures.all(versions)
            if item.failure.reason is DiscardReason.EXTRACTOR_FAILED
        }
        target.failures.put(
            item.failure
            for item in source.failures.all(versions)
            if (item.failure.subject, item.failure.extractor) not in failed
        )
    add_corrections(target, read_corrections(source))
