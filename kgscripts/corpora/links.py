"""Links and images of Markdown, and addresses, which are no words of a text."""

from __future__ import annotations

import re
from collections.abc import Callable

_TO = r"\([ \t]*(?:<[^<>\n]*>|(?:[^\s()<>]|\([^\s()]*\))*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?[ \t]*\)"
"""The destination of a link, with an optional title."""
_IMAGE = re.compile(rf"!\[[^\[\]]*\](?:{_TO}|\[[^\[\]\n]*\])")
_LINK = re.compile(rf"(?<!\\)\[([^\[\]]*)\]{_TO}")
_BROKEN = re.compile(r"\]\((?:https?://|www\.|/|#)[^\s()]*\)?")
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n]+)\]:[ \t]*\S+[^\n]*$", re.MULTILINE)
_REFERENCE = re.compile(r"\[([^\[\]]+)\](?:\[([^\[\]\n]*)\])?")
_ADDRESS = re.compile(r"[ \t]?<?\b(?:https?://|www\.)[^\s<>\[\]]*[^\s<>\[\].,;:!?)\"'’”]>?")
_IN_LINE = re.compile(r"[^\r\n]")
_ANY = rf"(?:!\[[^\[\]]*\]{_TO}|\[(?:[^\[\]\n]|!\[[^\[\]]*\]{_TO})*\]{_TO})"
_ALONE = re.compile(rf"^[ \t]*(?:[-*+•|·>»]+[ \t]*)?(?:{_ANY}[ \t|·•,/–—-]*)+$", re.MULTILINE)
"""Lines of nothing but links: menus, "buy the book". A numbered one is a step all the same."""


def without_links(text: str) -> str:
    """The text with the words of its links, and without images, addresses and lines of nothing but links."""
    return _reduced(text, lambda _: "")


def with_covered_links(text: str) -> str:
    """The text with spaces in the place of what `without_links` removes, so that its length does not change."""
    return _reduced(text, lambda removed: _IN_LINE.sub(" ", removed))


def _reduced(text: str, cover: Callable[[str], str]) -> str:
    """The text with what `cover` gives of each piece in its place."""

    def whole(match: re.Match[str]) -> str:
        return cover(match[0])

    def words(match: re.Match[str]) -> str:
        start, end = match.start(1) - match.start(), match.end(1) - match.start()
        return cover(match[0][:start]) + match[1] + cover(match[0][end:])

    if "](" not in text and "][" not in text and "]:" not in text and "://" not in text and "www." not in text:
        return text
    text = _ALONE.sub(whole, text)
    text = _LINK.sub(words, _IMAGE.sub(whole, text))
    text = _BROKEN.sub(whole, text)
    if names := {_name(definition[1]) for definition in _DEFINITION.finditer(text)}:
        text = _REFERENCE.sub(
            lambda link: words(link) if _name(link[2] or link[1]) in names else link[0], _DEFINITION.sub(whole, text)
        )
    return _ADDRESS.sub(whole, text)


def _name(reference: str) -> str:
    return " ".join(reference.lower().split())
