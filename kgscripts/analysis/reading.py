"""What the reader reads in a text, sentence by sentence, for people: events, their things, what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, frozen

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.events.frames import ReadText, Thresholds
from kgscripts.models.reader.labels import HAPPENS, PLACE_BEFORE, REFERENT, EventRole, Reality
from kgscripts.models.reader.readings import ReadEvent, Reading
from kgscripts.models.registry import DEFAULT, load
from schemas.errors import InputError
from schemas.records import Document

_TASK = "reader"

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

    def lines(self) -> Iterator[tuple[int, str]]:
        """What is read in it, for people, each line with its depth: its condition, what it names as needed, and each
        event with its things below."""
        if self.condition:
            yield 0, f"if: {self.condition}"
        if self.needed:
            yield 0, f"needs: {', '.join(self.needed)}"
        for event in self.events:
            sign, left_out = ("+", "") if event.enters else ("-", "left out: ")
            condition = ", under a condition" if event.conditional else ""
            yield 0, f"{sign} {event.text}: {left_out}{event.reality}{condition} {event.probability:.2f}"
            if event.things:
                yield 1, ", ".join(f"{thing.role} {thing.text} {thing.probability:.2f}" for thing in event.things)

    def to_dict(self) -> dict[str, Any]:
        """For JSON. Ends are excluded; characters are Unicode code points."""
        return asdict(self)


@frozen
class TextReading:
    """What is read in a text. In a notebook, it is shown with its events marked."""

    name: str
    title: str
    sentences: Sequence[ReadSentence]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"name": self.name, "title": self.title, "sentences": [each.to_dict() for each in self.sentences]}

    def _repr_html_(self) -> str:
        title = f"<p><b>{escape(self.title)}</b></p>" if self.title else ""
        return title + "".join(map(_html, self.sentences))


def read(
    text: str,
    title: str = "",
    *,
    model: str | Path = DEFAULT,
    least_event: float = 0.5,
    least_happens: float = 0.5,
    least_role: float = 0.4,
) -> TextReading:
    """What is read in a text: ``read("Before touching the old fuse, let it cool.")``.

    `model` is the name of a reader or the directory of one; the others are the least probabilities of an event, that it
    happens, and of the part of a thing. Raises InputError for a text without a sentence, and ModelError for what is no
    reader.
    """
    documents = [item for item in documents_from_strings([text]) if isinstance(item, Document)]
    least = Thresholds(event=least_event, happens=least_happens, role=least_role)
    titled = [document if document.title else evolve(document, title=title) for document in documents]
    readings = read_documents(titled, model, least)
    if not readings:
        raise InputError("there is no sentence to read", where=text[:60], remedy="give a text with one")
    return readings[0]


def read_documents(documents: Sequence[Document], model: str | Path, least: Thresholds) -> list[TextReading]:
    """What is read in documents; those without a sentence are left out."""
    parses = parse_documents(documents, None)
    texts = [
        ReadText.of([(parse.doc, parse.offset) for parse in own], document.title)
        for document, own in zip(documents, parses, strict=True)
    ]
    readings = load(_TASK, model).read([text.text for text in texts])
    text_readings = [
        TextReading(document.name, document.title, list(_sentences(document.text, text, reading, least)))
        for document, text, reading in zip(documents, texts, readings, strict=True)
    ]
    return [each for each in text_readings if each.sentences]


def _sentences(content: str, text: ReadText, reading: Reading, least: Thresholds) -> Iterator[ReadSentence]:
    spans = [text.span(word) for word in range(text.text.words)]
    events: dict[int, ReadEvent] = {event.word: event for event in reading.events if event.probability >= least.event}
    first = 0
    for sentence in text.text.sentences:
        words = range(first, first + len(sentence))
        first = words.stop
        yield ReadSentence(
            text=content[spans[words[0]][0] : spans[words[-1]][1]],
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
        for thing in event.parts(least.role)
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


def _html(sentence: ReadSentence) -> str:
    """A sentence with its events marked, and below it what has a part in them and what is left out."""
    parts, end = [], sentence.start
    for event in sentence.events:
        colour = "#b6d7a8" if event.enters else "#dddddd"
        before = sentence.text[end - sentence.start : event.start - sentence.start]
        parts += [escape(before), f'<mark style="background: {colour}">{escape(event.text)}</mark>']
        end = event.end
    parts.append(escape(sentence.text[end - sentence.start :]))
    lines = [f'<li style="margin-left: {depth}em">{escape(line)}</li>' for depth, line in sentence.lines()]
    return f"<p>{''.join(parts)}</p><ul>{''.join(lines)}</ul>"
