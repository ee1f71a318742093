"""Who reads the texts of the gold lists: the extractor of events by the frames of a parse, others by their records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Protocol

from attrs import define, field
from spacy.language import Language

from kgscripts.building.options import BuildOptions
from kgscripts.building.reading import Batch, DocumentReader, parse_documents
from kgscripts.building.settings import Settings
from kgscripts.extractors.events.events import JudgedEvent, events_of_docs
from kgscripts.extractors.events.nouns import THIRD_PERSON, noun_lemma
from kgscripts.extractors.protocol import Parse
from kgscripts.extractors.registry import Chosen
from kgscripts.text.syntax import lemma
from schemas.errors import ConfigurationError
from schemas.records import Document, EventMention, Passage, PassageKind

_TEXTS_A_BATCH = 64
_LABEL = "everyday life"
"""The label of the texts: an extractor that finds scenarios for texts without one has nothing to ask."""


class ListReader(Protocol):
    """Reads each text by itself."""

    def mentions(self, texts: Sequence[str]) -> Iterator[Sequence[EventMention]]:
        """The events of each text."""

    def objects(self, texts: Sequence[str]) -> Iterator[dict[int, set[str]]]:
        """By the character where the verb of an event begins, the heads of its objects; a pronoun names nothing."""

    def resolved(self, texts: Sequence[str]) -> Iterator[dict[int, set[str]]]:
        """The same of objects that are pronouns: the heads of the nouns that they stand for."""


def head(noun: str) -> str:
    """The last word of a compound."""
    return noun.strip().rsplit(" ", 1)[-1]


def _heads(mentions: Sequence[EventMention]) -> set[str]:
    """The heads of the objects of mentions."""
    objects = (mention.action.object for mention in mentions)
    return {head(noun) for noun in objects if noun and noun not in THIRD_PERSON}


@define
class FrameReader:
    """The extractor of events, by frames on the parses of `nlp`."""

    nlp: Language

    def mentions(self, texts: Sequence[str]) -> Iterator[Sequence[EventMention]]:
        """See `ListReader`."""
        for events in self._events(texts):
            yield [mention for event in events for mention in event.mentions]

    def objects(self, texts: Sequence[str]) -> Iterator[dict[int, set[str]]]:
        """See `ListReader`."""
        for events in self._events(texts):
            yield {event.frame.verb.idx: _heads(event.mentions) for event in events if event.reason is None}

    def resolved(self, texts: Sequence[str]) -> Iterator[dict[int, set[str]]]:
        """See `ListReader`. Whether an event happened does not matter."""
        for events in self._events(texts):
            frames = [event.frame for event in events]
            yield {frame.verb.idx: {head(noun_lemma(noun)) for noun in frame.stands_for} for frame in frames}

    def _events(self, texts: Sequence[str]) -> Iterator[Sequence[JudgedEvent]]:
        """The events of each text."""
        return events_of_docs(self.nlp.pipe(texts))


@define
class RecordReader:
    """Another extractor, by the events that it gives. Where it fails, it finds nothing; `failed` has the reasons."""

    chosen: Chosen
    spacy_model: str | None = None
    failed: dict[str, str] = field(factory=dict, init=False)

    @classmethod
    def of(cls, name: str, settings: Settings | None = None, spacy_model: str | None = None) -> RecordReader:
        """The installed extractor of that name, with its settings.

        Raises
        ------
        ConfigurationError
            If it is not installed, gives no events, or requires records of others, or settings are none of its own.
        ModelError
            If a model of its settings cannot be found.
        """
        options = BuildOptions(extractors=[name], settings=settings, spacy_model=spacy_model)
        ((chosen,), _) = options.chosen()
        if EventMention not in chosen.extractor.gives:
            remedy = "name one that does: `kgscripts extractors list` shows what each gives"
            raise ConfigurationError(f"{name!r} reads no events", where="--extractor", remedy=remedy)
        return cls(chosen, spacy_model)

    def mentions(self, texts: Sequence[str]) -> Iterator[Sequence[EventMention]]:
        """See `ListReader`."""
        for _, mentions in self._read(texts):
            yield mentions

    def objects(self, texts: Sequence[str]) -> Iterator[dict[int, set[str]]]:
        """See `ListReader`. The verb is the word of the mention whose lemma is the predicate."""
        for parses, mentions in self._read(texts):
            by_verb: dict[int, list[EventMention]] = defaultdict(list)
            for mention in mentions:
                by_verb[_verb(parses, mention)].append(mention)
            yield {start: _heads(of_verb) for start, of_verb in by_verb.items()}

    def resolved(self, texts: Sequence[str]) -> Iterator[dict[int, set[str]]]:
        """See `ListReader`."""
        return self.objects(texts)

    def _read(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[Parse], list[EventMention]]]:
        """The parses of each text, and its events."""
        for start in range(0, len(texts), _TEXTS_A_BATCH):
            documents = [_document(text) for text in texts[start : start + _TEXTS_A_BATCH]]
            parses = parse_documents(documents, self.spacy_model)
            reader = DocumentReader([self.chosen], given=lambda _, parses=parses: parses)  # type: ignore[misc]
            outcome = reader.read(Batch(documents, frozenset([self.chosen.version])))
            self.failed |= {failure.subject: failure.detail for failure in outcome.failures}
            records = {reading.subject: reading.records for reading in outcome.readings}
            for document, own in zip(documents, parses, strict=True):
                of_document = records.get(document.digest, ())
                yield own, [record for record in of_document if isinstance(record, EventMention)]


def _document(text: str) -> Document:
    passage = Passage(kind=PassageKind.PARAGRAPH, start=0, end=len(text))
    return Document(name=text[:40], format="text", text=text, scenario=_LABEL, passages=[passage])


def _verb(parses: Sequence[Parse], mention: EventMention) -> int:
    tokens = ((parse.offset + token.idx, token) for parse in parses for token in parse.doc)
    verbs = (
        place
        for place, token in tokens
        if mention.start <= place < mention.end and lemma(token) == mention.action.predicate
    )
    return next(verbs, mention.start)
