"""Content negotiation (RFC 9110, section 12): which media type of an answer a client prefers."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
        found = max(((_fits(name, media), q) for name, q in ranges if _fits(name, media)), default=(0, 0.0))
        if found[1] > quality:
            best, quality = media, found[1]
    return best


def _range(text: str) -> tuple[str, float]:
    name, *parameters = text.split(";")
    quality = next((float(found[1]) for item in parameters if (found := _QUALITY.fullmatch(item))), 1.0)
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
