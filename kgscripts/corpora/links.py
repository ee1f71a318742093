"""Links and images of Markdown, and addresses, which are no words of a text."""

from __future__ import annotations

import re

_TO = r"\([ \t]*(?:<[^<>\n]*>|(?:[^\s()<>]|\([^\s()]*\))*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?[ \t]*\)"
"""The destination of a link, with an optional title."""
_IMAGE = re.compile(rf"!\[[^\[\]]*\](?:{_TO}|\[[^\[\]\n]*\])")
_LINK = re.compile(rf"(?<!\\)\[([^\[\]]*)\]{_TO}")
_BROKEN = re.compile(r"\]\((?:https?://|www\.|/|#)[^\s()]*\)?")
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n]+)\]:[ \t]*\S+[^\n]*$", re.MULTILINE)
_REFERENCE = re.compile(r"\[([^\[\]]+)\](?:\[([^\[\]\n]*)\])?")
_ADDRESS = re.compile(r"[ \t]?<?\b(?:https?://|www\.)[^\s<>\[\]]*[^\s<>\[\].,;:!?)\"'’”]>?")
_ANY = rf"(?:!\[[^\[\]]*\]{_TO}|\[(?:[^\[\]\n]|!\[[^\[\]]*\]{_TO})*\]{_TO})"
_ALONE = re.compile(rf"^[ \t]*(?:[-*+•|·>»]+[ \t]*)?(?:{_ANY}[ \t|·•,/–—-]*)+$", re.MULTILINE)
"""Lines of nothing but links: menus, "buy the book". A numbered one is a step all the same."""


def without_links(text: str) -> str:
    """The text with the words of its links, and without images, addresses and lines of nothing but links."""
    if "](" not in text and "][" not in text and "]:" not in text and "://" not in text and "www." not in text:
        return text
    text = _ALONE.sub("", text)
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = _BROKEN.sub("", text)
    if names := {_name(definition[1]) for definition in _DEFINITION.finditer(text)}:
        text = _REFERENCE.sub(
            lambda link: link[1] if _name(link[2] or link[1]) in names else link[0], _DEFINITION.sub("", text)
        )
    return _ADDRESS.sub("", text)


def _name(reference: str) -> str:
    return " ".join(reference.lower().split())
