"""Joining record stores, and removing inputs: readings are copied or dropped, and no text is read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from difflib import get_close_matches

from kgscripts.records.corrections import CORRECTIONS, add_corrections, read_corrections
from kgscripts.records.database import SOURCE
from kgscripts.records.inputs import InputIndex
from kgscripts.records.merging import merge
from kgscripts.records.store import RecordStore
from schemas.errors import InputError
from schemas.graph_directory import unwritable
from schemas.records import DiscardReason
from schemas.vocabulary import node_id

_SHORTEST_PREFIX = 8


def take_out(inputs: InputIndex, source: str, base_iri: str, input_key: Callable[[str], str]) -> list[str]:
    """Remove `source` from the inputs; the names of what was removed.

    `source` is the path or URL of an input (`input_key` gives its key), a document's name, its digest (or at least its
    first eight digits), node id or IRI.

    Raises
    ------
    InputError
        If `source` names no document, or more than one.
    """
    item = inputs.get(input_key(source))
    if item is not None:
        inputs.remove(item.key)
        return sorted(name for _, name in item.sources) or [source]
    identifier = source.removeprefix(base_iri)
    digests = {digest for digest, name in inputs.sources() if name == source} or {
        digest for digest, _ in inputs.sources() if _means(identifier, digest)
    }
    if len(digests) != 1:
        _refuse(inputs, source, sorted(digests))
    (digest,) = digests
    names = sorted(name for other, name in inputs.sources() if other == digest)
    inputs.remove_source(digest)
    return names


def _means(identifier: str, digest: str) -> bool:
    if identifier.startswith("source/"):
        return _key_hash(identifier) == _key_hash(node_id("Source", "", digest))
    return len(identifier) >= _SHORTEST_PREFIX and digest.startswith(identifier)


def _key_hash(identifier: str) -> str:
    """The part of a node's id that identifies it: the hash after the readable part."""
    return re.split("[/-]", identifier)[-1]


def _refuse(inputs: InputIndex, source: str, digests: list[str]) -> None:
    if digests:
        raise InputError(
            f"{len(digests)} sources go by {source!r}",
            remedy="name one by its digest: " + ", ".join(digest[:12] for digest in digests[:5]),
        )
    close = get_close_matches(source, {name for _, name in inputs.sources()}, 3)
    raise InputError(
        f"no source goes by {source!r}",
        remedy=f"did you mean {' or '.join(close)}?" if close else "give its name, its digest, its id or its file",
    )


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
