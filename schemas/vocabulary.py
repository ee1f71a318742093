"""Node ids and IRIs, the same on every machine.

An id is ``<prefix>/<slug>-<hash>``, ASCII and valid in an IRI: the slug is for readers, the hash of the key identifies
the node. An IRI is the graph's base IRI followed by the id.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from schemas.graph_types import NODE_TYPES
from schemas.installed_types import id_prefix

ONTOLOGY_IRI = "https://w3id.org/kgscripts/ontology#"
DEFAULT_BASE_IRI = "https://w3id.org/kgscripts/data/"

ID_PREFIXES = {name: id_prefix(name) for name in NODE_TYPES} | {"BenchmarkScore": "score"}
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
