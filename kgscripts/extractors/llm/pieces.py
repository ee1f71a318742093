"""The pieces of a document that are asked about: one passage or a few, or a part of a long one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from kgscripts.text.passages import innermost
from schemas.records import Document

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+|\n+")
_BLANK = re.compile(r"\s+")
_WIDEST_GAP = 100
"""The most characters between two passages of a piece: they are sent too, as a heading is."""

Span = tuple[int, int]


@frozen
class Piece:
    """A stretch of a document, and the spans of the passages in it, or of their parts, in text order."""

    parts: tuple[Span, ...]

    @property
    def start(self) -> int:
        """Its first character."""
        return self.parts[0][0]

    @property
    def end(self) -> int:
        """The character after its last."""
        return self.parts[-1][1]

    def halves(self, text: str) -> tuple[Piece, Piece] | None:
        """Two pieces of about the same length; None for a single sentence. `text` is that of the document."""
        parts = self.parts if len(self.parts) > 1 else tuple(_sentences(text, *self.parts[0]))
        if len(parts) < 2:
            return None
        middle = (self.start + self.end) / 2
        cut = min(range(1, len(parts)), key=lambda number: abs(parts[number][0] - middle))
        return Piece(parts[:cut]), Piece(parts[cut:])


def pieces_of(document: Document, characters: int) -> list[Piece]:
    """The pieces of a document, with about so many characters at most."""
    passages = innermost(document.passages) if document.passages else ()
    spans = [(item.start, item.end) for item in passages] or [(0, len(document.text))]
    parts = [part for start, end in spans for part in _parts(document.text, start, end, characters)]
    pieces: list[Piece] = []
    for part in parts:
        last = pieces[-1] if pieces else None
        if last and part[0] - last.end <= _WIDEST_GAP and part[1] - last.start <= characters:
            pieces[-1] = Piece((*last.parts, part))
        else:
            pieces.append(Piece((part,)))
    return pieces


def _parts(text: str, start: int, end: int, characters: int) -> Iterator[Span]:
    """A passage, or its parts of whole sentences if it is longer; of a sentence that is longer, parts of words."""
    if not any(map(str.isalnum, text[start:end])):
        return
    if end - start <= characters:
        yield start, end
        return
    small = [
        part
        for sentence in _sentences(text, start, end)
        for part in ([sentence] if sentence[1] - sentence[0] <= characters else _cut(text, *sentence, characters))
    ]
    yield from _joined(small, characters)


def _joined(spans: Iterable[Span], characters: int) -> Sequence[Span]:
    result: list[Span] = []
    for start, end in spans:
        if result and end - result[-1][0] <= characters:
            result[-1] = result[-1][0], end
        else:
            result.append((start, end))
    return result


def _cut(text: str, start: int, end: int, characters: int) -> Iterator[Span]:
    words = _between(text, start, end, _BLANK)
    for first, last in _joined(words, characters):
        yield from ((place, min(place + characters, last)) for place in range(first, last, characters))


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    return _between(text, start, end, _SENTENCE_END)


def _between(text: str, start: int, end: int, separator: re.Pattern[str]) -> Iterator[Span]:
    place = start
    for match in separator.finditer(text, start, end):
        if any(map(str.isalnum, text[place : match.start()])):
            yield place, match.start()
            place = match.end()
    if any(map(str.isalnum, text[place:end])):
        yield place, end
