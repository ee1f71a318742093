"""DOCX: headings, numbered and bulleted lists, paragraphs and tables (needs the extra `office`)."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from kgscripts.corpora.block_documents import document_of_blocks
from kgscripts.corpora.block_lists import how_to_of, lists_of
from kgscripts.corpora.blocks import Block, Kind, one_line
from kgscripts.corpora.how_tos import document_of_how_to
from kgscripts.corpora.source import Source
from schemas.records import Discard, DiscardReason, Document

MAX_BYTES = 32 * 1024 * 1024
_MAX_UNPACKED = 64 * 1024 * 1024
"""A document that is larger when unpacked is a zip bomb, or full of pictures that nobody reads as text."""
_HEADING = re.compile(r"Heading (\d)")
_NUMBERED = re.compile(r"List Number|List Continue", re.IGNORECASE)
_BULLETED = re.compile(r"List (?:Bullet|Paragraph)?", re.IGNORECASE)


def read_docx(source: Source) -> Iterator[Document | Discard]:
    """Yield one document: a how-to if headings such as "Instructions" name its lists, else headings and paragraphs."""
    data = source.stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        yield source.discard(DiscardReason.TOO_LONG, 1, f"a file of more than {MAX_BYTES:,} bytes")
        return
    if fault := _fault(data):
        yield source.discard(DiscardReason.UNDECODABLE, 1, fault)
        return
    if find_spec("docx") is None:
        yield source.discard(DiscardReason.NOT_INSTALLED, 1, "DOCX needs python-docx: pip install 'kgscripts[office]'")
        return
    import docx

    try:
        opened = docx.Document(io.BytesIO(data))
        blocks = list(_blocks(opened))
    except Exception as error:  # noqa: BLE001, python-docx raises what lxml, zipfile and its own parts raise
        yield source.discard(
            DiscardReason.UNDECODABLE, 1, f"no DOCX that can be read ({type(error).__name__}: {error})"
        )
        return
    title, blocks = _titled(one_line(str(opened.core_properties.title or "")), blocks)
    lists = lists_of(blocks)
    if lists.sections:
        yield document_of_how_to(how_to_of(title, lists), name=source.name, format="docx")
    elif document := document_of_blocks(blocks, title=title, name=source.name, format="docx"):
        yield document


def _fault(data: bytes) -> str:
    """Why an archive is no DOCX that may be unpacked; "" if nothing speaks against it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            sizes = {item.filename: item.file_size for item in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as error:
        return f"no DOCX that can be read ({error})"
    if "word/document.xml" not in sizes:
        return "a zip archive without text; unpack it"
    if sum(sizes.values()) > _MAX_UNPACKED:
        return f"a DOCX of more than {_MAX_UNPACKED:,} bytes when unpacked; save it without pictures"
    return ""


def _blocks(opened: Any) -> Iterator[Block]:
    for part in opened.iter_inner_content():
        if hasattr(part, "rows"):
            for row in part.rows:
                cells = dict.fromkeys(text for cell in row.cells if (text := one_line(cell.text)))
                if cells:
                    yield Block(Kind.PARAGRAPH, " | ".join(cells) if len(cells) > 2 else " ".join(cells))
            continue
        text = one_line(part.text)
        style = str(part.style.name if part.style is not None else "")
        if not text:
            continue
        if style == "Title":
            yield Block(Kind.HEADING, text, 1)
        elif heading := _HEADING.match(style):
            yield Block(Kind.HEADING, text, int(heading[1]) + 1)
        elif _NUMBERED.match(style) or _is_numbered(part):
            yield Block(Kind.ITEM, text, 1, ordered=not _BULLETED.fullmatch(style) or not style.endswith("Bullet"))
        elif _BULLETED.match(style):
            yield Block(Kind.ITEM, text, 1)
        else:
            bold = bool(part.runs) and all(run.bold for run in part.runs if run.text.strip())
            yield Block(Kind.PARAGRAPH, text, marked=bold)


def _is_numbered(paragraph: Any) -> bool:
    """Whether a paragraph has a number or bullet of its own, without a style that says so."""
    properties = paragraph._p.pPr  # python-docx has no public name for it
    return properties is not None and properties.numPr is not None


def _titled(title: str, blocks: list[Block]) -> tuple[str, list[Block]]:
    """The title, which is that of the properties or the first heading, and the other blocks."""
    if blocks and blocks[0].kind is Kind.HEADING and blocks[0].level < 3:
        return blocks[0].text, blocks[1:]
    return title, blocks
