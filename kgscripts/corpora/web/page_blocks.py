"""The blocks of a page: headings, items and paragraphs, without navigation, comments and what is hidden."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import groupby

from attrs import define, evolve
from lxml.etree import _Element, iterwalk

from kgscripts.corpora.blocks import Block, Kind, one_line, without_marker
from kgscripts.corpora.list_markers import number_spans
from kgscripts.corpora.web.markup import SILENT, WALKED, breaks, found_by, is_element

_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LEFT_OUT = frozenset({"nav", "footer", "form", "dialog", "button"})
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "dialog"})
_NAMES = re.compile(
    r"(?:^|\s)(?:(?:site-?|main-?|primary-?|secondary-?)?(?:sidebar|nav(?:bar|igation)?|menu|footer)"
    r"|(?:entry-|post-|the-)?comments?(?:-(?:area|list|section|wrapper|container))?|commentlist|respond|disqus_thread"
    r"|breadcrumbs?|newsletter(?:-\w+)?|related(?:-(?:posts|articles|recipes|content))?|cookie-?(?:banner|consent|notice)"
    r"|advert(?:isement)?s?|(?:social-?)?share(?:-?(?:buttons?|bar|links))?|screen-reader-text|visually-hidden|sr-only)(?:$|\s)",
    re.IGNORECASE,
)
_LISTS = frozenset({"ol", "ul", "menu", "dl"})
_MOST_BETWEEN = 3
"""The most paragraphs between two parts of a list that are its own."""
_SHARE_OF_LINKS = 0.7
_LARGEST_SHARE = 0.4
"""An element with more of the text of a page is its main part, whatever its name."""


@define
class _Size:
    """The characters of an element, and those of them that are links."""

    text: int = 0
    links: int = 0


class _Reader:
    """Reads the blocks of a tree in document order. It is not recursive: broken pages are nested deeply."""

    def __init__(self, sizes: Mapping[_Element, _Size], largest: float) -> None:
        self._sizes, self._largest = sizes, largest
        self.blocks: list[Block] = []
        self._line: list[str] = []
        self._strong: list[bool] = []
        self._open: list[_Element] = []
        """The elements whose content is being read."""
        self._of_item: _Element | None = None
        """The list item that the last block is of."""

    def read(self, root: _Element) -> list[Block]:
        walk = iterwalk(root, events=WALKED)
        for event, element in walk:
            if event == "start" and element is not root and (element.tag in SILENT or self._is_left_out(element)):
                walk.skip_subtree()
            elif event == "start":
                self._enter(element)
            elif self._open[-1] is element:
                self._leave()
            else:
                self._add(element.tail)
        return self.blocks

    def _is_left_out(self, element: _Element) -> bool:
        return is_left_out(element) and self._sizes[element].text <= self._largest

    def _enter(self, element: _Element) -> None:
        if breaks(element.tag):
            self._flush()
        self._open.append(element)
        self._add(element.text)

    def _leave(self) -> None:
        element = self._open[-1]
        if breaks(element.tag):
            self._flush()
        self._open.pop()
        self._add(element.tail)

    def _add(self, text: str | None) -> None:
        if text and self._open:
            self._line.append(text)
            if text.strip():
                self._strong.append(any(element.tag in ("b", "strong") for element in self._open[-4:]))

    def _flush(self) -> None:
        text = one_line("".join(self._line))
        strong = bool(self._strong) and all(self._strong)
        self._line, self._strong = [], []
        if not text:
            return
        tags = [element.tag for element in self._open]
        heading = next((tag for tag in reversed(tags[-4:]) if tag in _HEADINGS), None)
        lists = [element for element in self._open if element.tag in _LISTS]
        item = next((element for element in reversed(self._open) if element.tag in ("li", "dd", "dt")), None)
        if item is not None and item.tag != "li":
            item = _term(item)
        if heading and item is None:
            self.blocks.append(Block(Kind.HEADING, text, _HEADINGS[heading]))
        elif item is not None:
            ordered = lists[-1].tag == "ol" if lists else False
            is_counted = item.tag == "dt" and without_marker(text) != text
            self._add_item(item, Block(Kind.ITEM, text, max(len(lists), 1), ordered or is_counted, marked=strong))
            if ordered and item.getprevious() is None:
                self._go_on(lists[-1].get("start") or "")
        else:
            strong = strong or tags[-1] == "dt"
            self.blocks.append(Block(Kind.PARAGRAPH, text, marked=strong))

    def _go_on(self, start: str) -> None:
        """Add the paragraphs between two parts of a list to the item before them."""
        between = len(self.blocks) - 2
        while between > 0 and self.blocks[between].kind is Kind.PARAGRAPH and not self.blocks[between].marked:
            between -= 1
        is_near = 0 <= between >= len(self.blocks) - 2 - _MOST_BETWEEN
        # Cut off, since Python refuses to read thousands of digits as a number.
        if is_near and start.isdecimal() and int(start[:9]) > 1 and self.blocks[between].ordered:
            text = " ".join(block.text for block in self.blocks[between:-1])
            self.blocks[between:-1] = [evolve(self.blocks[between], text=text)]

    def _add_item(self, item: _Element, line: Block) -> None:
        """Add a line of a list item to it, or begin a new one. A bold line above is a sentence."""
        if self._of_item is item and self.blocks and self.blocks[-1].kind is Kind.ITEM:
            before = self.blocks.pop()
            begins = before.text[-1] not in ".:!?" and line.text[0].isupper() and (before.marked or item.tag == "dt")
            text = f"{before.text}{'.' if begins else ''} {line.text}"
            line = evolve(line, text=text, ordered=line.ordered or before.ordered)
        self._of_item = item
        self.blocks.append(line)


def _term(element: _Element) -> _Element | None:
    """The item of a term or description: the term if it has one description, else the description, None for a term."""
    term = element if element.tag == "dt" else element.getprevious()
    if term is not None and term.tag == "dt" and (described := term.getnext()) is not None and described.tag == "dd":
        following = described.getnext()
        if following is None or following.tag != "dd":
            return term
    return None if element.tag == "dt" else element


def is_left_out(element: _Element) -> bool:
    """Whether an element is navigation, a form, an advert or the comments, by its tag, role or names."""
    if element.tag in _LEFT_OUT or element.get("role") in _ROLES:
        return True
    if element.tag in ("body", "main", "article", "html"):
        return False
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    return len(names) > 1 and _NAMES.search(names) is not None


def _sizes(root: _Element) -> dict[_Element, _Size]:
    """The sizes of all elements, in one pass from the last: the time of each on its own is squared in nested ones."""
    sizes: dict[_Element, _Size] = defaultdict(_Size)
    for element in reversed([element for element in root.iter() if is_element(element)]):
        size = sizes[element]
        if element.tag not in SILENT:
            size.text += len((element.text or "").strip())
            size.text += sum(len((child.tail or "").strip()) for child in element)
            size.links = size.text if element.tag == "a" else size.links
            if (parent := element.getparent()) is not None:
                above = sizes[parent]
                above.text, above.links = above.text + size.text, above.links + size.links
    return sizes


def drop_what_is_left_out(tree: _Element) -> None:
    """Remove navigation, forms, adverts, comments, asides and lists of links from a tree."""
    sizes = _sizes(tree)
    largest = sizes[tree].text * _LARGEST_SHARE
    for element in found_by(tree, "//body//*"):
        is_of_links = element.tag in _LISTS and sizes[element].links > _SHARE_OF_LINKS * sizes[element].text
        if (is_of_links or element.tag == "aside" or is_left_out(element)) and sizes[element].text <= largest:
            element.drop_tree()


def blocks_of_page(tree: _Element) -> list[Block]:
    """The blocks of a page in document order. Paragraphs that are numbered are items."""
    body = tree.find(".//body")
    root = tree if body is None else body
    sizes = _sizes(root)
    blocks = _Reader(sizes, sizes[root].text * _LARGEST_SHARE).read(root)
    runs = groupby(blocks, lambda block: block.kind is Kind.PARAGRAPH and not block.marked)
    return [block for plain, run in runs for block in (_numbered(list(run)) if plain else run)]


def _numbered(blocks: list[Block]) -> Iterator[Block]:
    """Paragraphs, of which those that are numbered are items; others between belong to these."""
    text = "\n".join(block.text for block in blocks)
    spans = number_spans(text)
    if not spans or not (text[: spans[0][0]].endswith("\n") or not spans[0][0]):
        yield from blocks
        return
    last = re.compile(r"\s*.*").match(text, spans[-1][1])
    ends = [*(start for start, _ in spans[1:]), last.end() if last else len(text)]
    yield from (Block(Kind.PARAGRAPH, line) for line in text[: spans[0][0]].splitlines())
    for (_, start), end in zip(spans, ends, strict=True):
        if step := one_line(text[start:end]):
            yield Block(Kind.ITEM, step, 1, ordered=True)
    yield from (Block(Kind.PARAGRAPH, line) for line in text[ends[-1] :].split("\n") if line)
