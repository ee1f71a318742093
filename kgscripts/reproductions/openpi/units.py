"""The units of a document for a model of state changes: steps if the format marks them, else sentences."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from attrs import frozen

from kgscripts.extractors.events.nouns import is_predicate
from kgscripts.extractors.protocol import Parse, ParsedDocument
from kgscripts.text.passages import readable
from schemas.changes import ProcedureStep
from schemas.records import Discard, DiscardReason, EventMention, PassageKind

MOST_WORDS = 100
"""The most words of a step. A longer step is divided into sentences, and a longer sentence is cut; OpenPI's longest
step has 56 words."""

CONTEXT = 5
"""The number of earlier units that are the context of a unit."""

_WORD = re.compile(r"\S+")
_NOT_READ = frozenset({PassageKind.ABSTRACT, PassageKind.NEEDS})


@frozen
class Unit:
    """A stretch of a document, its text, the input of the model, and the mentions of events that begin in it."""

    start: int
    end: int
    text: str
    step: ProcedureStep
    mentions: tuple[EventMention, ...]


@frozen
class Units:
    """The units of a document in text order, and discards of text that is too long."""

    units: Sequence[Unit]
    discards: Sequence[Discard]


def read_units(parsed: ParsedDocument) -> Units:
    """The units of a document with its mentions of events; equal mentions count once. A step with an event is a unit,
    and so is a step without a predicate ("two cups of sugar"). A step with predicates but without an event is none: its
    events were left out (negated, hypothetical, …). Outside of steps, each sentence with an event is a unit. The
    abstract side of a pair, lists of needed things and text in which most letters are not Latin have no units.
    """
    units = _Found(parsed)
    for passage, group in groupby(parsed.parses, key=lambda parse: parse.passage):
        if passage.kind is PassageKind.ABSTRACT:
            continue
        parses = list(group)
        if passage.kind in _NOT_READ:
            continue
        text = parsed.document.text[passage.start : passage.end]
        if passage.kind is PassageKind.STEP and len(text.split()) <= MOST_WORDS:
            left_out = not units.mentions(passage.start, passage.end) and _has_predicate(parses)
            units.add(passage.start, passage.end, only_with_events=left_out)
        else:
            for start, end in _sentences(parses):
                units.add(start, end, only_with_events=True)
    return Units(units.units, units.discards)


class _Found:
    """The units of a document, as they are found in text order."""

    def __init__(self, parsed: ParsedDocument) -> None:
        self.units: list[Unit] = []
        self.discards: list[Discard] = []
        self._document = parsed.document
        self._title = " ".join(readable(parsed.document.title).split())
        mentions = parsed.records_of(EventMention)
        unique = {(mention.start, mention.end, mention.action.key): mention for mention in mentions}
        self._mentions = [unique[key] for key in sorted(unique)]
        self._starts = [mention.start for mention in self._mentions]
        self._context: deque[str] = deque(maxlen=CONTEXT)

    def mentions(self, start: int, end: int) -> tuple[EventMention, ...]:
        """The mentions that begin in a stretch of the document."""
        return tuple(self._mentions[bisect_left(self._starts, start) : bisect_left(self._starts, end)])

    def add(self, start: int, end: int, *, only_with_events: bool) -> None:
        """Add a unit, unless it has no usable text or lacks the events that it needs."""
        text = readable(self._document.text[start:end])
        words = list(_WORD.finditer(text))
        if not is_latin(text):
            return
        if len(words) > MOST_WORDS:
            cut = start + words[MOST_WORDS - 1].end()
            detail = f"a sentence of {len(words)} words, of which {MOST_WORDS} were read for state changes"
            self.discards.append(Discard(reason=DiscardReason.TOO_LONG, start=cut, end=end, detail=detail))
            end = cut
        mentions = self.mentions(start, end)
        if not mentions and only_with_events:
            return
        read = " ".join(word.group() for word in words[:MOST_WORDS])
        self.units.append(
            Unit(
                start,
                end,
                self._document.text[start:end],
                ProcedureStep(text=read, context=tuple(self._context), title=self._title),
                mentions,
            )
        )
        self._context.append(read)


def _has_predicate(parses: Iterable[Parse]) -> bool:
    tokens = (token for parse in parses for token in parse.doc)
    return any(is_predicate(token) or token.dep_ == "cop" for token in tokens)


def _sentences(parses: Iterable[Parse]) -> Iterator[tuple[int, int]]:
    for parse in parses:
        for sentence in parse.doc.sents:
            words = [token for token in sentence if not token.is_space]
            if words:
                yield parse.offset + words[0].idx, parse.offset + words[-1].idx + len(words[-1])


def is_latin(text: str) -> bool:
    """Whether most letters are Latin ones without diacritics."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(map(str.isascii, letters)) > len(letters)
