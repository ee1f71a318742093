"""Saved web pages as documents: markup of schema.org, or else the main text that trafilatura finds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import dropwhile, groupby
from urllib.parse import urljoin

import lxml.html
from attrs import evolve
from lxml.etree import ParserError, XMLSyntaxError, _Element, iterwalk

from kgscripts.corpora.block_documents import document_of_blocks, how_to_of
from kgscripts.corpora.blocks import Block, Kind, without_marker
from kgscripts.corpora.how_tos import Section, document_of_how_to
from kgscripts.corpora.source import Source, whole_text
from kgscripts.corpora.web.json_ld import Item, json_ld, marked_elements, objects_of
from kgscripts.corpora.web.markup import MAX_PAGE_BYTES, PageTooLargeError, check_markup, found_by, is_element, line_of
from kgscripts.corpora.web.page_blocks import blocks_of_page, drop_what_is_left_out
from kgscripts.corpora.web.schema_org import how_tos_of
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document

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
    addresses = found_by(
        tree,
        "//link[contains(concat(' ', normalize-space(@rel), ' '), ' canonical ')]/@href"
        " | //meta[@property='og:url']/@content",
    )
    return next((address for text in addresses if (address := _address(str(text)))), "")


def licence_of(tree: _Element, items: Iterable[Item], address: str) -> str:
    """The licence of a page: an IRI, or words; "" if it names none (``rel="license"``, ``license`` of schema.org)."""
    links = "//*[self::a or self::link][contains(concat(' ', normalize-space(@rel), ' '), ' license ')]/@href"
    for text in found_by(tree, links):
        if licence := _address(urljoin(address, str(text).strip())):
            return licence
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
    # Before trafilatura, which changes the tree.
    blocks = blocks_of_page(tree)
    extracted = bare_extraction(
        tree, include_comments=False, include_tables=True, with_metadata=False, deduplicate=False, favor_precision=False
    )
    body = getattr(extracted, "body", None)
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


_FORMAT = "html"
_HOW_TO = re.compile(r"how (?:to|do|you|i)\b", re.IGNORECASE)


def read_html(source: Source) -> Iterator[Document | Discard]:
    """Yield one document for each recipe or how-to of a page, else one for its main text.

    What schema.org markup says (JSON-LD, else microdata) comes first; then lists below headings such as "Instructions";
    then the main text. Nothing is fetched. A page whose main text cannot be found is a discard.
    """
    data = source.stream.read(MAX_PAGE_BYTES + 1)
    if len(data) > MAX_PAGE_BYTES:
        yield source.discard(DiscardReason.TOO_LONG, 1, f"a page of more than {MAX_PAGE_BYTES:,} bytes")
        return
    try:
        tree = parsed_page(data)
        if tree is None:
            return
        documents = list(documents_of_tree(tree, source.name))
    except PageTooLargeError as error:
        yield source.discard(DiscardReason.TOO_LONG, 1, error.message)
        return
    except InputError as error:
        yield source.discard(DiscardReason.NOT_INSTALLED, 1, f"{error.message}: {error.remedy}")
        return
    if not documents:
        yield source.discard(DiscardReason.EMPTY, 1, "no main text")
    if too_deep := _too_deep(tree):
        yield source.discard(DiscardReason.TOO_LONG, 1, too_deep)
    encoding = _declared_encoding(tree)
    for number, document in enumerate(documents, 1):
        name = source.name if len(documents) == 1 else source.label(number)
        yield evolve(document, name=name, encoding=encoding)


def read_json_ld(source: Source) -> Iterator[Document | Discard]:
    """Yield one document for each recipe or how-to of a file of JSON-LD, such as `kgscripts export DIR howto:FOLDER`
    writes."""
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    try:
        items = objects_of(text)
        how_tos = how_tos_of(items)
    except PageTooLargeError as error:
        yield source.discard(DiscardReason.TOO_LONG, 1, error.message)
        return
    if not how_tos:
        yield source.discard(DiscardReason.MALFORMED, 1, "no Recipe or HowTo of schema.org with steps")
    for number, how_to in enumerate(how_tos, 1):
        name = source.name if len(how_tos) == 1 else source.label(number)
        yield document_of_how_to(how_to, name=name, format="json-ld", licence=licence_of_items(items))


def _declared_encoding(tree: _Element) -> str:
    """The encoding that a page was read in by its own declaration, "" for UTF-8."""
    encoding = str(tree.getroottree().docinfo.encoding or "").lower()
    return "" if encoding in ("utf-8", "utf8") else encoding


def _too_deep(tree: _Element) -> str:
    """What of a page its tree lacks, "" if it has all."""
    faults = tree.getroottree().parser.error_log.filter_from_errors()
    return next((fault.message for fault in faults if fault.type_name == "ERR_RESOURCE_LIMIT"), "")


def parsed_page(data: bytes) -> _Element | None:
    """The tree of a page, whatever is wrong with its tags; None if it has none.

    Bytes that are UTF-8 are read as such; others as the page declares. Raises PageTooLargeError.
    """
    check_markup(data)
    try:
        # Pages often declare another encoding than the one that they are in: what is UTF-8 is read as UTF-8.
        data.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None
    try:
        return lxml.html.document_fromstring(data, parser=lxml.html.HTMLParser(encoding=encoding))
    except (ParserError, XMLSyntaxError, ValueError):  # no element at all
        return None


def without_markup(tree: _Element) -> _Element:
    """The tree without JSON-LD and microdata, so that only its text says what it is about; the tree itself changes."""
    for script in found_by(tree, "//script"):
        script.drop_tree()
    for element in tree.iter():
        for name in [name for name in element.attrib if str(name).startswith("item")] if is_element(element) else ():
            del element.attrib[name]
    return tree


def documents_of_tree(tree: _Element, name: str) -> Iterator[Document]:
    """The documents of a page, all with the same name.

    Raises
    ------
    InputError
        If the page has neither markup nor lists of steps, and trafilatura is not installed.
    """
    items = json_ld(tree)
    how_tos = how_tos_of(items)
    of_classes = False
    for syntax, marked in marked_elements(tree) if not how_tos else ():
        items += marked
        of_classes = syntax == "microformats"
        if how_tos := how_tos_of(marked):
            break
    url = address_of(tree)
    licence = licence_of(tree, items, url)
    title = title_of(tree)
    lists = None
    if not how_tos or (len(how_tos) == 1 and not (how_tos[0].tools and how_tos[0].supplies)):
        lists = how_to_of(title, blocks_of_page(tree))
    if lists is not None and how_tos:
        # Most recipes name their equipment beside their markup only.
        only = how_tos[0]
        # The classes of hRecipe mark the names of ingredients, the list has their amounts too.
        ordered = [lists.supplies, only.supplies] if of_classes else [only.supplies, lists.supplies]
        how_tos = [evolve(only, tools=only.tools or lists.tools, supplies=ordered[0] or ordered[1])]
    elif lists is not None and lists.sections:
        how_tos = [lists]
    for how_to in how_tos:
        named = how_to if how_to.title else evolve(how_to, title=title)
        yield document_of_how_to(named, name=name, format=_FORMAT, url=url, licence=licence)
    if not how_tos:
        blocks = main_blocks(tree)
        runs = (run for is_item, run in groupby(blocks, lambda block: block.kind is Kind.ITEM) if is_item)
        listed = ([block.text for block in dropwhile(lambda block: not block.ordered, run)] for run in runs)
        numbered = [texts for texts in listed if texts]
        if len(numbered) == 1 and len(numbered[0]) > 1 and _HOW_TO.match(title):
            # As below "Instructions", what is around the list is no step.
            steps = Section(steps=[step for text in numbered[0] if (step := without_marker(text))])
            how_to = evolve(lists or how_to_of(title, blocks), sections=[steps])
            document: Document | None = document_of_how_to(how_to, name=name, format=_FORMAT, url=url, licence=licence)
        else:
            document = document_of_blocks(blocks, title=title, name=name, format=_FORMAT, url=url, licence=licence)
        if document is not None:
            yield document
