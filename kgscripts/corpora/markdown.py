"""Markdown how-tos: a title, and steps as numbered or bulleted items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import define, field
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kgscripts.corpora.plain_text import line_spans, paragraph_spans, title_line, trimmed
from kgscripts.corpora.source import Source, whole_text
from schemas.records import Discard, Document, Passage, PassageKind

# Only the blocks matter, and how-tos indent paragraphs without meaning code.
_BLOCKS = MarkdownIt("commonmark").disable("code")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_FENCE = re.compile(r"---[ \t]*(?:\r\n?|\n|$)")
_CHECKBOX = re.compile(r"\[[ xX]\]\s+")
_STEP_NUMBER = re.compile(r"(?:step\s+\d+\s*[.):–—-]*|\d+\s*[.)])\s+(?=\S)", re.IGNORECASE)
_NO_STEPS = re.compile(
    r"(?:the )?(?:ingredients|materials|supplies|tools|equipment|utensils|requirements|tips|warnings|notes)"
    r"|(?:what |things )?you (?:will )?need|(?:what |things )?you['’]ll need|see also|references|sources",
    re.IGNORECASE,
)
"""Headings of lists that contain things or advice instead of steps."""


def read_markdown(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per how-to, with its steps and other paragraphs; nothing for a blank source.

    The title is the first heading, or a first line that would be a title in plain text. Several headings of the first
    level, each with content, begin separate how-tos. Each list item is a step, including nested ones, unless the
    heading of the list excludes it ("Ingredients"); further paragraphs of an item are paragraphs. Subheadings such as
    "Step 2: Boil the water" are steps. Code, HTML blocks and front matter are skipped.
    """
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    how_tos = [how_to for how_to in _Blocks(text).how_tos() if how_to.passages]
    starts = [0, *(how_to.start for how_to in how_tos[1:]), len(text)]
    for number, how_to in enumerate(how_tos, 1):
        start, end = starts[number - 1 : number + 1]
        yield Document(
            name=source.name if len(how_tos) == 1 else source.label(number),
            format="markdown",
            text=text[start:end],
            title=how_to.title,
            passages=[Passage(kind=kind, start=a - start, end=b - start) for kind, a, b in how_to.passages],
        )


@define
class _HowTo:
    """A section that becomes a document; offsets refer to the whole file."""

    start: int
    title: str = ""
    passages: list[tuple[PassageKind, int, int]] = field(factory=list)


class _Blocks:
    """The blocks of a Markdown text, as how-tos."""

    def __init__(self, text: str) -> None:
        begin = _front_matter_end(text)
        self._tokens = _BLOCKS.parse(text[begin:])
        # The parser replaces NUL by another character.
        self._text = text.replace("\0", "\ufffd")
        self._lines = [(start + begin, end + begin) for start, end in line_spans(text[begin:])]
        self._several = sum(token.type == "heading_open" and token.tag == "h1" for token in self._tokens) > 1
        self._how_tos = [_HowTo(0)]
        self._is_step_list = True

    def how_tos(self) -> list[_HowTo]:
        """All sections in order, including those without content."""
        depth = 0
        is_item_start = False
        heading = ""
        for token in self._tokens:
            if token.type == "list_item_open":
                depth += 1
                is_item_start = True
            elif token.type == "list_item_close":
                depth -= 1
                is_item_start = False
            elif token.type == "heading_open":
                heading = token.tag
            elif token.type == "heading_close":
                heading = ""
            elif token.type == "inline" and token.content:
                if not depth:
                    self._is_step_list = not _NO_STEPS.fullmatch(token.content.strip("*_: \t"))
                if heading:
                    self._add_heading(token, heading)
                else:
                    self._add_paragraph(token, is_step=is_item_start and self._is_step_list)
                is_item_start = False
        self._find_title_without_heading()
        return self._how_tos

    def _find_title_without_heading(self) -> None:
        """A first line followed by a blank line is a title, as in plain text."""
        first = self._how_tos[0]
        spans = paragraph_spans(self._text)
        if not first.title and first.passages[1:] and spans and first.passages[0][1:] == spans[0]:
            first.title = title_line(self._text, spans)
            del first.passages[: bool(first.title)]

    def _add_heading(self, token: Token, tag: str) -> None:
        current = self._how_tos[-1]
        if self._several and tag == "h1":
            assert token.map is not None  # every block token has a line range
            self._how_tos.append(_HowTo(self._lines[token.map[0]][0], token.content))
        elif not current.title and not current.passages:
            current.title = token.content
        elif (number := _STEP_NUMBER.match(token.content)) and "\n" not in token.content:
            start, end = self._span(token)
            current.passages.append((PassageKind.STEP, start + number.end(), end))

    def _add_paragraph(self, token: Token, *, is_step: bool) -> None:
        start, end = self._span(token)
        if is_step and (box := _CHECKBOX.match(self._text, start, end)):
            start = box.end()
        if start < end:
            kind = PassageKind.STEP if is_step else PassageKind.PARAGRAPH
            self._how_tos[-1].passages.append((kind, start, end))

    def _span(self, token: Token) -> tuple[int, int]:
        """The span of a token's text, without the markers before and after it."""
        assert token.map is not None
        lines = self._lines[slice(*token.map)]
        opening, _, rest = token.content.partition("\n")
        # The parser keeps the end of a line; lines that it considers blank may come first.
        start = next((found for line in lines if (found := self._text.rfind(opening, *line)) >= 0), lines[0][0])
        return trimmed(self._text, start, lines[-1][1] if rest else start + len(opening))


def _front_matter_end(text: str) -> int:
    """The end of a block between ``---`` lines at the very beginning; 0 without one."""
    lines = line_spans(text)
    if not _FENCE.fullmatch(text, *next(lines, (0, 0))):
        return 0
    return next((end for start, end in lines if _FENCE.fullmatch(text, start, end)), 0)
