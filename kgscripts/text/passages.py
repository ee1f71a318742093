"""Parsing a stream of passages of any length and content, with their character offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Context = TypeVar("Context")

MAX_CHARACTERS = 10_000
"""The longest piece that is parsed at once: about five pages. This bounds memory and recursion."""

_BATCH_SIZE = 32

# Control characters and line breaks: each is replaced by one space, so that offsets stay valid.
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
# Where a long paragraph is split, best first: line or sentence end, other punctuation, space.
_CUTS = (
    re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n"),
    re.compile(r"(?<=[,;:])\s+"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True)
class ParsedPiece(Generic[Context]):
    """A parsed passage, or a piece of a long one; `doc` begins at character `offset` of the passage."""

    context: Context
    offset: int
    doc: Doc


def parse_passages(nlp: Language, passages: Iterable[tuple[str, Context]]) -> Iterator[ParsedPiece[Context]]:
    """Yield the parse of each text with its context, in order.

    A text is split into paragraphs (a blank line ends a sentence), and paragraphs longer than `MAX_CHARACTERS` into
    several pieces, at sentence ends if possible. A token begins at character `token.idx + offset` of the original
    text, and `token.text` equals the text there, except that control characters are replaced by spaces. A passage
    without words gives an empty document.
    """
    pieces = (
        (readable(text[start:end]), (context, start)) for text, context in passages for start, end in split_text(text)
    )
    for doc, (context, offset) in nlp.pipe(pieces, as_tuples=True, batch_size=_BATCH_SIZE):
        yield ParsedPiece(context, offset, doc)


def readable(text: str) -> str:
    """The text with control characters and line breaks replaced by spaces; its length does not change."""
    return _SURROGATE.sub("\ufffd", _UNREADABLE.sub(" ", text))


def split_text(text: str, limit: int = MAX_CHARACTERS) -> Iterator[tuple[int, int]]:
    """Yield at least one span: paragraphs without surrounding white space, split into pieces of `limit` characters."""
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
    """The last suitable position for a split in the second half of a window."""
    middle = (start + limit) // 2
    for pattern in _CUTS:
        ends = [match.end() for match in pattern.finditer(text, middle, limit)]
        if ends:
            return ends[-1]
    return limit
