"""Plain text: front matter, a title, steps, lists of what is needed, and paragraphs.

Front matter is lines ``key: value`` between ``---`` lines at the beginning of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from kgscripts.corpora.inline_markup import without_markup
from kgscripts.corpora.lines import FINAL, are_commands, is_title, is_unfinished, line_spans, passages_of, trimmed
from kgscripts.corpora.list_markers import list_marker
from kgscripts.corpora.messages import messages_of, without_stamps
from kgscripts.corpora.scenarios.labels import names_scenario
from kgscripts.corpora.source import Source, whole_text
from kgscripts.text.lexicon import word_list
from kgscripts.titles.keys import is_command, named_thing
from kgscripts.titles.plain import label_end
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
_TITLE_WORDS = 9
_LOWER_CASE = word_list("articles", "prepositions") | {"and", "or"}
"""Words without a capital letter in titles that have them."""
_FINAL_PUNCTUATION = tuple(".!?:;,…\"”'’")
_LIVELY_PUNCTUATION = tuple("!?:…")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_UNDERLINE = re.compile(r"(?:-{3,}|={3,}|~{3,}|_{3,}|\*{3,}|#{3,}|—+|═+|─+)")


def read_plain_text(source: Source) -> Iterator[Document | Discard]:
    """Yield one document; nothing for a blank source.

    Blank lines separate paragraphs; `passages_of` says how they become passages. The title is that of the front matter,
    or a first line of at most 80 characters without final punctuation, if a blank line follows, or a step or list, or
    if it is underlined. Right above prose, a line is a title if it names an activity ("How to plant a tree"), or looks
    like a title. What names an activity may end with a colon, "?" or "!", and have "Re:" or "#2" before it.
    """
    text = whole_text(source)
    if isinstance(text, Discard):
        yield text
        return
    document = document_of_text(source.name, without_stamps(without_markup(text)))
    if document.passages:
        yield document


def document_of_text(name: str, text: str) -> Document:
    """A plain text as a document; it has no passages if the text is blank."""
    said = front_matter(text)
    spans: Sequence[tuple[int, int]] = paragraph_spans(text, said.end)
    if messages := messages_of(text, spans):
        spans, title = messages.spans, messages.subject if names_scenario(messages.subject) else ""
    else:
        title, end = title_line(text, spans)
        spans = without_title(spans, end)
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


def title_line(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, int]:
    """The title that paragraphs begin with, and where the text below it begins; "" and 0 without a title."""
    if not spans:
        return "", 0
    start, end = spans[0]
    lines = [trimmed(text, start + first, start + last) for first, last in line_spans(text[start:end])]
    line, *rest = (text[slice(*line)] for line in lines)
    begin = label_end(line)
    title = line[begin:]
    following = rest or [text[slice(*span)] for span in spans[1:2]]
    is_counted = any(map(str.isdigit, line[:begin])) and any(label_end(other) for other in following)
    if is_counted or len(title) > _TITLE_CHARACTERS or not is_title(title) or not _ends_title(title):
        return "", 0
    below = lines[0][1]
    if rest and _UNDERLINE.fullmatch(rest[0]):
        return title, lines[1][1]
    if rest and (list_marker(text, *lines[1]) or not is_title(rest[0])):
        return title, below
    if not rest:
        follows = len(spans) > 1 and (names_scenario(title) or not are_commands(text, spans))
    else:
        apart = passages_of(text, spans[:1])[0].end <= below
        follows = (apart and names_scenario(title)) or _stands_above(title, rest)
    return (title, below) if follows else ("", 0)


def _ends_title(line: str) -> bool:
    """Whether a line ends as titles do: without punctuation, or with a colon, "?" or "!" if it names an activity."""
    names = names_scenario(line) or named_thing(line) is not None
    return not line.endswith(_FINAL_PUNCTUATION) or (names and line.endswith(_LIVELY_PUNCTUATION))


def _stands_above(title: str, rest: Sequence[str]) -> bool:
    """Whether a line is a title right above the lines of a paragraph, and not the beginning of its first sentence."""
    is_wrapped = len(title) + len(rest[0].split(maxsplit=1)[0]) >= max(map(len, rest))
    if not rest[0][0].isupper() or is_unfinished(title) or (is_wrapped and len(rest) > 1):
        return False
    words = [word for word in title.split() if word[0].isalpha()]
    # Names of people are capitalised too, so that one word may be the beginning of a line of a chat or a play.
    looks_so = 1 < len(words) < _TITLE_WORDS and all(word[0].isupper() or word in _LOWER_CASE for word in words)
    is_prose = all(line.endswith(FINAL) for line in rest)
    # Where each line is a step, the first may only lack its full stop.
    looks_so |= len(rest) == 1 and len(_SENTENCE_END.findall(rest[0])) > 1 and is_command(title)
    return names_scenario(title) or (
        is_prose and ":" not in title[:-1] and (looks_so or named_thing(title) is not None)
    )


def without_title(spans: Sequence[tuple[int, int]], end: int) -> list[tuple[int, int]]:
    """The spans of paragraphs without a title that ends there."""
    return [(max(start, end), last) for start, last in spans if last > end]
