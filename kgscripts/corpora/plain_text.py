"""Plain text: paragraphs, and a title where a blank line follows the first line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgscripts.corpora.source import Source, whole_text
from schemas.records import Discard, Document, Passage, PassageKind

_LINE = re.compile(r"[^\r\n]+(?:\r\n?|\n)?|\r\n?|\n")
_TITLE_CHARACTERS = 80
_FINAL_PUNCTUATION = tuple(".!?:;,…\"”'’")


def read_plain_text(source: Source) -> Iterator[Document | Discard]:
    """Yield one document with its paragraphs, which are separated by blank lines; nothing for a blank source.

    A first line of at most 80 characters without final punctuation, followed by a blank line and more text, is the
    title and not a paragraph.
    """
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    spans = paragraph_spans(text)
    title = title_line(text, spans)
    if title:
        spans = spans[1:]
    if spans:
        passages = [Passage(kind=PassageKind.PARAGRAPH, start=start, end=end) for start, end in spans]
        yield Document(name=source.name, format="text", text=text, title=title, passages=passages)


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans of all lines, including the line end: ``\\n``, ``\\r\\n`` or ``\\r``."""
    for match in _LINE.finditer(text):
        yield match.span()


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without surrounding white space; `start == end` where nothing is left."""
    stripped = text[start:end].rstrip()
    end = start + len(stripped)
    return end - len(stripped.lstrip()), end


def paragraph_spans(text: str) -> list[tuple[int, int]]:
    """The spans of paragraphs, which blank lines separate, without surrounding white space."""
    spans: list[tuple[int, int]] = []
    first: int | None = None
    for start, end in line_spans(text):
        blank = text[start:end].isspace()
        if blank and first is not None:
            spans.append(trimmed(text, first, start))
            first = None
        elif not blank and first is None:
            first = start
    if first is not None:
        spans.append(trimmed(text, first, len(text)))
    return spans


def joined_lines(parts: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The parts as lines of one text, and the spans of those that are not blank."""
    text = "\n".join(parts)
    spans = []
    start = 0
    for part in parts:
        spans.append(trimmed(text, start, start + len(part)))
        start += len(part) + 1
    return text, [(first, end) for first, end in spans if first < end]


def title_line(text: str, spans: list[tuple[int, int]]) -> str:
    """The first paragraph if it is a title, else ""."""
    if len(spans) < 2:
        return ""
    first = text[slice(*spans[0])]
    if len(first) > _TITLE_CHARACTERS or "\n" in first or "\r" in first or first.endswith(_FINAL_PUNCTUATION):
        return ""
    return first
