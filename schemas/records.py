"""Records: the results of reading a text. Closed, immutable and validated when made.

Each class below `Document` is a *kind* of record: the record store keeps one table for each kind, whose columns follow
from the fields of the class. A new kind is a class here and the assembly rules that use it. All offsets are in Unicode
code points into `Document.text`, end exclusive.
"""

from __future__ import annotations

import hashlib
import math
from enum import StrEnum
from functools import cached_property

from attrs import AttrsInstance, converters, field, frozen, validators

from schemas.changes import Level
from schemas.declared import Declared, Spanned, check_span
from schemas.declared import Span as Span
from schemas.errors import RecordError


class PassageKind(StrEnum):
    """The kinds of passages: those that the format marks, then segments of a scenario, sentences, and mentions of
    events. *needs* is a list of things that an activity needs, with its heading ("You will need: a spade"); *section*
    is a group of steps with its heading ("For the sauce"), of which only the steps are parsed. *script* is a written
    script, which is not parsed.
    """

    PARAGRAPH = "paragraph"
    STEP = "step"
    NEEDS = "needs"
    SECTION = "section"
    SCRIPT = "script"
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


class ToolRole(StrEnum):
    """The role of a tool in its event: an instrument, a container, a machine or a surface."""

    INSTRUMENT = "instrument"
    CONTAINER = "container"
    APPLIANCE = "appliance"
    SUPPORT = "support"


INFERRED = 0.85
"""The confidence in a tool that is inferred from an event before; that in one that the event names is 1."""

OF_PLACE = frozenset({ToolRole.CONTAINER, ToolRole.SUPPORT})
"""The roles of things in or on which an event is done. Lists of tools have the other roles first."""


class DiscardReason(StrEnum):
    """Why something in a text does not enter the graph."""

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
    UNREADABLE = "unreadable file"
    NOT_INSTALLED = "package not installed"
    UNDECODABLE = "undecodable bytes"
    TOO_LONG = "too long"
    MARKUP = "markup, not prose"
    CODE = "code or data, not prose"
    LOG = "log, not prose"
    TABLE = "table, not prose"
    UNREAD_COLUMN = "column not read"
    OTHER_LANGUAGE = "not in English"
    NO_SUCH_EVENT = "refers to no event"
    NOT_IN_TEXT = "words that the text does not have"
    NOT_LISTED = "not what the word lists allow"
    MISPLACED_SPAN = "span in no passage"
    EXTRACTOR_FAILED = "extractor failed"
    REQUIRED_MISSING = "required records missing"
    REJECTED = "rejected by a person"
    UNMATCHED_CORRECTION = "correction that matches nothing"
    CONTRADICTED_CORRECTION = "correction that a later one contradicts"


def _rounded(value: float) -> float:
    """Four decimals: noise below that must not change any bytes. Adding zero turns -0.0 into 0.0."""
    return round(float(value), 4) + 0.0


@frozen(kw_only=True)
class Passage(Spanned):
    """A stretch of a document's text."""

    kind: PassageKind = field(converter=PassageKind)
    start: int
    end: int


@frozen(kw_only=True)
class Argument(Spanned):
    """A noun of an event: its lemma (compounds kept, "rolling pin"), its part, and its span."""

    lemma: str = field(validator=validators.min_len(1))
    role: Role = field(converter=Role)
    start: int
    end: int


@frozen(kw_only=True)
class Tool(Spanned):
    """A thing that an event is done with, and its part in the event.

    `inferred` is true if the words of the event do not name it and it follows from an event before, which does:
    `start:end` is the name there. Its confidence is `INFERRED` times that of the event.
    """

    lemma: str = field(validator=validators.min_len(1))
    role: ToolRole = field(default=ToolRole.INSTRUMENT, converter=ToolRole)
    start: int
    end: int
    inferred: bool = False


class MeasureKind(StrEnum):
    """What a measure is: how much or how many, how large, or how long an event takes."""

    QUANTITY = "quantity"
    SIZE = "size"
    DURATION = "duration"


@frozen(kw_only=True)
class Measure:
    """A measure that an event names: "2 tbsp" of oil, "23 cm" of a tin, "20 to 25 minutes".

    `words` are as written, with the unit, and white space as single spaces. `thing` is the lemma of the participant or
    tool that has the quantity or the size; "" for a duration, which is that of the event.
    """

    kind: MeasureKind = field(converter=MeasureKind)
    words: str = field(validator=validators.min_len(1))
    thing: str = ""


@frozen(kw_only=True)
class Action:
    """Predicate lemma, particle, object head, preposition and its head; "" where there is none.

    It is independent of any scenario, so that different texts share it.
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
        """The key of the action: actions with the same key are the same."""
        return (self.predicate, self.particle, self.object, self.preposition, self.prepositional_object)


@frozen(kw_only=True)
class Sentence(Spanned):
    """A sentence of a document."""

    start: int
    end: int


@frozen(kw_only=True)
class Segment(Spanned):
    """A stretch of text that is about a scenario; segments may overlap, and one stretch may have several scenarios.

    `confidence` is the probability that the text is about the scenario, 0 to 1 (1 for labels).
    """

    scenario: str = field(validator=validators.min_len(1))
    start: int
    end: int
    confidence: float = field(default=1.0, converter=_rounded, validator=[validators.ge(0), validators.le(1)])


@frozen(kw_only=True)
class SentenceVector(Spanned):
    """The vector of a sentence by MiniLM (`kgscripts.models.sentence_vectors`), as base64."""

    start: int
    end: int
    values: str = field(validator=validators.min_len(1))


@frozen(kw_only=True)
class EventMention(Spanned):
    """One mention of an event.

    `start:end` covers predicate, arguments and tools. `measures` are those of its participants, its tools and the
    event itself. `score` is the extractor's confidence, 0 to 1 (rules give 1). Mentions of the same action with the
    same span are one mention, whoever found it.

    `instructed` is whether the text tells its reader to do it ("whisk the eggs"), and not what somebody did. `words`
    and `phrase` say the action to a reader, as an instruction does, with articles and in English order: "take the bag"
    and "to the kitchen"; "" if the extractor has no such words. `clause` is what this text says ("take the blue bag to
    the kitchen"), "" where that says it no better.
    """

    action: Action
    start: int
    end: int
    words: str = ""
    phrase: str = ""
    clause: str = ""
    participants: tuple[Argument, ...] = field(default=(), converter=tuple[Argument, ...])
    tools: tuple[Tool, ...] = field(default=(), converter=tuple[Tool, ...])
    measures: tuple[Measure, ...] = field(default=(), converter=tuple[Measure, ...])
    instructed: bool = False
    score: float = field(default=1.0, converter=_rounded, validator=[validators.ge(0), validators.le(1)])


@frozen(kw_only=True)
class Need(Spanned):
    """A thing that a document lists as needed for its activity: a tool with its role, or a supply, which has none.

    `start:end` is the item of the list ("2 cups of flour, sifted"), `lemma` the thing alone ("flour"), and `amount` how
    much or how large, as written with its unit ("2 cups"), "" if the item does not say it. Each of `instead` does as
    well, and `optional` is what one may do without.
    """

    lemma: str = field(validator=validators.min_len(1))
    role: ToolRole | None = field(default=None, converter=converters.optional(ToolRole))
    amount: str = ""
    instead: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    optional: bool = False
    start: int
    end: int


class Importance(StrEnum):
    """How much a step belongs to a script: it cannot be left out, most people do it, or some do."""

    ESSENTIAL = "essential"
    USUAL = "usual"
    OPTIONAL = "optional"


@frozen(kw_only=True)
class WrittenStep(Spanned):
    """What a person wrote of a step: its name, other `wordings`, how important it is, and which steps it must precede.

    `start:end` is the span of its name and of its `EventMention`; `before` are the starts of the names of the other
    steps, all of them, and `instead_of` is that of the step that it replaces. Where a document has such records, they
    alone tell the order of its steps. `conditions` say when it is done, with their first word ("if the nut is rusty",
    "unless it rains"). `variants` are ways to do the activity, which alone have it, and `left_out_of` those that do
    without it; `parts` are what it consists of.
    """

    name: str = field(validator=validators.min_len(1))
    wordings: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    importance: Importance = field(converter=Importance)
    conditions: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    variants: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    left_out_of: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    parts: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    before: tuple[int, ...] = field(default=(), converter=tuple[int, ...])
    instead_of: int | None = None
    start: int
    end: int


@frozen(kw_only=True)
class WrittenScript(Spanned):
    """What a person wrote of an activity: its other names. `start:end` is the span of its name."""

    also: tuple[str, ...] = field(converter=tuple[str, ...])
    start: int
    end: int


def _nats(instance: object, _: object, value: float) -> None:
    if not -math.inf < value <= 0:
        raise RecordError(f"{type(instance).__name__} has the log probability {value}", remedy="finite and at most 0")


@frozen(kw_only=True)
class ConcreteStep(Spanned):
    """One event by which an abstract one is done, according to the alignment of the two sides of a pair.

    `action` and `start:end` are those of its `EventMention`. `log_probability` (nats) is that of its words being
    aligned to the abstract event. `tools` are those of its tools that the abstract event is done with.
    """

    action: Action
    start: int
    end: int
    log_probability: float = field(converter=_rounded, validator=_nats)
    tools: tuple[Tool, ...] = field(default=(), converter=tuple[Tool, ...])


@frozen(kw_only=True)
class Decomposition(Spanned):
    """An abstract event, by action and span those of its `EventMention`, and the steps by which it is done, in order.

    It adds no mention: the events are those that some extractor found in the same document. Steps that refer to no
    event are discarded.
    """

    action: Action
    start: int
    end: int
    steps: tuple[ConcreteStep, ...] = field(converter=tuple[ConcreteStep, ...], validator=validators.min_len(1))


@frozen(kw_only=True)
class StateChange(Spanned):
    """A change that a step of a document brings about: an attribute of an entity, its values before and after.

    `start:end` is the span of the `EventMention` that brings it about, and `action` is its action. Where no event is
    found, `action` is None and the span is that of the step or sentence. `mentioned` is the last mention of the entity
    in the step or before it; None if the document does not mention the entity up to there. `probability` is that of the
    change being true, which is at least that of its `level`.
    """

    entity: str = field(validator=validators.min_len(1))
    attribute: str = field(validator=validators.min_len(1))
    before: str
    after: str = field(validator=validators.min_len(1))
    action: Action | None
    start: int
    end: int
    mentioned: Span | None
    probability: float = field(converter=_rounded, validator=[validators.ge(0), validators.le(1)])
    level: Level = field(converter=Level)


@frozen(kw_only=True)
class AlignedPhrase(Spanned):
    """A stretch `start:end` of the concrete side that the abstract word `word_start:word_end` produced.

    `log_probability` (nats) is the mean over its words of the posterior log probability of their links.
    """

    word_start: int
    word_end: int
    start: int
    end: int
    log_probability: float = field(converter=_rounded, validator=_nats)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        check_span(self, self.word_start, self.word_end)


@frozen(kw_only=True)
class Discard:
    """Something that was left out: why, where it was found, and details."""

    reason: DiscardReason = field(converter=DiscardReason)
    where: str = ""
    start: int | None = None
    end: int | None = None
    detail: str = ""


def _without_nul(label: str) -> str:
    """A label in which blanks stand for NUL characters, which stores refuse."""
    return label.replace("\0", " ")


@frozen(kw_only=True, slots=False)
class Document:
    """A source as its reader gives it: the original text and the passages that the format marks.

    `name` says for people where it came from (``stories.jsonl#12``) and has no other effect. `scenario` is the label
    that the source itself carries. Passages lie in text order and inside the text. `declared` is what the source
    declares that its activity needs; `url` its canonical address, `licence` that of the text (an IRI or words), and
    `encoding` that of its bytes if it was not UTF-8, each "" where it is not known. `generated` is what says of itself
    that a language model wrote it.
    """

    name: str
    format: str
    text: str = field()
    title: str = ""
    scenario: str = field(default="", converter=_without_nul)
    passages: tuple[Passage, ...] = field(converter=tuple[Passage, ...])
    declared: Declared = field(factory=Declared)
    url: str = ""
    licence: str = ""
    encoding: str = ""
    generated: bool = False

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

    @declared.validator
    def _in_text(self, _: object, declared: Declared) -> None:
        for what, span in declared.spans():
            if span.end > len(self.text):
                raise RecordError(f"{what} {span.start}:{span.end} lies outside its text", where=self.name)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text, and of what its source says of it. Name, address and encoding are no part of it."""
        parts = [self.format, self.title, self.scenario, self.text]
        parts += [f"{passage.kind}:{passage.start}:{passage.end}" for passage in self.passages]
        parts += [f"{what}:{span.start}:{span.end}" for what, span in self.declared.spans()]
        parts += [f"licence:{self.licence}"] if self.licence else []
        content = "".join(f"{len(part)}:{part}" for part in parts)
        return hashlib.sha256(content.encode("utf-8")).hexdigest()


@frozen(kw_only=True)
class PredictedTool:
    """A tool that a model predicts for an event, with the probability that a person accepts it."""

    lemma: str = field(validator=validators.min_len(1))
    role: ToolRole = field(default=ToolRole.INSTRUMENT, converter=ToolRole)
    probability: float = field(converter=_rounded, validator=[validators.ge(0), validators.le(1)])


@frozen(kw_only=True)
class StepCluster:
    """Actions of a scenario that are the same step, and the mean probability of that over their pairs."""

    actions: tuple[Action, ...] = field(converter=tuple[Action, ...], validator=validators.min_len(1))
    probability: float = field(converter=_rounded, validator=[validators.ge(0), validators.le(1)])


@frozen(kw_only=True)
class ActionVector:
    """The vector of the words of an action or a scenario by MiniLM (`kgscripts.models.sentence_vectors`), as base64."""

    values: str = field(validator=validators.min_len(1))


@frozen(kw_only=True)
class ScenarioVector:
    """The vector that stands for a scenario whose name and texts are known
    (`kgscripts.models.scenarios.list.scenario_point`), as base64."""

    values: str = field(validator=validators.min_len(1))


@frozen(kw_only=True)
class NamedSegment(Segment):
    """A segment of a text in which some passage is about a scenario that another text of the graph names."""


Record = AttrsInstance
"""A record of any kind, third parties' included."""
