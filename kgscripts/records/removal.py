"""Removing documents from the inputs of a record store, by any of their names."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from kgscripts.records.inputs import InputIndex
from schemas.errors import InputError
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
    names = sorted(name for found, name in inputs.sources() if found == digest)
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
