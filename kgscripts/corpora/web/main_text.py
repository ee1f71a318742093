"""The main text of a page without markup of schema.org: headings, lists and paragraphs, found by trafilatura."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from lxml.etree import _Element

from kgscripts.corpora.blocks import Block, Kind, one_line
from kgscripts.corpora.web.page_blocks import drop_what_is_left_out
from schemas.errors import InputError


def main_blocks(tree: _Element) -> list[Block]:
    """The blocks of the main text of a page, without navigation, comments and adverts; the tree is used up.

    Raises
    ------
    InputError
        If trafilatura is not installed.
    """
    if find_spec("trafilatura") is None:
        raise InputError("its main text needs trafilatura", remedy="pip install 'kgscripts[web]'")
    from trafilatura import bare_extraction

    drop_what_is_left_out(tree)
    found = bare_extraction(
        tree, include_comments=False, include_tables=True, with_metadata=False, deduplicate=False, favor_precision=False
    )
    body = getattr(found, "body", None)
    return [] if body is None else list(_blocks(body))


def _blocks(body: _Element) -> Iterator[Block]:
    """The blocks of trafilatura's tree: ``head``, ``list`` of ``item``, ``table`` of ``row``, ``p``."""
    depth = ordered = 0
    waiting: list[tuple[_Element, int, bool]] = [(body, 0, False)]
    while waiting:
        element, depth, ordered = waiting.pop()
        tag = str(element.tag)
        if tag == "list":
            inner = (depth + 1, element.get("rend") == "ol")
        elif tag in ("body", "main", "table", "quote", "div", "comments"):
            inner = (depth, ordered)
        else:
            text = one_line((" " if tag == "row" else "").join(map(str, element.itertext())))
            if text and tag == "head":
                level = (element.get("rend") or "h2")[-1:]
                yield Block(Kind.HEADING, text, int(level) if level.isdecimal() else 2)
            elif text and tag == "item":
                yield Block(Kind.ITEM, text, depth, ordered)
            elif text and tag not in ("code", "graphic"):
                yield Block(Kind.PARAGRAPH, text)
            continue
        waiting += [(child, *inner) for child in reversed(element) if isinstance(child.tag, str)]
