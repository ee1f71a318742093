"""What reading gives: documents, passages, event mentions and discards, immutable and validated when made.

All offsets are in Unicode code points into `Document.text`, end exclusive.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from typing import Any

from attrs import field, frozen, validators

from schemas.errors import RecordError


class PassageKind(StrEnum):
    """What a passage is. Readers give the first five, the text pipeline sentences, extractors mentions."""

    PARAGRAPH = "paragraph"
    STEP = "step"
    ABSTRACT = "abstract"
    CONCRETE = "concrete"
    SEGMENT = "segment"
    SENTENCE = "sentence"
    MENTION = "mention"


class Role(StrEnum):
    """The part that an entity plays in an event."""

    AGENT = "agent"
    PATIENT = "patient"
    RECIPIENT = "recipient"
    PLACE = "place"
    COMPANION = "companion"
    OTHER = "other"


class DiscardReason(StrEnum):
    """Why something that was read does not enter the graph."""

    NEGATED = "negated"
    HYPOTHETICAL = "hypothetical"
    PLANNED = "planned"
    MENTIONED = "merely mentioned"
    STATIVE = "state, not event"
    NO_CONTENT = "no content word"
    BELOW_SUPPORT = "below minimum support"
    CYCLE = "order contradicted by more frequent order"
    UNKNOWN_SCENARIO = "scenario not listed"
    DUPLICATE_ID = "duplicate id"
    DUPLICATE_SOURCE = "duplicate text"
    EMPTY = "empty source"
    MALFORMED = "malformed record"
    UNDECODABLE = "undecodable bytes"
    TOO_LONG = "too long"


def _span(instance: object, start: int, end: int) -> None:
    if not 0 <= start < end:
        raise RecordError(f"{type(instance).__name__} has the span {start}:{end}", remedy="0 <= start < end")


def _tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    """`tuple` itself, whose type mypy's attrs plugin does not see through."""
    return tuple(values)


def _rounded(value: float) -> float:
    """Four decimals: noise below that must not change any bytes. Adding zero turns -0.0 into 0.0."""
    return round(float(value), 4) + 0.0


@frozen(kw_only=True)
class Passage:
    """A stretch of a document's text."""

    kind: PassageKind = field(converter=PassageKind)
    start: int
    end: int

    def __attrs_post_init__(self) -> None:
        _span(self, self.start, self.end)


@frozen(kw_only=True)
class Argument:
    """A noun of an event: its lemma (compounds kept, "rolling pin"), its part, and where it stands."""

    lemma: str = field(validator=validators.min_len(1))
    role: Role = field(converter=Role)
    start: int
    end: int

    def __attrs_post_init__(self) -> None:
        _span(self, self.start, self.end)


@frozen(kw_only=True)
class Tool:
    """A thing that an event is done with."""

    lemma: str = field(validator=validators.min_len(1))
    start: int
    end: int

    def __attrs_post_init__(self) -> None:
        _span(self, self.start, self.end)


@frozen(kw_only=True)
class Action:
    """Predicate lemma, particle, object head, preposition and its head; "" where there is none.

    Free of any scenario: the place where different texts meet.
    """

    predicate: str = field(validator=validators.min_len(1))
    particle: str = ""
    object: str = ""
    preposition: str = ""
    prepositional_object: str = ""

    @property
    def label(self) -> str:
        """The action as words: ``pour out water into sink``."""
        return " ".join(part for part in self.key if part)

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What makes two actions the same."""
        return (self.predicate, self.particle, self.object, self.preposition, self.prepositional_object)


@frozen(kw_only=True)
class EventMention:
    """One event as one text tells it.

    `start:end` is the mention (first to last word of predicate, arguments and tools). `score` is the
    reader's confidence, 0 to 1 (rules give 1).
    """

    action: Action
    start: int
    end: int
    participants: tuple[Argument, ...] = field(default=(), converter=_tuple)
    tools: tuple[Tool, ...] = field(default=(), converter=_tuple)
    score: float = field(default=1.0, converter=_rounded, validator=[validators.ge(0), validators.le(1)])

    def __attrs_post_init__(self) -> None:
        _span(self, self.start, self.end)


def _nats(instance: object, _: object, value: float) -> None:
    if not -math.inf < value <= 0:
        raise RecordError(f"{type(instance).__name__} has the log probability {value}", remedy="finite and at most 0")


@frozen(kw_only=True)
class ConcreteStep:
    """One event by which an abstract one is done, as an alignment of the two sides of a pair says.

    `action` and `start:end` are those of its `EventMention`. `log_probability` (nats) is that of its words being
    aligned to the abstract event. `tools` are those of its tools that the abstract event is done with.
    """

    action: Action
    start: int
    end: int
    log_probability: float = field(converter=_rounded, validator=_nats)
    tools: tuple[Tool, ...] = field(default=(), converter=_tuple)

    def __attrs_post_init__(self) -> None:
        _span(self, self.start, self.end)


@frozen(kw_only=True)
class Decomposition:
    """An abstract event, by action and span those of its `EventMention`, and the steps by which it is done, in order.

    It adds no mention: the events are those that some extractor found in the same document.
    """

    action: Action
    start: int
    end: int
    steps: tuple[ConcreteStep, ...] = field(converter=_tuple, validator=validators.min_len(1))

    def __attrs_post_init__(self) -> None:
        _span(self, self.start, self.end)


@frozen(kw_only=True)
class AlignedPhrase:
    """A stretch `start:end` of the concrete side that the abstract word `word_start:word_end` produced.

    `log_probability` (nats) is the mean over its words of the posterior log probability of their links.
    """

    word_start: int
    word_end: int
    start: int
    end: int
    log_probability: float = field(converter=_rounded, validator=_nats)

    def __attrs_post_init__(self) -> None:
        _span(self, self.word_start, self.word_end)
        _span(self, self.start, self.end)


@frozen(kw_only=True)
class Discard:
    """Something that was read and left out: where, why and, where it helps, what."""

    reason: DiscardReason = field(converter=DiscardReason)
    where: str = ""
    start: int | None = None
    end: int | None = None
    detail: str = ""


@frozen(kw_only=True, slots=False)
class Document:
    """A source as its reader gives it: the original text and the passages that the format marks.

    `name` tells a person where it came from (``stories.jsonl#12``) and decides nothing. `scenario` is the label
    that the source itself carries. Passages lie in text order and inside the text.
    """

    name: str
    format: str
    text: str = field()
    title: str = ""
    scenario: str = ""
    passages: tuple[Passage, ...] = field(converter=_tuple)

    @text.validator
    def _encodable(self, _: object, text: str) -> None:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise RecordError(f"a lone surrogate at character {error.start}", where=self.name) from error

    @passages.validator
    def _inside(self, _: object, passages: tuple[Passage, ...]) -> None:
        last = (0, -len(self.text))
        for passage in passages:
            if passage.end > len(self.text):
                raise RecordError(
                    f"passage {passage.start}:{passage.end} lies outside its text of {len(self.text)} characters",
                    where=self.name,
                )
            if (passage.start, -passage.end) < last:
                raise RecordError(f"passage {passage.start}:{passage.end} is out of order", where=self.name)
            last = (passage.start, -passage.end)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that decides what can be read from the document; its name does not."""
        parts = [self.format, self.title, self.scenario, self.text]
        parts += [f"{passage.kind}:{passage.start}:{passage.end}" for passage in self.passages]
        content = "".join(f"{len(part)}:{part}" for part in parts)
        return hashlib.sha256(content.encode("utf-8")).hexdigest()


@frozen(kw_only=True)
class Reading:
    """What a reader found in one document. Sentences, events, decompositions and phrases lie in text order."""

    sentences: tuple[Passage, ...] = field(default=(), converter=_tuple)
    events: tuple[EventMention, ...] = field(default=(), converter=_tuple)
    discards: tuple[Discard, ...] = field(default=(), converter=_tuple)
    decompositions: tuple[Decomposition, ...] = field(default=(), converter=_tuple)
    phrases: tuple[AlignedPhrase, ...] = field(default=(), converter=_tuple)
