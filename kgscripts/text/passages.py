"""Parsing a stream of passages, of whatever length and content, without losing their offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from spacy.language import Language
from spacy.tokens import Doc

Context = TypeVar("Context")

MAX_CHARACTERS = 10_000
"""The longest piece that is parsed at once: about five pages. Memory and recursion stay bounded by it."""

# Characters that no tokenizer should see, and line breaks: each becomes one character, so that offsets hold.
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Where a long text is cut, best first: paragraph, line or sentence end, other punctuation, space.
_CUTS = (
    re.compile(r"\n[ \t\r]*\n\s*"),
    re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n"),
    re.compile(r"(?<=[,;:])\s+"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True)
class ParsedPiece(Generic[Context]):
    """A parsed passage, or a piece of a long one; `offset` is the place of `doc` in the passage, in characters."""

    context: Context
    offset: int
    doc: Doc


def parse_passages(
    nlp: Language, passages: Iterable[tuple[str, Context]], *, batch_size: int = 128
) -> Iterator[ParsedPiece[Context]]:
    """The parse of each text, with the context it came with, in order.

    A text longer than `MAX_CHARACTERS` comes in several pieces, cut at paragraphs or sentence ends where there are
    any. `token.idx + offset` is the place of a token in the original text, whose characters `token.text` repeats
    except for control characters, which the parser sees as spaces. Empty passages give an empty document.
    """
    pieces = (
        (readable(text[start:end]), (context, start)) for text, context in passages for start, end in split_long(text)
    )
    for doc, (context, offset) in nlp.pipe(pieces, as_tuples=True, batch_size=batch_size):
        yield ParsedPiece(context, offset, doc)


def readable(text: str) -> str:
    """The text with control characters and line breaks as spaces, of the same length."""
    return _SURROGATE.sub("\ufffd", _UNREADABLE.sub(" ", text))


def split_long(text: str, limit: int = MAX_CHARACTERS) -> Iterator[tuple[int, int]]:
    """Spans of at most `limit` characters that together are the text."""
    start = 0
    while len(text) - start > limit:
        end = _cut(text, start, start + limit)
        yield start, end
        start = end
    yield start, len(text)


def _cut(text: str, start: int, limit: int) -> int:
    """The last good place to cut in the second half of a window."""
    middle = (start + limit) // 2
    for pattern in _CUTS:
        ends = [match.end() for match in pattern.finditer(text, middle, limit)]
        if ends:
            return ends[-1]
    return limit
