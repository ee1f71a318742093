"""What the head of a page says of it: its title, canonical address and licence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urljoin

from lxml.etree import _Element

from kgscripts.corpora.web.json_ld import Item
from kgscripts.corpora.web.markup import found_by, line_of

_SITE = re.compile(r"\s+[|»«•·—–-]\s+|\s*[|»]\s*")
_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+", re.IGNORECASE)
_LONGEST = 2_000
_MOST = 50
"""The most titles and headings that are compared."""


def title_of(tree: _Element) -> str:
    """The title of a page without the name of its site: its first heading, if the title of the page begins with it."""
    said = found_by(tree, "//meta[@property='og:title']/@content | //head/title/text()")
    titles = [line_of(text) for text in said[:_MOST]]
    headings = [line_of(" ".join(heading.itertext())) for heading in found_by(tree, "//h1")[:_MOST]]
    headings = [heading for heading in headings if heading]
    for heading in headings:
        if any(title.lower().startswith(heading.lower()) for title in titles):
            return heading
    if titles:
        return _SITE.split(titles[0])[0].strip() or titles[0]
    return headings[0] if headings else ""


def address_of(tree: _Element) -> str:
    """The canonical address of a page, "" if it names none."""
    found = found_by(
        tree,
        "//link[contains(concat(' ', normalize-space(@rel), ' '), ' canonical ')]/@href"
        " | //meta[@property='og:url']/@content",
    )
    return next((address for text in found if (address := _address(str(text)))), "")


def licence_of(tree: _Element, items: Iterable[Item], address: str) -> str:
    """The licence of a page: an IRI, or words; "" if it names none (``rel="license"``, ``license`` of schema.org)."""
    links = "//*[self::a or self::link][contains(concat(' ', normalize-space(@rel), ' '), ' license ')]/@href"
    for text in found_by(tree, links):
        if found := _address(urljoin(address, str(text).strip())):
            return found
    return licence_of_items(items)


def licence_of_items(items: Iterable[Item]) -> str:
    """The first ``license`` of schema.org among objects."""
    for item in items:
        licence = item.get("license")
        if isinstance(licence, list) and licence:
            licence = licence[0]
        if isinstance(licence, dict):
            licence = licence.get("url") or licence.get("@id") or licence.get("name")
        if isinstance(licence, str) and licence.strip():
            return line_of(licence)[:_LONGEST]
    return ""


def _address(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST and _ADDRESS.fullmatch(text) else ""
