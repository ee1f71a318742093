"""The links and the headings of Markdown documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token


def dead_links(document: Path) -> list[str]:
    """The links of `document` to files or headings that do not exist; addresses of the web are not visited."""
    return [link for link in links(document) if not urlsplit(link).scheme and not _leads_somewhere(document, link)]


def links(document: Path) -> Iterator[str]:
    """The targets of the links and images of `document`."""
    for token in _tokens(document):
        if token.type in ("link_open", "image"):
            yield str(token.attrs["href" if token.type == "link_open" else "src"])


def anchors(document: Path) -> set[str]:
    """The anchors that GitHub and GitLab give to the headings of `document`."""
    seen: Counter[str] = Counter()
    found = set()
    tokens = list(_tokens(document))
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(child.content for child in content.children or ())
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
            seen[anchor] += 1
    return found


def _leads_somewhere(document: Path, link: str) -> bool:
    parts = urlsplit(link)
    target = document.parent / unquote(parts.path) if parts.path else document
    return target.exists() and (not parts.fragment or parts.fragment in anchors(target))


def _tokens(document: Path) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable("table").parse(document.read_text(encoding="utf-8")):
        yield token
        yield from token.children or ()
