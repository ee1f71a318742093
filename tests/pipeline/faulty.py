"""Extractors that fail on some texts, of which others read what they give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from kgscripts.extractors.protocol import Extractor, ParsedDocument
from schemas.errors import ModelError
from schemas.records import Action, Argument, EventMention, Record, Role, Segment, Sentence

MISTAKES = {
    "value": "ValueError: no luck with value",
    "kind": "it gave a record of the kind EventMention",
    "number": "it gave 2 readings of 1 documents",
    "nothing": "TypeError: object of type 'NoneType' has no len()",
    "column": "a record of the kind note cannot be stored",
    "deep": "RecursionError: ",
}
"""What is wrong with a text that has such a word, by what the extractor does with it."""

ERRORS: dict[str, type[BaseException]] = {
    "model": ModelError,
    "package": ImportError,
    "disk": OSError,
    "memory": MemoryError,
    "interrupt": KeyboardInterrupt,
}
"""What is raised where the text has such a word."""


@frozen
class Note:
    """A kind of record of another package."""

    text: str


@frozen
class Faulty(Extractor):
    """Gives each text as a sentence, and makes the mistake that a word of the text names, until `mended` is there."""

    name = "faulty"
    task = "sentences"
    gives = (Sentence, Note)

    version: str = "1"
    mended: Path | None = None

    @property
    def rules(self) -> str:  # type: ignore[override]
        return self.version

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        found: list[Sequence[Record]] = []
        for item in documents:
            text = item.document.text
            found.append([Sentence(start=0, end=len(text))])
            if self.mended is not None and self.mended.exists():
                continue
            if "nothing" in text:
                return None  # type: ignore[return-value]
            found += [[]] * ("number" in text)
            for word, error in ERRORS.items():
                if word in text:
                    raise error(f"no {word}")
            if "value" in text:
                raise ValueError("no luck with value")
            if "deep" in text:
                self.read(documents)
            if "kind" in text:
                found[-1] = [EventMention(action=Action(predicate="boil"), start=0, end=1)]
            if "column" in text:
                found[-1] = [Note(5)]  # type: ignore[arg-type]
        return found


@frozen
class Verbs(Extractor):
    """Gives the first word of each sentence as an event."""

    name = "verbs"
    rules = "1"
    task = "events"
    requires = (Sentence,)
    gives = (EventMention,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [[self._event(item, one) for one in item.records_of(Sentence)] for item in documents]

    @staticmethod
    def _event(item: ParsedDocument, sentence: Sentence) -> EventMention:
        verb = item.document.text[sentence.start :].split()[0]
        return EventMention(action=Action(predicate=verb), start=sentence.start, end=sentence.start + len(verb))


@frozen
class Topics(Extractor):
    """Makes each text with an event a segment."""

    name = "topics"
    rules = "1"
    task = "scenarios"
    requires = (EventMention,)
    gives = (Segment,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [Segment(scenario="cooking pasta", start=one.start, end=one.end) for one in item.records_of(EventMention)]
            for item in documents
        ]


@frozen
class Picky(Topics):
    """Fails on a text with an event "fry", as long as `mended` is there."""

    mended: Path

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        events = (one for item in documents for one in item.records_of(EventMention))
        if self.mended.exists() and any(event.action.predicate == "fry" for event in events):
            raise ValueError("no luck")
        return super().read(documents)


@frozen
class Misplaced(Extractor):
    """Gives events of which some lie where no text, or no passage, is."""

    name = "misplaced"
    rules = "1"
    task = "events"
    gives = (EventMention,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [[self._event(0, 9999), self._event(0, 4), self._event(0, 4, noun=(5, 77))] for _ in documents]

    @staticmethod
    def _event(start: int, end: int, noun: tuple[int, int] | None = None) -> EventMention:
        nouns = [Argument(lemma="water", role=Role.PATIENT, start=noun[0], end=noun[1])] if noun else []
        return EventMention(action=Action(predicate="boil"), start=start, end=end, participants=nouns)


def faulty(version: str = "1", mended: Path | None = None) -> list[Extractor]:
    """The extractor that fails, one that requires its records, one that requires those, and one that requires none."""
    from kgscripts.extractors.labels import LabelExtractor

    return [Faulty(version, mended), Verbs(), Topics(), LabelExtractor()]
