"""Limits of a page, checked on its bytes: lxml takes time with the square of the attributes of an element."""

from __future__ import annotations

import re

from schemas.errors import InputError

MAX_PAGE_BYTES = 32 * 1024 * 1024
"""The largest page that is read; most of a page is no text."""
MAX_TAGS = 200_000
MAX_ATTRIBUTES = 256
"""The most attributes of an element."""

_ATTRIBUTE = (
    rb"[ \t\n\r\f/]*+[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+"
    rb"(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:\"[^\"]*+\"?|'[^']*+'?|[^ \t\n\r\f>\"'][^ \t\n\r\f>]*+)?)?+"
)
_TAG = re.compile(
    rb"<(?:!--(?:-?>|.*?(?:--!?>|\Z))|(?:[!?]|/[^a-zA-Z>])[^>]*+|(/?)([a-zA-Z][^ \t\n\r\f/>]*+)((?:%s)*+))"
    % _ATTRIBUTE,
    re.DOTALL,
)
"""Comments, declarations and tags, as the standard of HTML reads them (13.2.5)."""
_RAW = {
    name: re.compile(rb"</" + name, re.IGNORECASE)
    for name in (b"script", b"style", b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes")
}
"""Elements whose content has no tags, and where they end."""


class PageTooLargeError(InputError):
    """A page that would take too much time or memory."""


def check_markup(data: bytes) -> None:
    """Raise PageTooLargeError for markup of more than `MAX_TAGS`, or with more than `MAX_ATTRIBUTES` in a tag."""
    position = tags = 0
    while match := _TAG.search(data, position):
        position = match.end()
        closing, name, attributes = match.groups()
        if name is None:
            continue
        tags += not closing
        if tags > MAX_TAGS:
            raise PageTooLargeError(f"a page of more than {MAX_TAGS:,} elements")
        if len(attributes) > 2 * MAX_ATTRIBUTES and len(re.findall(_ATTRIBUTE, attributes)) > MAX_ATTRIBUTES:
            raise PageTooLargeError(f"an element of more than {MAX_ATTRIBUTES} attributes")
        if not closing and (end := _RAW.get(name.lower())):
            ended = end.search(data, position)
            position = ended.start() if ended else len(data)
