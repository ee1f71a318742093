"""Plain lines of text that may have markup: values of JSON-LD, elements of pages.

Limits of elements, attributes and depth hold before a library sees a page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import lxml.html
from lxml.etree import ParserError, _Element, iterwalk

from kgscripts.corpora.blocks import UNREADABLE, one_line
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
_START_TAG = re.compile(
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
    while match := _START_TAG.search(data, position):
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


_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_BREAKING = frozenset(
    {"address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog", "div", "dl"}
    | {"dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr"}
    | {"legend", "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody"}
    | {"td", "tfoot", "th", "thead", "tr", "ul"}
)
"""Elements that stand on lines of their own."""
SILENT = frozenset(
    {"script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "select", "textarea", "head"}
)
"""Elements whose content nobody reads as text."""
WALKED = ("start", "end", "comment", "pi")
"""The events of `iterwalk` behind which text can stand."""
_SHORTCODE = re.compile(r"\[/?[a-z][\w-]*(?:\s+[\w-]+=[^\[\]]*)?/?\]")


def is_element(node: object) -> bool:
    """Whether a node of a tree is an element, and no comment or processing instruction."""
    return isinstance(getattr(node, "tag", None), str)


def found_by(tree: Any, path: str) -> list[Any]:
    """What an XPath finds: elements, or the values of attributes."""
    return list(tree.xpath(path))


def breaks(tag: str) -> bool:
    """Whether an element stands on lines of its own."""
    return tag in _BREAKING


def lines_of(value: str) -> list[str]:
    """The lines of a text, of which some have HTML markup and entities, even escaped twice; empty ones are left out.

    Shortcodes of content management systems (``[video id="3"]``) are no text.
    """
    if "&" in value:
        value = html.unescape(html.unescape(value))
    if _TAG.search(value):
        check_markup(value.encode("utf-8", "replace"))
        try:
            value = "\n".join(lines_of_element(lxml.html.fragment_fromstring(UNREADABLE.sub("", value), "div")))
        except (ParserError, ValueError):
            value = _TAG.sub(" ", value)
    if "[" in value:
        value = _SHORTCODE.sub("", value)
    return [line for part in value.splitlines() if (line := one_line(part))]


def line_of(value: str) -> str:
    """The same on one line."""
    return " ".join(lines_of(value))


def lines_of_element(element: _Element) -> Iterator[str]:
    """The lines of an element, without what nobody reads; white space in the source does not end a line."""
    line: list[str] = []
    for tag, text in pieces(element):
        if tag is not None:
            if joined := one_line("".join(line)):
                yield joined
            line = []
        else:
            line.append(text)
    if joined := one_line("".join(line)):
        yield joined


def pieces(element: _Element) -> Iterator[tuple[str | None, str]]:
    """The texts of an element in order as (None, text), and (tag, "") where an element begins or ends a line.

    It is not recursive: elements of broken pages are nested deeply.
    """
    walk = iterwalk(element, events=WALKED)
    for event, node in walk:
        if node is element:
            yield None, (node.text if event == "start" else "") or ""
            continue
        if event == "start" and node.tag in SILENT:
            walk.skip_subtree()
            continue
        if node.tag in _BREAKING:
            yield node.tag, ""
        yield None, (node.text if event == "start" else node.tail) or ""
