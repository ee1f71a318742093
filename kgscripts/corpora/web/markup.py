"""Plain lines of text that may have markup: values of JSON-LD, elements of pages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import lxml.html
from lxml.etree import ParserError, _Element

from kgscripts.corpora.blocks import UNREADABLE, one_line
from kgscripts.corpora.web.limits import check_markup

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_BREAKING = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
    }
    | {"fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr"}
    | {"legend", "li", "main", "menu", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody"}
    | {"td", "tfoot", "th", "thead", "tr", "ul"}
)
"""Elements that stand on lines of their own."""
SILENT = frozenset(
    {"script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "select", "textarea", "head"}
)
"""Elements whose content nobody reads as text."""
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
            if found := one_line("".join(line)):
                yield found
            line = []
        else:
            line.append(text)
    if found := one_line("".join(line)):
        yield found


def pieces(element: _Element) -> Iterator[tuple[str | None, str]]:
    """The texts of an element in order as (None, text), and (tag, "") where an element begins or ends a line.

    It is not recursive: elements of broken pages are nested deeply.
    """
    waiting: list[tuple[_Element, Iterator[_Element]]] = [(element, iter(element))]
    yield None, element.text or ""
    while waiting:
        parent, children = waiting[-1]
        child = next(children, None)
        if child is None:
            waiting.pop()
            if waiting:
                if parent.tag in _BREAKING:
                    yield parent.tag, ""
                yield None, parent.tail or ""
        elif not is_element(child) or child.tag in SILENT:
            yield None, child.tail or ""
        else:
            if child.tag in _BREAKING:
                yield child.tag, ""
            yield None, child.text or ""
            waiting.append((child, iter(child)))
