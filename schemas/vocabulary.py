"""Node ids and IRIs, the same on every machine.

An id is ``<prefix>/<slug>-<hash>``, ASCII and valid in an IRI: the slug is for readers, the hash of the key identifies
the node. An IRI is the graph's base IRI followed by the id. The base IRI is checked: each must be an IRI that every RDF
tool reads and writes alike.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
import unicodedata
from collections.abc import Iterator

from schemas.addresses import holds_user
from schemas.errors import ConfigurationError
from schemas.graph_types import NODE_TYPES
from schemas.type_declarations import id_prefix

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
    # With their lengths, so that different parts never give the same text.
    content = "".join(f"{len(part)}:{part}" for part in (node_type, *key))
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    words = slug(readable)
    return f"{ID_PREFIXES[node_type]}/{words}-{digest}" if words else f"{ID_PREFIXES[node_type]}/{digest}"


_LONGEST = 500
_HTTP = re.compile(r"https?://(?P<authority>[^/?#]*)(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?(?P<fragment>#.*)?", re.DOTALL)
_URN = re.compile(r"urn:[A-Za-z0-9][A-Za-z0-9-]{0,30}[A-Za-z0-9]:(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?P<fragment>#.*)?")
_AUTHORITY = re.compile(r"(?P<host>\[[^\[\]]*\]|[^/?#:\[\]]*)(?::(?P<port>[0-9]{1,5}))?")
_HIGHEST_PORT = 65_535
_ASCII = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:/?#[]%")
_UNSEEN = ("C", "Z")
"""Unicode categories of controls, formats, surrogates, private and unassigned code points, and spaces."""


def check_base_iri(value: str) -> None:
    """Check that `value` followed by the id of a node is an IRI (RFC 3987; http, https or urn).

    Stricter than the RFC where tools differ: no dot segments, no @, no invisible characters, at most 500 characters.

    Raises
    ------
    ConfigurationError
        If it is not; the message says what is wrong.
    """
    if holds_user(value):
        raise ConfigurationError(
            "the base IRI contains an @", remedy="leave out the user: all IRIs of the graph repeat the base IRI"
        )
    fault = next(_faults(value), None)
    if fault is not None:
        shown = value if len(value) <= 100 else value[:100] + "..."
        raise ConfigurationError(
            f"{shown!r} is no base IRI: {fault}",
            remedy="give an http, https or urn IRI that ends in / or # or :, such as https://example.org/kg/",
        )


def _faults(value: str) -> Iterator[str]:
    if not value:
        yield "it is empty"
    if len(value) > _LONGEST:
        yield f"it has {len(value):,} characters, more than {_LONGEST}"
    for char in value:
        if not _is_allowed(char):
            yield f"it contains {_named(char)}"
    if match := re.search(r"%(?![0-9A-Fa-f]{2}).{0,2}", value):
        yield f"{match[0]} is no percent-encoded byte"
    if not value.startswith(("http://", "https://", "urn:")):
        yield "it begins with neither http:// nor https:// nor urn:"
    if not value.endswith(("/", "#", ":")):
        yield "it does not end in / or # or :"
    parts = (_URN if value.startswith("urn:") else _HTTP).fullmatch(value)
    if parts is None:
        yield "it has no namespace, as in urn:example:"
        return
    if "authority" in parts.re.groupindex:
        yield from _authority_faults(parts["authority"])
    if re.search(r"[\[\]]", (parts["path"] or "") + (parts["query"] or "") + (parts["fragment"] or "")):
        yield "it contains a bracket outside the host"
    if "#" in (parts["fragment"] or "")[1:]:
        yield "it contains # twice"
    if {".", ".."} & set((parts["path"] or "").split("/")):
        yield "its path contains . or .. as a segment"


def _authority_faults(authority: str) -> Iterator[str]:
    # Some libraries read U+2100 as a/c, to which it is equivalent.
    equivalent = unicodedata.normalize("NFKC", authority)
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None or _AUTHORITY.fullmatch(equivalent) is None:
        yield f"{authority} is neither a host nor a host and a port"
        return
    if not parts["host"]:
        yield "it has no host"
    if parts["port"] and int(parts["port"]) > _HIGHEST_PORT:
        yield f"{parts['port']} is no port"
    if parts["host"].startswith("["):
        try:
            # Python accepts zones (%eth0); IRIs have none.
            ipaddress.IPv6Address(parts["host"][1:-1].replace("%", "?"))
        except ValueError:
            yield f"{parts['host']} is no IPv6 address"


def _is_allowed(char: str) -> bool:
    """Whether an IRI may contain the character (`ucschar` of the RFC) and a reader can see it."""
    if char.isascii():
        return char in _ASCII
    is_special = "\ufff0" <= char <= "\uffff" or "\U000e0000" <= char <= "\U000e0fff"
    return unicodedata.category(char)[0] not in _UNSEEN and not is_special


def _named(char: str) -> str:
    return f"{char!r} ({unicodedata.name(char, f'U+{ord(char):04X}')})"
