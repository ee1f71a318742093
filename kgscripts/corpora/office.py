"""DOCX: headings, lists, paragraphs, tables and text boxes, as the last change left them."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

import lxml.etree
from attrs import evolve
from lxml.etree import _Element

from kgscripts.corpora.block_documents import document_of_blocks, how_to_of, needs_heading
from kgscripts.corpora.blocks import Block, Kind, one_line, without_marker
from kgscripts.corpora.how_tos import document_of_how_to
from kgscripts.corpora.scenarios.labels import names_scenario
from kgscripts.corpora.source import MAX_PASSAGES, MAX_RECORD_BYTES, Source, too_long
from kgscripts.corpora.table_columns import COUNT, blocks_of_rows
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document

MAX_BYTES = 32 * 1024 * 1024
_MOST_ENTRIES = 10_000
_ENTRY = b"PK\x01\x02"
"""What each entry of an archive's directory begins with. They are counted before `zipfile` makes an object of each."""
_MAX_UNPACKED = 64 * 1024 * 1024
"""A part that is larger when unpacked is a zip bomb."""
_MOST_MARKS = 600_000
"""The most tags and attributes of a part: a tree takes up to 240 bytes for each. A paragraph has at least six."""
_MAIN = re.compile(r"word/document\d*\.xml")
_HEADING = re.compile(r"heading ?([1-9])")
_LISTED = re.compile(r"list ?(?:number|continue|bullet|paragraph)? ?\d?")
_KNOWN = re.compile(rf"title|toc ?\d|{_HEADING.pattern}|{_LISTED.pattern}")
_LONGEST_CHAIN = 20
_NOT_READ = ("{*}del", "{*}moveFrom", "{*}rt", "{*}pPrChange", "{*}rPrChange")
"""What was deleted or moved away, how to pronounce a word, and how something looked before a change."""
_SIGNS = {"tab": " ", "ptab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_FALSE = ("0", "false", "off", "none")
_LONGEST_TITLE = 80
_MOST_BETWEEN = 3
"""At most this number of paragraphs between two items of one numbered list belong to the item above them."""


def read_docx(source: Source) -> Iterator[Document | Discard]:
    """Yield one document: a how-to if headings such as "Instructions" name its lists, else headings and paragraphs."""
    data = source.stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        yield source.discard(DiscardReason.TOO_LONG, 1, f"a file of more than {MAX_BYTES:,} bytes")
        return
    if data.count(_ENTRY) > _MOST_ENTRIES:
        yield source.discard(DiscardReason.TOO_LONG, 1, f"an archive of more than {_MOST_ENTRIES:,} files; unpack it")
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            title, blocks, unread = _read(archive)
    except InputError as error:
        yield source.discard(DiscardReason.TOO_LONG, 1, error.message)
        return
    # RuntimeError: a part with a password; NotImplementedError: an unusual compression.
    except (zipfile.BadZipFile, zlib.error, lxml.etree.LxmlError, OSError, EOFError, ValueError, RuntimeError) as error:
        detail = f"no DOCX that can be read ({error or type(error).__name__})"
        yield source.discard(DiscardReason.UNDECODABLE, 1, detail)
        return
    if unread:
        yield source.discard(DiscardReason.UNREAD_COLUMN, 1, f"not read: {', '.join(unread)}")
    how_to = how_to_of(title, blocks)
    if how_to.sections:
        yield document_of_how_to(how_to, name=source.name, format="docx")
    elif document := document_of_blocks(blocks, title=title, name=source.name, format="docx"):
        yield document


def _read(archive: zipfile.ZipFile) -> tuple[str, list[Block], list[str]]:
    """The title and the blocks of a document, and the names of columns of its tables that are not read. It raises
    InputError for what is too long, ValueError for an archive without text, a zip bomb and entities."""
    main = next(filter(_MAIN.fullmatch, archive.namelist()), "")
    if not main:
        raise ValueError("a zip archive without text; unpack it")
    parts = (main, "word/styles.xml", "word/numbering.xml", "docProps/core.xml")
    body, styles, numbering, properties = (_tree(archive, part) for part in parts)
    reader = _Reader(styles, numbering)
    blocks = reader.blocks(_as_shown(body))
    if len(blocks) > MAX_PASSAGES:
        raise InputError(f"a text of more than {MAX_PASSAGES:,} paragraphs; split it")
    if sum(len(block.text) for block in blocks) > MAX_RECORD_BYTES:
        raise InputError(too_long("a text"))
    return *_titled(one_line(properties.findtext("{*}title") or ""), blocks), reader.unread


def _tree(archive: zipfile.ZipFile, part: str) -> _Element:
    """The tree of a part, an empty one if it is missing; what is too large for a tree is counted before."""
    if part not in archive.namelist():
        return lxml.etree.Element("none")
    if archive.getinfo(part).file_size > _MAX_UNPACKED:
        raise ValueError(f"more than {_MAX_UNPACKED:,} bytes of text when unpacked; split it")
    data = archive.read(part)
    if data.count(b"<") + data.count(b"=") > _MOST_MARKS:
        raise InputError(f"a DOCX of more than {_MOST_MARKS:,} tags and attributes; split it, or save it as plain text")
    # In UTF-16 there is a zero byte beside each of these letters.
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise ValueError("entities are not allowed")
    return lxml.etree.fromstring(data, lxml.etree.XMLParser(resolve_entities=False, no_network=True))


def _as_shown(body: _Element) -> _Element:
    """The tree without what is deleted, hidden, an empty control or a table of contents; one choice of several."""
    unread = list(body.iter(*_NOT_READ))
    for mark in unread:
        above = [*mark.iterancestors("{*}rPr", "{*}pPr", "{*}p")][:3]
        if [_name(element) for element in above] == ["rPr", "pPr", "p"]:
            above[-1].set("goes-on", "1")  # the end of the paragraph was deleted
    for control in body.iter("{*}sdt"):
        gallery = control.find("{*}sdtPr/{*}docPartObj/{*}docPartGallery")
        if control.find("{*}sdtPr/{*}showingPlcHdr") is not None or "contents" in _value(gallery).lower():
            unread.append(control)
    for choices in body.iter("{*}AlternateContent"):
        texts = [choice for choice in choices if next(choice.iter("{*}t"), None) is not None]
        unread += [choice for choice in choices if choice not in texts[:1]]
    for element in unread:
        if (parent := element.getparent()) is not None:
            parent.remove(element)
    return body


class _Reader:
    """Reads blocks, given the styles and the numbering of a document."""

    def __init__(self, styles: _Element, numbering: _Element) -> None:
        self._styles = {_value(style, "styleId"): style for style in styles.iterchildren("{*}style")}
        self._lists = {_value(item, "numId"): item for item in numbering.iterchildren("{*}num")}
        self._abstract = {_value(item, "abstractNumId"): item for item in numbering.iterchildren("{*}abstractNum")}
        self._deleted_end = ""
        self._is_in_list = False
        self.unread: list[str] = []
        """The names of columns that were not read."""
        self.of_style = cache(self._of_style)
        self.format_of = cache(self._format_of)

    def blocks(self, element: _Element) -> list[Block]:
        """The blocks in an element, in order; paragraphs within a numbered list belong to the item above them."""
        blocks: list[Block] = []
        last, item = "", 0
        for block, number in self._blocks(element):
            between = blocks[item + 1 :] if number and number == last else []
            if 0 < len(between) <= _MOST_BETWEEN and all(b.kind is Kind.PARAGRAPH and not b.marked for b in between):
                blocks[item:] = [evolve(blocks[item], text=" ".join(other.text for other in blocks[item:]))]
            if number:
                last, item = number, len(blocks)
            self._is_in_list = block.kind is Kind.ITEM and block.ordered
            blocks.append(block)
        return blocks

    def _blocks(self, element: _Element) -> Iterator[tuple[Block, str]]:
        """The blocks, each with the number of its list if that is numbered."""
        for child in element.iterchildren("{*}*"):
            if next(child.iter("{*}t"), None) is None:
                continue  # nothing to read, as in the half a million empty paragraphs of a hostile file
            if _name(child) == "p":
                boxes = list(child.iter("{*}txbxContent"))
                # From the last, so that a box in a box leaves it before that leaves the paragraph.
                for box in reversed(boxes):
                    if (parent := box.getparent()) is not None:
                        parent.remove(box)
                yield from self._paragraph(child)
                yield from chain.from_iterable(map(self._blocks, boxes))
            elif _name(child) == "tbl":
                yield from ((block, "") for block in self._table(child))
            else:
                yield from self._blocks(child)

    def _paragraph(self, element: _Element) -> Iterator[tuple[Block, str]]:
        runs = [run for run in element.iter("{*}r") if not _is_set(run, "vanish")]
        said = [(run, "".join(_text(piece) for piece in run)) for run in runs]
        text = self._deleted_end + "".join(text for _, text in said).replace("\N{SOFT HYPHEN}", "")
        self._deleted_end = f"{text} " if element.get("goes-on") else ""
        lines = [line for part in text.split("\n") if (line := one_line(part))]
        name, *of_style = self.of_style(_value(element.find("{*}pPr/{*}pStyle")))
        number, depth, outline = (own or other for own, other in zip(_properties(element), of_style, strict=True))
        if not lines or self._deleted_end or name.startswith("toc"):
            return
        line = " ".join(lines)
        is_boxed = next(element.iterancestors("{*}txbxContent"), None) is not None
        format = self.format_of(number, depth or "0") if number else ""
        is_item = format != "none" if number else _LISTED.fullmatch(name) is not None
        heading = _HEADING.fullmatch(name)
        if name == "title" or heading or (outline.isdecimal() and int(outline) < 9):
            level = 1 if name == "title" else int(heading[1]) + 1 if heading else int(outline) + 2
            yield Block(Kind.HEADING, line, min(level, 6)), ""
        elif is_item:
            ordered = format != "bullet" if number else "number" in name or _is_counted(line)
            level = int(depth) + 1 if depth.isdecimal() else 1
            yield Block(Kind.ITEM, line, level, ordered), number if ordered else ""
        else:
            bold = all(_is_set(run, "b") for run, text in said if text.strip())
            for line in lines:
                counted = _is_counted(line) or (self._is_in_list and is_boxed and line.endswith((".", "!")))
                kind = Kind.ITEM if counted else Kind.PARAGRAPH
                yield Block(kind, line, int(counted), counted, marked=bold and not counted), ""

    def _table(self, element: _Element) -> Iterable[Block]:
        """Its steps and needs if a header names them, else a line for each row of short cells, else all its blocks."""
        rows = [[self.blocks(cell) for cell in _own(row, "tc")] for row in _own(element, "tr")]
        texts = [[" ".join(block.text for block in cell) for cell in row] for row in rows]
        steps, unread = blocks_of_rows(texts)
        self.unread += unread
        return steps or chain.from_iterable(map(_of_row, rows))

    def _of_style(self, style: str) -> tuple[str, str, str, str]:
        """The heading or list that a style is or is based on, "" for others, and its properties: list, depth, level."""
        names, properties = [style.lower()], [""] * 3
        for _ in range(_LONGEST_CHAIN):
            if (element := self._styles.get(style)) is None:
                break
            names.append(_value(element.find("{*}name")).lower())
            properties = [own or other for own, other in zip(properties, _properties(element), strict=True)]
            style = _value(element.find("{*}basedOn"))
        number, depth, outline = properties
        return next(filter(_KNOWN.fullmatch, names), ""), number, depth, outline

    def _format_of(self, number: str, depth: str) -> str:
        """The format of a level of a list: "decimal", "bullet", "none"; "" if it is not defined."""
        item = self._lists.get(number)
        if number == "0" or item is None:
            return "none" if number == "0" else ""
        abstract = self._abstract.get(_value(item.find("{*}abstractNumId")))
        levels = chain(item.iter("{*}lvl"), () if abstract is None else abstract.iter("{*}lvl"))
        return next((_value(level.find("{*}numFmt")) for level in levels if _value(level, "ilvl") == depth), "")


def _of_row(row: Sequence[Sequence[Block]]) -> list[Block]:
    if any(len(cell) > 1 or any(block.kind is not Kind.PARAGRAPH for block in cell) for cell in row):
        return [block for cell in row for block in cell]
    cells = [cell[0].text for cell in row if cell]
    if len(cells) > 1 and COUNT.fullmatch(cells[0]):
        return [Block(Kind.ITEM, " | ".join(cells[1:]), 1, ordered=True)]
    return [Block(Kind.PARAGRAPH, (" | " if len(cells) > 2 else " ").join(cells))] if cells else []


def _own(element: _Element, name: str) -> Iterator[_Element]:
    """The rows or cells, also those in content controls, but not those of tables within."""
    for child in element.iterchildren("{*}*"):
        if _name(child) == name:
            yield child
        elif _name(child) not in ("tbl", "tc"):
            yield from _own(child, name)


def _properties(element: _Element) -> list[str]:
    """The list of a paragraph or style, its depth, and the level as a heading; "" for what is not given."""
    return [_value(element.find(f"{{*}}pPr/{{*}}{path}")) for path in ("numPr/{*}numId", "numPr/{*}ilvl", "outlineLvl")]


def _text(piece: _Element) -> str:
    return (piece.text or "") if _name(piece) == "t" else _SIGNS.get(_name(piece), "")


def _is_set(run: _Element, name: str) -> bool:
    element = run.find(f"{{*}}rPr/{{*}}{name}")
    return element is not None and _value(element).lower() not in _FALSE


def _name(element: _Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _value(element: _Element | None, name: str = "val") -> str:
    """The value of an attribute, whatever its name space; "" without one."""
    items = () if element is None else element.items()
    return next((str(value) for key, value in items if str(key).rpartition("}")[2] == name), "")


def _is_counted(text: str) -> bool:
    """Whether a line begins with the number of a step that somebody typed: "2. Pour it", "Step 2: Pour it"."""
    return without_marker(text) not in ("", text) and text[0] in "0123456789sS("


def _titled(title: str, blocks: list[Block]) -> tuple[str, list[Block]]:
    """The title and the other blocks. It is the first heading, else that of the properties, else a first line."""
    if not blocks or needs_heading(blocks[0]):
        return title, blocks
    first = blocks[0]
    if first.kind is Kind.HEADING and first.level < 3:
        return first.text, blocks[1:]
    is_line = first.kind is Kind.PARAGRAPH and len(first.text) <= _LONGEST_TITLE and first.text[-1].isalnum()
    if title or len(blocks) < 2 or not is_line:
        return title, blocks
    is_above = first.marked or blocks[1].kind is not Kind.PARAGRAPH or names_scenario(first.text)
    return (first.text, blocks[1:]) if is_above else ("", blocks)
