"""Blocks of a structured text: headings, paragraphs and items of lists, each on one line."""

from __future__ import annotations

import re
from enum import Enum

from attrs import frozen

from kgscripts.corpora.list_markers import COUNT

UNREADABLE = re.compile(r"[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\ufeff]")
"""Control characters, marks without width, and halves of surrogate pairs, which escapes can give."""
_MARKER = re.compile(r"(?:\(?\d{1,2}(?:[.):](?!\d)|[ \t]+-)[ \t]*|[•▢☐▪●‣◦][ \t]*|[-–*][ \t]+)(?=\S)")
_STEP = re.compile(rf"(?:step|stage)[ \t]*(?:\#[ \t]*)?{COUNT}\b[ \t]*[.:)–—-]*[ \t]*", re.IGNORECASE)


class Kind(Enum):
    """What a block is: a heading, an item of a list, or a paragraph."""

    HEADING = "heading"
    ITEM = "item"
    PARAGRAPH = "paragraph"


@frozen
class Block:
    """A block on one line. `level` is that of a heading (1 to 6), or the depth of a list; `ordered` lists are numbered.

    `marked` says that a paragraph looks like a heading: all of it is bold.
    """

    kind: Kind
    text: str
    level: int = 0
    ordered: bool = False
    marked: bool = False


def starts_numbers(before: Block, block: Block) -> bool:
    """Whether a numbered list follows another list, as steps follow needed things."""
    return (
        before.kind is block.kind is Kind.ITEM and block.ordered and not before.ordered and block.level <= before.level
    )


def heads_step(block: Block) -> bool:
    """Whether a block is the heading of one step: "Step 2: Dry the frame"."""
    is_heading = block.kind is Kind.HEADING or (block.kind is Kind.PARAGRAPH and block.marked)
    return is_heading and _STEP.match(block.text) is not None


def one_line(text: str) -> str:
    """The text on one line: white space as single blanks, without signs that cannot be read."""
    return " ".join(UNREADABLE.sub("", text).split())


def without_marker(line: str) -> str:
    """A step or item without its number or bullet: ``Step 2:``, ``2.``, ``▢``; "" if it is nothing else."""
    for marker in (_STEP, _MARKER):
        if match := marker.match(line):
            line = line[match.end() :]
    return "" if line.strip(".):").isdecimal() else line.strip()
