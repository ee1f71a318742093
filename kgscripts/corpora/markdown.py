"""Markdown how-tos: a title, and steps as numbered or bulleted items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from attrs import define, field
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kgscripts.corpora.boilerplate import is_boilerplate
from kgscripts.corpora.inline_markup import without_markup
from kgscripts.corpora.lines import is_list_heading, line_spans, marker_end, passages_of, trimmed
from kgscripts.corpora.list_markers import LONE, commands, list_marker
from kgscripts.corpora.needs import is_needs_heading
from kgscripts.corpora.plain_text import front_matter, title_line
from kgscripts.corpora.source import Source, whole_text
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind

# Only the blocks matter, and how-tos indent paragraphs without meaning code.
_BLOCKS = MarkdownIt("commonmark").disable("code")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_CHECKBOX = re.compile(r"\[[ xX]\]\s+")
_NUMBER = re.compile(r"\d+\s*[.)]\s+(?=\S)")
_DIGITS = re.compile(r"[0-9]+")
_FENCE = re.compile(r"`{3}|~{3}")
_KNOWN = re.compile(r"#{1,6}[ \t]|[>|<]|(?:[-*+]|\d{1,9}[.)])[ \t]")
"""The beginning of a line that Markdown knows."""
_TAG = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)
_NO_STEPS = re.compile(r"(?:the )?(?:tips|warnings|notes)|see also|references|sources", re.IGNORECASE)
"""Headings of lists that contain advice instead of steps."""


def read_markdown(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per how-to, with its steps and other paragraphs; nothing for a blank source.

    The title is the first heading, or a first line that would be a title in plain text. Several headings of the first
    level, each with content, begin separate how-tos. Each list item is a step, including nested ones, unless the
    heading of the list excludes it ("Ingredients"); further paragraphs of an item are paragraphs. Subheadings such as
    "Step 2: Boil the water" are steps. A list below a heading such as "You will need" is one passage of the kind
    *needs*. Code and HTML blocks are skipped; front matter gives title and scenario. The text of a document has no
    links (`without_links`), and spans refer to it.
    """
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    text = without_markup(text)
    blocks = _Blocks(text)
    how_tos = [how_to for how_to in blocks.how_tos() if how_to.passages]
    for line in blocks.html_lines():
        detail = "a block of HTML is not read; write its steps as a list of Markdown"
        yield source.discard(DiscardReason.MARKUP, line, detail)
    starts = [0, *(how_to.start for how_to in how_tos[1:]), len(text)]
    for number, how_to in enumerate(how_tos, 1):
        start, end = starts[number - 1 : number + 1]
        yield Document(
            name=source.name if len(how_tos) == 1 else source.label(number),
            format="markdown",
            text=text[start:end],
            title=how_to.title,
            scenario=blocks.front_matter.scenario,
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
        self.front_matter = front_matter(text)
        begin = self.front_matter.end
        self._tokens = _BLOCKS.parse(_with_usual_markers(text[begin:]))
        # The parser replaces NUL by another character.
        self._text = text.replace("\0", "\ufffd")
        self._lines = [(start + begin, end + begin) for start, end in line_spans(text[begin:])]
        titles = [
            heading.content
            for opening, heading in pairwise(self._tokens)
            if opening.type == "heading_open" and opening.tag == "h1" and not _is_step(heading.content)
        ]
        self._several = len(titles) > 1
        self._how_tos = [_HowTo(0, "" if self._several else self.front_matter.title)]
        self._is_step_list = True
        self._needs: int | None = None

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
            elif token.type == "ordered_list_open" and not depth and self._has_needs():
                self._needs = None  # a numbered list after the list of needed things has the steps
            elif token.type == "heading_open":
                heading = token.tag
            elif token.type == "heading_close":
                heading = ""
            elif token.type == "inline" and token.content:
                above = None if depth or heading or self._has_needs() else self._needs
                if not depth:
                    self._is_step_list = not _NO_STEPS.fullmatch(token.content.strip("*_: \t"))
                    self._needs = self._span(token)[0] if is_needs_heading(token.content) else None
                if is_boilerplate(token.content):
                    continue
                if depth and commands(token.content):
                    self._needs = None  # steps follow the list of needed things without a heading
                if heading:
                    self._add_heading(token, heading)
                elif depth and self._needs is not None:
                    self._add_needed(token, self._needs)
                elif above is None or not self._add_needed_lines(token, above):
                    self._add_paragraph(token, is_item=depth > 0, is_step=is_item_start and self._is_step_list)
                is_item_start = False
        self._find_title_without_heading()
        return self._how_tos

    def html_lines(self) -> Iterator[int]:
        """The first lines, from 1, of the blocks of HTML that have words."""
        above = self._text.count("\n", 0, self.front_matter.end)
        for token in self._tokens:
            if token.type == "html_block" and token.map is not None and re.search(r"\w", _TAG.sub("", token.content)):
                yield above + token.map[0] + 1

    def _has_needs(self) -> bool:
        """Whether the list of needed things has items already."""
        passages = self._how_tos[-1].passages
        return self._needs is not None and bool(passages) and passages[-1][:2] == (PassageKind.NEEDS, self._needs)

    def _find_title_without_heading(self) -> None:
        """A first line that would be a title in plain text is one."""
        first = self._how_tos[0]
        spans = [(start, end) for _, start, end in first.passages]
        if not first.title and spans[1:] and spans[0][0] == trimmed(self._text, self.front_matter.end, spans[0][1])[0]:
            title, end = title_line(self._text, spans)
            if title and spans[0][1] <= end:
                first.title = title
                del first.passages[0]

    def _add_heading(self, token: Token, tag: str) -> None:
        current = self._how_tos[-1]
        if self._several and tag == "h1" and not _is_step(token.content):
            assert token.map is not None  # every block token has a line range
            self._how_tos.append(_HowTo(self._lines[token.map[0]][0], token.content))
        elif not current.passages and self._is_title(current.title, token.content, tag):
            current.title = token.content
        elif "\n" not in token.content:
            start, end = self._span(token)
            number = _NUMBER.match(self._text, start, end)
            body = number.end() if number else marker_end(self._text, start, end)
            if start < body < end:
                current.passages.append((PassageKind.STEP, body, end))

    def _is_title(self, title: str, heading: str, tag: str) -> bool:
        """Whether a heading that nothing precedes is the title; one of the first level replaces the front matter's."""
        known = bool(title) and (tag != "h1" or title != self.front_matter.title)
        return not known and not is_list_heading(heading) and not _is_step(heading)

    def _add_paragraph(self, token: Token, *, is_item: bool, is_step: bool) -> None:
        start, end = self._span(token)
        if is_step and (box := _CHECKBOX.match(self._text, start, end)):
            start = box.end()
        if is_step:
            start = marker_end(self._text, start, end)
        passages = self._how_tos[-1].passages
        if not is_item:
            passages += ((item.kind, item.start, item.end) for item in passages_of(self._text, [(start, end)]))
        elif start < end:
            passages.append((PassageKind.STEP if is_step else PassageKind.PARAGRAPH, start, end))

    def _add_needed(self, token: Token, heading: int) -> None:
        """Extend the list below a heading by an item."""
        end = self._span(token)[1]
        passages = self._how_tos[-1].passages
        while passages and passages[-1][1] >= heading:
            passages.pop()  # the list so far, or its heading as a paragraph
        passages.append((PassageKind.NEEDS, heading, end))

    def _add_needed_lines(self, token: Token, heading: int) -> bool:
        """Add a paragraph below a heading of needed things, if its lines name them."""
        listed = passages_of(self._text, [(heading, self._span(token)[1])])
        if is_needs := listed[0].kind is PassageKind.NEEDS:
            self._how_tos[-1].passages += ((item.kind, item.start, item.end) for item in listed)
        return is_needs

    def _span(self, token: Token) -> tuple[int, int]:
        """The span of a token's text, without the markers before and after it."""
        assert token.map is not None
        lines = self._lines[slice(*token.map)]
        opening, _, rest = token.content.partition("\n")
        # The parser keeps the end of a line; lines that it considers blank may come first.
        start = next((place for line in lines if (place := self._text.rfind(opening, *line)) >= 0), lines[0][0])
        return trimmed(self._text, start, lines[-1][1] if rest else start + len(opening))


def _with_usual_markers(text: str) -> str:
    """The text with the markers of Markdown for those that it does not know, and headings of lists as headings.

    Lines stay lines, and their words stay. The item of a line that is a marker alone is the line after it; such a "-"
    would make a heading of the line before it.
    """
    lines: list[str] = []
    fence = lone = ""
    for start, end in line_spans(text):
        first, last = trimmed(text, start, end)
        line, before, after = text[first:last], text[start:first], text[last:end]
        is_fence = _FENCE.match(line)
        if is_fence and (not fence or line.startswith(fence)):
            fence = "" if fence else is_fence[0]
        if is_fence or fence or not line:
            lines.append(text[start:end])
        elif LONE.fullmatch(line):
            lone = "1. " if line.strip("()[].:/").isdecimal() else lone or "- "
            lines.append(after)
        elif _KNOWN.match(line):
            lone = ""
            lines.append(text[start:end])
        elif is_list_heading(line):
            lone = ""
            lines.append(f"{before}###### {line}{after}")
        else:
            if marker := list_marker(text, first, last):
                number = _DIGITS.search(marker[0])
                lone = f"{number[0]}. " if number else "1. " if any(map(str.isalnum, marker[0])) else "- "
            lines.append(f"{before}{lone}{text[marker.end() if marker else first : last]}{after}")
            lone = ""
    return "".join(lines)


def _is_step(heading: str) -> bool:
    """Whether a heading is a step: "Step 2: Boil the water"."""
    return marker_end(heading, 0, len(heading)) > 0
