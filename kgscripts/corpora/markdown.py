"""Markdown how-tos: a title, and steps as numbered or bulleted items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import define, field
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kgscripts.corpora.plain_text import line_spans, trimmed
from kgscripts.corpora.source import Source, whole_text
from schemas.records import Discard, Document, Passage, PassageKind

# Only the blocks matter, and how-tos indent paragraphs without meaning code.
_BLOCKS = MarkdownIt("commonmark").disable("code")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_FRONT_MATTER = re.compile(r"---[ \t]*(?:\r\n?|\n)(?:[^\r\n]*(?:\r\n?|\n))*?---[ \t]*(?:\r\n?|\n|\Z)")
_CHECKBOX = re.compile(r"\[[ xX]\]\s+")
_STEP_HEADING = re.compile(r"(?:step\s+\d+\s*[.):–—-]*|\d+\s*[.)])\s+(?=\S)", re.IGNORECASE)
_NO_STEPS = re.compile(
    r"ingredients|materials|supplies|tools|equipment|utensils|requirements|(?:what |things )?you(?: wi|[’'])?ll need"
    r"|what you need|you need|tips|warnings|notes|see also|references|sources",
    re.IGNORECASE,
)
"""Headings whose lists name things or give advice instead of steps."""


@define
class _HowTo:
    """A section that is becoming a document; offsets are into the whole file."""

    start: int
    title: str = ""
    passages: list[tuple[PassageKind, int, int]] = field(factory=list)


def read_markdown(source: Source) -> Iterator[Document | Discard]:
    """One document a how-to: its steps, and other paragraphs; nothing for a blank source.

    The title is the first heading. Several headings of the first level, each with content, are several how-tos.
    Each list item is a step, nested ones too, unless its heading says that it is none ("Ingredients"); its further
    paragraphs are paragraphs. Subheadings such as "Step 2: Boil the water" are steps. Code, HTML blocks and front
    matter are passed over.
    """
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    how_tos = [how_to for how_to in _how_tos(text) if how_to.passages]
    ends = [how_to.start for how_to in how_tos[1:]] + [len(text)]
    for number, (how_to, end) in enumerate(zip(how_tos, ends, strict=True), 1):
        start = how_to.start if number > 1 else 0
        yield Document(
            name=source.name if len(how_tos) == 1 else source.label(number),
            format="markdown",
            text=text[start:end],
            title=how_to.title,
            passages=[Passage(kind=kind, start=a - start, end=b - start) for kind, a, b in how_to.passages],
        )


def _how_tos(text: str) -> list[_HowTo]:
    front = _FRONT_MATTER.match(text)
    offset = front.end() if front else 0
    lines = [(start + offset, end + offset) for start, end in line_spans(text[offset:])]
    tokens = _BLOCKS.parse(text[offset:])
    several = sum(token.type == "heading_open" and token.tag == "h1" for token in tokens) > 1
    how_tos = [_HowTo(0)]
    heading: Token | None = None
    is_step_list = True
    items = 0
    first_in_item = False
    for token in tokens:
        if token.type == "heading_open":
            heading = token
        elif token.type == "heading_close":
            heading = None
        elif token.type == "list_item_open":
            items += 1
            first_in_item = True
        elif token.type == "list_item_close":
            items -= 1
        elif token.type == "inline" and heading is not None:
            current = how_tos[-1]
            is_step_list = not _NO_STEPS.fullmatch(token.content.strip().rstrip(":"))
            if several and heading.tag == "h1":
                how_tos.append(_HowTo(_span(text, lines, token)[0], token.content))
            elif not current.title and not current.passages:
                current.title = token.content
            elif prefix := _STEP_HEADING.match(token.content):
                start, end = _span(text, lines, token)
                current.passages.append((PassageKind.STEP, start + prefix.end(), end))
        elif token.type == "inline":
            start, end = _span(text, lines, token)
            kind = PassageKind.STEP if items and first_in_item and is_step_list else PassageKind.PARAGRAPH
            if items and first_in_item and (box := _CHECKBOX.match(text, start, end)):
                start = box.end()
            first_in_item = False
            if start < end:
                how_tos[-1].passages.append((kind, start, end))
    return how_tos


def _span(text: str, lines: list[tuple[int, int]], token: Token) -> tuple[int, int]:
    """Where the token's text stands; markers before it and after it are outside."""
    assert token.map is not None  # every inline token of the block parser has its lines
    first, end = token.map
    start = lines[first][0]
    opening = token.content.split("\n", 1)[0]
    # The parser replaces NUL and never changes a length, so the content is found by its length if not by itself.
    place = text.find(opening, *lines[first])
    if place < 0:
        place = start + len(text[slice(*lines[first])].rstrip()) - len(opening)
    last = lines[end - 1][1] if "\n" in token.content or token.content != opening else place + len(opening)
    return trimmed(text, place, max(last, place + len(opening)))
