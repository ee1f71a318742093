"""What the reader reads in a text, sentence by sentence, for people: events, their things, what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import asdict, frozen

from kgscripts.extractors.events.frames import ReadText, Thresholds
from kgscripts.extractors.protocol import Parse
from kgscripts.models.reader.labels import HAPPENS, PLACE_BEFORE, REFERENT, EventRole, Reality
from kgscripts.models.reader.reader import Reader, ReadEvent, Reading
from schemas.records import Document

REALITIES: Mapping[Reality, str] = {
    Reality.INSTRUCTED: "instructed",
    Reality.TOLD: "told",
    Reality.HABIT: "done usually",
    Reality.NEGATED: "negated",
    Reality.PLANNED: "planned",
    Reality.HYPOTHETICAL: "hypothetical",
    Reality.MENTIONED: "merely mentioned",
    Reality.MEMORY: "a memory",
    Reality.OTHER_STORY: "another story",
    Reality.WARNING: "a warning or mistake",
    Reality.NOTE: "a note or advert",
}
ROLES: Mapping[str, str] = {
    EventRole.OBJECT: "object",
    EventRole.INSTRUMENT: "instrument",
    EventRole.CONTAINER: "container",
    EventRole.APPLIANCE: "appliance",
    EventRole.SUPPORT: "support",
    EventRole.MATERIAL: "material",
    EventRole.DESTINATION: "destination",
    EventRole.PLACE: "place",
    EventRole.RECIPIENT: "recipient",
    REFERENT: "object from before",
    PLACE_BEFORE: "place from before",
}


@frozen
class ReadThing:
    """A word with a part in an event; characters `start` to `end` of the text."""

    role: str
    text: str
    start: int
    end: int
    probability: float


@frozen
class SentenceEvent:
    """A predicate: whether it enters a graph, how real it is with the probability of that, and its things."""

    text: str
    start: int
    end: int
    enters: bool
    reality: str
    probability: float
    conditional: bool
    things: Sequence[ReadThing]


@frozen
class ReadSentence:
    """A sentence: its events in their order, what it names as needed, and the words of its condition."""

    text: str
    start: int
    end: int
    events: Sequence[SentenceEvent]
    needed: Sequence[str]
    condition: str

    def to_dict(self) -> dict[str, Any]:
        """For JSON. Ends are excluded; characters are Unicode code points."""
        return asdict(self)


def read_texts(
    documents: Sequence[Document],
    parses: Sequence[Sequence[Parse]],
    reader: Reader,
    least: Thresholds,
) -> Iterator[list[ReadSentence]]:
    """The sentences of each document with these parses."""
    texts = [
        ReadText.of([(parse.doc, parse.offset) for parse in own], document.title)
        for document, own in zip(documents, parses, strict=True)
    ]
    for document, text, reading in zip(documents, texts, reader.read([text.text for text in texts]), strict=True):
        yield list(_sentences(document.text, text, reading, least))


def _sentences(content: str, text: ReadText, reading: Reading, least: Thresholds) -> Iterator[ReadSentence]:
    spans = [text.span(word) for word in range(text.text.words)]
    events: dict[int, ReadEvent] = {event.word: event for event in reading.events if event.probability >= least.event}
    first = 0
    for sentence in text.text.sentences:
        words = range(first, first + len(sentence))
        first = words.stop
        yield ReadSentence(
            text=" ".join(content[spans[words[0]][0] : spans[words[-1]][1]].split()),
            start=spans[words[0]][0],
            end=spans[words[-1]][1],
            events=[_event(events[word], content, spans, least) for word in words if word in events],
            needed=[content[slice(*spans[word])] for word in words if reading.needed[word] >= least.role],
            condition=_joined(content, (spans[word] for word in words if reading.condition[word] >= least.role)),
        )


def _joined(content: str, spans: Iterable[tuple[int, int]]) -> str:
    return " ".join(content[start:end] for start, end in spans)


def _event(event: ReadEvent, content: str, spans: Sequence[tuple[int, int]], least: Thresholds) -> SentenceEvent:
    enters = event.happens >= least.happens
    shares = {label: share for label, share in event.labels.items() if (label in HAPPENS) == enters}
    label = max(shares, key=lambda name: shares[name])
    start, end = spans[event.word]
    things = [
        ReadThing(
            role=ROLES[thing.label],
            text=content[slice(*spans[thing.word])],
            start=spans[thing.word][0],
            end=spans[thing.word][1],
            probability=thing.probability,
        )
        for thing in event.things
        if thing.probability >= least.role
    ]
    return SentenceEvent(
        text=content[start:end],
        start=start,
        end=end,
        enters=enters,
        reality=REALITIES[Reality(label)],
        probability=shares[label],
        conditional=event.conditional >= least.role,
        things=things,
    )
