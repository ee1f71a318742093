"""Quotes: where the words that a model gives stand in the text. What does not stand there does not count."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import define, field

from schemas.records import Span


@define
class Quotes:
    """Finds quotes in a stretch of a text, and counts them."""

    text: str
    start: int
    end: int
    asked: int = field(default=0, init=False)
    held: int = field(default=0, init=False)

    def find(self, quote: str, within: Span | None = None, number: int = 0) -> Span | None:
        """The occurrence of a quote with that number, from 0 on, in the stretch or `within` a part of it.

        It stands there as whole words: literally, else but for blanks and case. None if it does not.
        """
        self.asked += 1
        start, end = (within.start, within.end) if within else (self.start, self.end)
        span = next((item for place, item in enumerate(self._occurrences(quote, start, end)) if place == number), None)
        self.held += span is not None
        return span

    def last_before(self, quote: str, end: int) -> Span | None:
        """The last occurrence of a quote that ends up to there; it is not counted as another quote."""
        return next(iter([*self._occurrences(quote, self.start, end)][::-1]), None)

    def _occurrences(self, quote: str, start: int, end: int) -> Iterator[Span]:
        if not any(map(str.isalnum, quote)):
            return
        literal = re.compile(re.escape(quote.strip()))
        loose = re.compile(r"\s+".join(map(re.escape, quote.split())), re.IGNORECASE)
        spans = [list(self._whole(pattern, start, end)) for pattern in (literal, loose)]
        yield from spans[0] or spans[1]

    def _whole(self, pattern: re.Pattern[str], start: int, end: int) -> Iterator[Span]:
        for match in pattern.finditer(self.text, start, end):
            if not any(_is_inside_word(self.text, place) for place in match.span()):
                yield Span(start=match.start(), end=match.end())


def _is_inside_word(text: str, place: int) -> bool:
    """Whether the characters around a place belong to one word."""
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()
