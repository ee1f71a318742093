"""Taking sources out of the record store."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from kgscripts.assembly.store import RecordStore
from schemas.errors import InputError
from schemas.vocabulary import node_id

_SHORTEST_PREFIX = 8


def take_out(store: RecordStore, source: str, base_iri: str, input_key: Callable[[Path], str]) -> list[str]:
    """Take `source` out of the index; the names of what was taken out.

    `source` is the path of an input (`input_key` gives its key), a source's name, digest (or its first eight digits or
    more), node id or IRI.

    Raises
    ------
    InputError
        If nothing or more than one source is meant.
    """
    key = input_key(Path(source))
    if key in store.inputs:
        item = store.inputs[key]
        store.remove_input(key)
        return sorted(name for _, name in item.sources) or [source]
    identifier = source.removeprefix(base_iri)
    named = {(digest, name) for item in store.inputs.values() for digest, name in item.sources}
    digests = {digest for digest, name in named if source == name} or {
        digest for digest, _ in named if _means(identifier, digest)
    }
    if len(digests) != 1:
        _refuse(source, {name for _, name in named}, sorted(digests))
    (digest,) = digests
    store.remove_source(digest)
    return sorted(name for found, name in named if found == digest)


def _means(identifier: str, digest: str) -> bool:
    if identifier.startswith("source/"):
        return identifier[-16:] == node_id("Source", "", digest)[-16:]
    return len(identifier) >= _SHORTEST_PREFIX and digest.startswith(identifier)


def _refuse(source: str, names: set[str], digests: list[str]) -> None:
    if digests:
        raise InputError(
            f"{len(digests)} sources go by {source!r}",
            remedy="name one by its digest: " + ", ".join(digest[:12] for digest in digests[:5]),
        )
    close = get_close_matches(source, names, 3)
    raise InputError(
        f"no source goes by {source!r}",
        remedy=f"did you mean {' or '.join(close)}?" if close else "give its name, its digest, its id or its file",
    )
