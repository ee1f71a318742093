"""Documents of blocks that are no list of steps: headings, paragraphs and lists as they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kgscripts.corpora.block_headings import needs_heading
from kgscripts.corpora.blocks import Block, Kind, starts_numbers, without_marker
from schemas.records import Document, Passage, PassageKind


def document_of_blocks(
    blocks: Sequence[Block], *, title: str, name: str, format: str, url: str = "", licence: str = ""
) -> Document | None:
    """The document of a text with headings and lists; None if it has neither paragraphs nor items.

    A paragraph is a passage, the item of a numbered list is a step, and a list of needed things is one passage with its
    heading. Headings belong to no passage.
    """
    lines: list[str] = [title] if title else []
    end = len(title) + 1 if title else 0
    passages: list[Passage] = []
    needs: int | None = None
    for before, block in pairwise([Block(Kind.PARAGRAPH, ""), *blocks]):
        text = without_marker(block.text) if block.kind is Kind.ITEM else block.text
        if not text or (block.kind is Kind.HEADING and text == title and not passages):
            continue
        start, end = end, end + len(text) + 1
        lines.append(text)
        if starts_numbers(before, block):
            needs = None
        if needs_heading(block):
            needs = start
        elif block.kind is Kind.ITEM and needs is not None:
            if passages and passages[-1].kind is PassageKind.NEEDS and passages[-1].start == needs:
                passages.pop()
            passages.append(Passage(kind=PassageKind.NEEDS, start=needs, end=end - 1))
        elif block.kind is not Kind.HEADING:
            needs = None
            is_step = block.kind is Kind.ITEM and block.ordered
            kind = PassageKind.STEP if is_step else PassageKind.PARAGRAPH
            passages.append(Passage(kind=kind, start=start, end=end - 1))
        else:
            needs = None
    if not passages:
        return None
    return Document(
        name=name, format=format, text="\n".join(lines), title=title, passages=passages, url=url, licence=licence
    )
