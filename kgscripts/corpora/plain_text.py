"""Plain text: front matter, a title, steps, lists of what is needed, and paragraphs.

Front matter is lines ``key: value`` between ``---`` lines at the beginning of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from kgscripts.corpora.inline_markup import without_markup
from kgscripts.corpora.lines import are_commands, is_title, line_spans, passages_of, trimmed
from kgscripts.corpora.list_markers import list_marker
from kgscripts.corpora.scenarios.labels import names_scenario
from kgscripts.corpora.source import Source, whole_text
from schemas.records import Discard, Document

_FENCE = re.compile(r"---[ \t]*(?:\r\n?|\n|$)")
_END = re.compile(r"(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|$)")
_FIELD = re.compile(r"([^\W\d][\w -]{0,40}):(?:[ \t]+([^\r\n]*))?(?:\r\n?|\n|$)")
_OTHER = re.compile(r"(?:[ \t]+\S[^\r\n]*|[ \t]*#[^\r\n]*|-[ \t][^\r\n]*|[ \t]*)(?:\r\n?|\n|$)")
"""Comments, lists and indented lines, which values of other keys consist of."""
_COMMENT = re.compile(r"[ \t]#.*")


@frozen
class FrontMatter:
    """The content of front matter; `end` is the start of the text after it, 0 without front matter."""

    end: int = 0
    title: str = ""
    scenario: str = ""


def front_matter(text: str) -> FrontMatter:
    """The front matter of a text. A block with other lines than those of YAML, or without an end, is text.

    ``title`` and ``scenario`` are read, in any case and with or without quotes; other keys are ignored.
    """
    lines = line_spans(text)
    if not _FENCE.fullmatch(text, *next(lines, (0, 0))):
        return FrontMatter()
    fields: dict[str, str] = {}
    for start, end in lines:
        if _END.fullmatch(text, start, end):
            return FrontMatter(end, fields.get("title", ""), fields.get("scenario", "")) if fields else FrontMatter()
        field = _FIELD.fullmatch(text, start, end)
        if field:
            fields.setdefault(field[1].strip().lower(), _value((field[2] or "").strip()))
        elif not _OTHER.fullmatch(text, start, end):
            break
    return FrontMatter()


def _value(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].strip()
    return "" if value.startswith("#") else _COMMENT.sub("", value).strip()


_TITLE_CHARACTERS = 80
_FINAL_PUNCTUATION = tuple(".!?:;,…\"”'’")


def read_plain_text(source: Source) -> Iterator[Document | Discard]:
    """Yield one document; nothing for a blank source.

    Blank lines separate paragraphs; `passages_of` says how they become passages. The title is that of the front matter,
    or a first line of at most 80 characters without final punctuation, if a blank line follows, or a step or list, or
    if it names a scenario ("How to plant a tree") and lines without final punctuation follow.
    """
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    document = document_of_text(source.name, without_markup(text))
    if document.passages:
        yield document


def document_of_text(name: str, text: str) -> Document:
    """A plain text as a document; it has no passages if the text is blank."""
    said = front_matter(text)
    spans = paragraph_spans(text, said.end)
    title = title_line(text, spans)
    if title:
        spans = without_line(spans, title)
    return Document(
        name=name,
        format="text",
        text=text,
        title=said.title or title,
        scenario=said.scenario,
        passages=passages_of(text, spans),
    )


def paragraph_spans(text: str, begin: int = 0) -> list[tuple[int, int]]:
    """The spans of paragraphs from `begin` on, which blank lines separate, without surrounding white space."""
    spans: list[tuple[int, int]] = []
    first: int | None = None
    for start, end in ((begin + start, begin + end) for start, end in line_spans(text[begin:])):
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
    """The line that paragraphs begin with if it is a title, else ""."""
    if not spans:
        return ""
    start, end = spans[0]
    lines = [trimmed(text, start + first, start + last) for first, last in line_spans(text[start:end])]
    first, *rest = (text[slice(*line)] for line in lines)
    if len(first) > _TITLE_CHARACTERS or first.endswith(_FINAL_PUNCTUATION) or not is_title(first):
        return ""
    if rest and (list_marker(text, *lines[1]) or not is_title(rest[0])):
        return first
    if names_scenario(first):
        follows = len(spans) > 1 if not rest else passages_of(text, spans[:1])[0].end <= lines[0][1]
    else:
        follows = not rest and len(spans) > 1 and not are_commands(text, spans)
    return first if follows else ""


def without_line(spans: list[tuple[int, int]], line: str) -> list[tuple[int, int]]:
    """The spans of paragraphs without the line that the first begins with."""
    start, end = spans[0][0] + len(line), spans[0][1]
    return [*([(start, end)] if start < end else []), *spans[1:]]
