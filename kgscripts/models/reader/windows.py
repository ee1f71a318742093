"""Texts for the reader: words in sentences, and the windows of pieces in which they are read.

The windows of a text depend on this text alone, so that the same text is read the same way in any batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Protocol

from attrs import field, frozen

MOST_PIECES = 192
"""Of a window, with its title and what stands before."""
CONTEXT_PIECES = 48
"""Of the sentences before those that a window is for, at most."""
_TITLE_PIECES = 16
_MOST_IN_WORD = 12
"""A word has no more pieces than these; the rest of it is not read."""


@frozen
class ReaderText:
    """A text: its title, and the words of each sentence."""

    title: str
    sentences: Sequence[Sequence[str]]

    @cached_property
    def all_words(self) -> Sequence[str]:
        """The words of all sentences, by their numbers."""
        return [word for sentence in self.sentences for word in sentence]

    @property
    def words(self) -> int:
        """The number of words."""
        return sum(map(len, self.sentences))


@frozen
class Window:
    """Pieces that are read at once.

    Each word of the sentences has the places of its first piece and behind its last one, `spans`, (words, 2). `first`
    is the number of the window's first word in the text; what it says counts from word `own` on, the words before are
    only context.
    """

    pieces: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    first: int
    own: int


class Tokens(Protocol):
    """An encoder's tokenizer."""

    @property
    def start(self) -> int:
        """The id of the first piece of what is read."""

    @property
    def separator(self) -> int:
        """The id of the piece behind a part of it."""

    def pieces(self, text: str) -> list[int]:
        """The ids of the pieces of a word, at least one."""


@frozen
class Pieces:
    """Gives the pieces of words, each word computed once."""

    _encoder: Tokens
    _known: dict[str, list[int]] = field(factory=dict)

    def __call__(self, word: str) -> list[int]:
        """The ids of a word's pieces."""
        ids = self._known.get(word)
        if ids is None:
            ids = self._known[word] = self._encoder.pieces(word)[:_MOST_IN_WORD]
        return ids

    def windows(self, text: ReaderText) -> Iterator[Window]:
        """The windows of a text: as many whole sentences as a window has room for, behind the sentences before.

        A sentence that is longer than a window is cut.
        """
        encoder = self._encoder
        title = [piece for word in text.title.split() for piece in self(word)][:_TITLE_PIECES]
        opening = [encoder.start, *title, encoder.separator] if title else [encoder.start]
        room = MOST_PIECES - len(opening) - 1
        parts = [part for sentence in text.sentences for part in _cut([self(word) for word in sentence], room)]
        firsts = [0, *accumulate(map(len, parts))]
        lengths = [sum(map(len, part)) for part in parts]
        place = 0
        while place < len(parts):
            begin, used = place, 0
            # Context takes no room from the sentence that follows, which may be as long as a window.
            while begin > 0 and used + lengths[begin - 1] <= min(CONTEXT_PIECES, room - lengths[place]):
                begin -= 1
                used += lengths[begin]
            end = place
            while end < len(parts) and (end == place or used + lengths[end] <= room):
                used += lengths[end]
                end += 1
            words = [word for part in parts[begin:end] for word in part]
            ends = list(accumulate(map(len, words), initial=len(opening)))
            yield Window(
                pieces=(*opening, *(piece for word in words for piece in word), encoder.separator),
                spans=tuple(pairwise(ends)),
                first=firsts[begin],
                own=firsts[place],
            )
            place = end


def _cut(words: Sequence[list[int]], room: int) -> Iterator[Sequence[list[int]]]:
    """The words of a sentence, in parts that a window has room for."""
    begin, used = 0, 0
    for place, word in enumerate(words):
        if used + len(word) > room:
            yield words[begin:place]
            begin, used = place, 0
        used += len(word)
    if begin < len(words):
        yield words[begin:]
