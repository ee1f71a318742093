"""The main text of a page without markup of schema.org: the blocks that trafilatura finds to be text."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import groupby

from attrs import evolve
from lxml.etree import _Element, iterwalk

from kgscripts.corpora.blocks import Block, Kind
from kgscripts.corpora.web.limits import PageTooLargeError
from kgscripts.corpora.web.markup import found_by
from kgscripts.corpora.web.page_blocks import blocks_of_page, drop_what_is_left_out
from schemas.errors import InputError

_MOST_PLACES = 200_000
_MOST_TABLES = 500
"""trafilatura looks at what is in an element again for each that it is in, and for each table at all tables."""
_NARROWEST, _WIDEST = 30, 1_000
"""The lengths of lines that may go on in the next one."""
_INLINE = frozenset({"hi", "ref", "del", "code", "graphic", "span"})


def main_blocks(tree: _Element) -> list[Block]:
    """The blocks of the main text of a page, without navigation, comments and adverts; the tree is used up.

    trafilatura loses lists outside of articles, and what is within items and cells: it only says which blocks of the
    page are text. Lists among and directly below these are text too, unless they consist of links.

    Raises
    ------
    InputError
        If trafilatura is not installed, or the page has too many elements for it.
    """
    if find_spec("trafilatura") is None:
        raise InputError("its main text needs trafilatura", remedy="pip install 'kgscripts[web]'")
    from trafilatura import bare_extraction

    drop_what_is_left_out(tree)
    depths = {tree: 0}
    for element in tree.iterdescendants():
        parent = element.getparent()
        depths[element] = depths[parent] + 1 if parent is not None else 0
    if sum(depths.values()) > _MOST_PLACES or len(found_by(tree, "//table")) > _MOST_TABLES:
        detail = f"{_MOST_PLACES:,} elements, each counted by its depth, or {_MOST_TABLES} tables"
        raise PageTooLargeError(f"a page without markup of schema.org that has more than {detail}")
    blocks = blocks_of_page(tree)
    found = bare_extraction(
        tree, include_comments=False, include_tables=True, with_metadata=False, deduplicate=False, favor_precision=False
    )
    body = getattr(found, "body", None)
    joined: list[Block] = []
    for block in _main(blocks, set() if body is None else set(map(_plain, _lines(body)))):
        if joined and _goes_on(joined[-1], block):
            joined[-1] = evolve(joined[-1], text=f"{joined[-1].text} {block.text}")
        else:
            joined.append(block)
    return joined


def _goes_on(before: Block, block: Block) -> bool:
    """Whether the sentence of a paragraph goes on in the next one, behind a line break."""
    is_long = _NARROWEST < len(before.text) < _WIDEST and before.text[-1].isalnum()
    return before.kind is block.kind is Kind.PARAGRAPH and is_long and block.text[0].islower()


def _plain(text: str) -> str:
    return "".join(text.split())


def _lines(body: _Element) -> Iterator[str]:
    """The lines of trafilatura's tree: of ``head``, ``item``, ``cell``, ``p``, and those that ``lb`` divides."""
    line: list[str] = []
    for event, element in iterwalk(body, events=("start", "end")):
        if element.tag not in _INLINE:
            yield "".join(line)
            line = []
        line.append((element.text if event == "start" else element.tail) or "")
    yield "".join(line)


def _main(blocks: list[Block], lines: set[str]) -> Iterator[Block]:
    """The blocks with these lines, and the lists among and below them; all blocks if no line is that of a block."""
    lines.discard("")
    every = bool(lines) and not any(_plain(block.text) in lines for block in blocks)
    heading, below = list[Block](), every
    for is_list, run in groupby(blocks, lambda block: block.kind is Kind.ITEM):
        if is_list:
            items = list(run)
            if below or any(block.ordered or _plain(block.text) in lines for block in items):
                yield from (*heading, *items)
                heading = []
            continue
        for block in run:
            below = every or _plain(block.text) in lines
            if below:
                yield block
            heading = [block] if block.kind is Kind.HEADING and not below else []
