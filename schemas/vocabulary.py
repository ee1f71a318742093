"""Node ids and IRIs, the same on every machine.

An id is ``<prefix>/<slug>-<hash>``, ASCII and valid in an IRI: the slug is for readers, the hash of the key identifies
the node. An IRI is the graph's base IRI followed by the id.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from schemas.errors import RecordError
from schemas.installed_types import id_prefix, installed_node_types

ONTOLOGY_IRI = "https://w3id.org/kgscripts/ontology#"
DEFAULT_BASE_IRI = "https://w3id.org/kgscripts/data/"

ID_PREFIXES = {
    "Scenario": "scenario",
    "SubEvent": "sub-event",
    "Action": "action",
    "Tool": "tool",
    "Entity": "entity",
    "Attribute": "attribute",
    "StateChange": "state-change",
    "Source": "source",
    "Passage": "passage",
    "ChangeInstance": "change-instance",
    "Statement": "statement",
    "Model": "model",
    "BenchmarkScore": "score",
    "Correction": "correction",
    **{node_type.name: id_prefix(node_type.name) for node_type in installed_node_types()},
}
_TYPES = {prefix: node_type for node_type, prefix in ID_PREFIXES.items()}
_SLUG_LENGTH = 48
_HASH_DIGITS = 24


def slug(text: str) -> str:
    """A readable ASCII form of `text`, at most 48 characters; may be empty."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_text.lower()).strip("-")[:_SLUG_LENGTH].strip("-")


def node_id(node_type: str, readable: str, *key: str) -> str:
    """Return the id of the node of `node_type` with this `key`; only the slug depends on `readable`.

    The hash is the first 96 bits of the SHA-256 of ``<length>:<part>`` for the type and each part of the key, lengths
    in code points.
    """
    content = "".join(f"{len(part)}:{part}" for part in (node_type, *key))
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    words = slug(readable)
    return f"{ID_PREFIXES[node_type]}/{words}-{digest}" if words else f"{ID_PREFIXES[node_type]}/{digest}"


def node_type_of(identifier: str) -> str:
    """Return the node type of an id.

    Raises
    ------
    RecordError
        If the id begins with no known prefix.
    """
    try:
        return _TYPES[identifier.partition("/")[0]]
    except KeyError:
        raise RecordError(f"{identifier!r} is not a node id", remedy="ids begin with " + ", ".join(_TYPES)) from None
