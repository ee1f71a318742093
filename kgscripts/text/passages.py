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
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
# Where a paragraph that is too long is cut, best first: line or sentence end, other punctuation, space.
_CUTS = (
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
    nlp: Language, passages: Iterable[tuple[str, Context]], *, batch_size: int = 32
) -> Iterator[ParsedPiece[Context]]:
    """The parse of each text, with the context it came with, in order.

    A text comes in a piece for each paragraph (blank lines end sentences too), and a paragraph longer than
    `MAX_CHARACTERS` in several, cut at sentence ends where there are any. `token.idx + offset` is the
    place of a token in the original text, whose characters `token.text` repeats except for control characters, which
    the parser sees as spaces. A passage without words gives an empty document.
    """
    pieces = (
        (readable(text[start:end]), (context, start)) for text, context in passages for start, end in split_text(text)
    )
    for doc, (context, offset) in nlp.pipe(pieces, as_tuples=True, batch_size=batch_size):
        yield ParsedPiece(context, offset, doc)


def readable(text: str) -> str:
    """The text with control characters and line breaks as spaces, of the same length."""
    return _SURROGATE.sub("\ufffd", _UNREADABLE.sub(" ", text))


def split_text(text: str, limit: int = MAX_CHARACTERS) -> Iterator[tuple[int, int]]:
    """Spans of the paragraphs, each at most `limit` characters long, without the space around them; one at least."""
    spans = [piece for start, end in _paragraphs(text) for piece in _pieces(text, start, end, limit)]
    trimmed = (_trimmed(text, start, end) for start, end in spans)
    found = [(start, end) for start, end in trimmed if start < end]
    yield from found or [(0, 0)]


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        yield start, blank.start()
        start = blank.end()
    yield start, len(text)


def _pieces(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    while end - start > limit:
        cut = _cut(text, start, start + limit)
        yield start, cut
        start = cut
    yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(text: str, start: int, limit: int) -> int:
    """The last good place to cut in the second half of a window."""
    middle = (start + limit) // 2
    for pattern in _CUTS:
        ends = [match.end() for match in pattern.finditer(text, middle, limit)]
        if ends:
            return ends[-1]
    return limit
