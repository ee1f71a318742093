"""Requests of the SPARQL 1.1 Protocol (W3C Recommendation, 21 March 2013, section 2), for a server that only reads, and
which media type of an answer a client prefers (RFC 9110, section 12)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote_to_bytes

from attrs import frozen

RESULTS = (
    "application/sparql-results+json",
    "application/sparql-results+xml",
    "text/csv",
    "text/tab-separated-values",
)
"""Media types of the answers of SELECT and ASK; the first one if a client prefers none."""
TRIPLES = ("text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json")
"""Media types of the answers of CONSTRUCT and DESCRIBE."""

_ALIASES = {
    "application/json": RESULTS[0],
    "application/xml": RESULTS[1],
    "text/xml": RESULTS[1],
    "text/plain": TRIPLES[1],
}
_QUALITY = re.compile(r"\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*", re.IGNORECASE)
_MOST_RANGES = 64


def preferred(accept: str | None, offered: Sequence[str]) -> str | None:
    """The media type of `offered` that an Accept header prefers, the first one without a header; None if it takes none.

    A more specific range counts before a less specific one, and of equal quality the first offered.
    """
    if accept is None or not accept.strip():
        return offered[0]
    ranges = [_range(part) for part in accept.split(",")[:_MOST_RANGES]]
    best, quality = None, 0.0
    for media in offered:
        closest = max(((_fits(name, media), q) for name, q in ranges if _fits(name, media)), default=(0, 0.0))
        if closest[1] > quality:
            best, quality = media, closest[1]
    return best


def _range(text: str) -> tuple[str, float]:
    name, *parameters = text.split(";")
    quality = next((float(match[1]) for item in parameters if (match := _QUALITY.fullmatch(item))), 1.0)
    media = name.strip().lower()
    return media, quality


def _fits(name: str, media: str) -> int:
    """How specifically a range has the media type: 0 for not at all."""
    if name == media or _ALIASES.get(name) == media:
        return 3
    kind, _, rest = name.partition("/")
    if rest == "*":
        return 1 if kind == "*" else 2 * (media.partition("/")[0] == kind)
    return 0


FORM, DIRECT = "application/x-www-form-urlencoded", "application/sparql-query"
_UPDATE = "application/sparql-update"
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|\\^`]*")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_READ_ONLY = "this server only reads: send a query (SELECT, ASK, CONSTRUCT, DESCRIBE), no update"


class ProtocolError(Exception):
    """A request that the protocol does not allow: its status and what is wrong."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@frozen(kw_only=True)
class ProtocolRequest:
    """A query with its data set; without graphs, those of the query or of the server count."""

    query: str
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()


def read_request(method: str, query_string: str, content_type: str | None, body: bytes) -> ProtocolRequest | None:
    """The query of a request; None for a GET without parameters, which asks for the service description.

    The method is GET, HEAD or POST. Raises ProtocolError with the status 400 or 415.
    """
    if method in ("GET", "HEAD"):
        parameters = _parameters(query_string)
        return _request(parameters, parameters) if parameters else None
    media, charset = _media_type(content_type)
    if charset not in ("", "utf-8", "us-ascii"):
        raise ProtocolError(415, f"the body has the character set {charset}: send UTF-8")
    if media == DIRECT:
        return _request([("query", _text(body)), *_parameters(query_string)], _parameters(query_string))
    if media == FORM:
        # The address should have no parameters then, but the W3C's own test query_post_form names a graph there.
        parameters = [*_parameters(query_string), *_parameters(_text(body))]
        return _request(parameters, parameters)
    if media == _UPDATE:
        raise ProtocolError(400, _READ_ONLY)
    raise ProtocolError(415, f"the body is of the type {media or 'unknown'}: send {DIRECT} or {FORM}")


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI that can stand in a query."""
    return _IRI.fullmatch(text) is not None


def _request(parameters: Sequence[tuple[str, str]], graphs: Sequence[tuple[str, str]]) -> ProtocolRequest:
    if any(name == "update" for name, _ in parameters):
        raise ProtocolError(400, _READ_ONLY)
    queries = [value for name, value in parameters if name == "query"]
    if len(queries) != 1:
        raise ProtocolError(400, f"there are {len(queries)} queries: send one in the parameter query")
    return ProtocolRequest(
        query=queries[0],
        default_graphs=tuple(_graphs(graphs, "default-graph-uri")),
        named_graphs=tuple(_graphs(graphs, "named-graph-uri")),
    )


def _graphs(parameters: Sequence[tuple[str, str]], wanted: str) -> Iterator[str]:
    for name, value in parameters:
        if name == wanted:
            if not is_iri(value):
                raise ProtocolError(400, f"{wanted} is no absolute IRI")
            yield value


def _parameters(text: str) -> list[tuple[str, str]]:
    """The parameters of a query string or form, in their order."""
    if _PERCENT.search(text):
        raise ProtocolError(400, "a percent sign is not followed by two hexadecimal digits")
    pairs = (part.partition("=") for part in text.split("&") if part)
    return [(_decoded(name), _decoded(value)) for name, _, value in pairs]


def _decoded(text: str) -> str:
    return _text(unquote_to_bytes(text.replace("+", " ")))


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolError(400, f"byte {error.start} is no UTF-8") from None


def _media_type(content_type: str | None) -> tuple[str, str]:
    media, *parameters = (content_type or "").split(";")
    charset = ""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip('"').lower()
    return media.strip().lower(), charset
