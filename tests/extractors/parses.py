"""Hand-checked parses with their expected events, and helpers to read text or parses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import spacy
from attrs import evolve, frozen
from spacy.tokens import Doc

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.events.events import EventExtractor
from kgscripts.extractors.protocol import Parse, ParsedDocument
from kgscripts.text.conllu import documents, read_conllu, to_doc
from kgscripts.text.pipeline import load_pipeline
from schemas.records import Decomposition, Discard, Document, EventMention, Passage, PassageKind, Record

SENTENCES = Path(__file__).with_name("sentences.conllu")
R = TypeVar("R", bound=Record)


@frozen
class Found:
    """The records that an extractor gave for one document."""

    records: Sequence[Record]

    @property
    def events(self) -> list[EventMention]:
        return self._of(EventMention)

    @property
    def decompositions(self) -> list[Decomposition]:
        return self._of(Decomposition)

    @property
    def discards(self) -> list[Discard]:
        return self._of(Discard)

    def _of(self, kind: type[R]) -> list[R]:
        return [record for record in self.records if isinstance(record, kind)]


@frozen
class Annotated:
    """A hand-checked parse; `events` and `discards` are in the format of `event_words` and `left_out`."""

    doc: Doc
    events: str
    discards: str


@cache
def annotated_sentences() -> dict[str, Annotated]:
    """The sentences of ``sentences.conllu`` by their text."""
    comments = [match.groups() for match in re.finditer(_COMMENTS, SENTENCES.read_text(encoding="utf-8"), re.M)]
    parses = documents(read_conllu(SENTENCES))
    vocab = spacy.blank("en").vocab
    return {
        text: Annotated(to_doc(vocab, parse), events.strip(), discards.strip())
        for (text, events, discards), parse in zip(comments, parses, strict=True)
    }


_COMMENTS = r"^# text = (.+)\n# events =(.*)\n# discards =(.*)$"


def parsed_document(docs: Sequence[Doc], kind: PassageKind = PassageKind.PARAGRAPH) -> ParsedDocument:
    """A document with one passage for each parse, a line apart."""
    parses: list[Parse] = []
    offset = 0
    for doc in docs:
        passage = Passage(kind=kind, start=offset, end=offset + max(1, len(doc.text)))
        parses.append(Parse(passage, doc, offset))
        offset += len(doc.text) + 1
    text = "\n".join(doc.text for doc in docs) + "\n"
    document = Document(name="text", format="text", text=text, passages=[parse.passage for parse in parses])
    return ParsedDocument(document, tuple(parses))


def read_parses(docs: Sequence[Doc], kind: PassageKind = PassageKind.PARAGRAPH) -> Found:
    """The events of a document with one passage for each parse."""
    return Found(EventExtractor().read([parsed_document(docs, kind)])[0])


def read_text(*passages: str, kind: PassageKind = PassageKind.PARAGRAPH) -> Found:
    """The events of passages that the shipped pipeline parses."""
    return read_parses([load_pipeline()(passage) for passage in passages], kind)


def with_events(documents: Sequence[ParsedDocument]) -> list[ParsedDocument]:
    """The documents with the events that the extractor `events` finds in them."""
    return [
        evolve(document, records={EventMention: Found(records).events})
        for document, records in zip(documents, EventExtractor().read(documents), strict=True)
    ]


def parsed_texts(*texts: str | Mapping[str, Any]) -> list[ParsedDocument]:
    """Documents of texts, as the shipped pipeline parses them, with their events."""
    documents = [item for item in documents_from_strings(texts) if isinstance(item, Document)]
    assert len(documents) == len(texts)
    parses = [tuple(found) for found in parse_documents(documents, None)]
    return with_events([ParsedDocument(document, found) for document, found in zip(documents, parses, strict=True)])


def event_words(found: Found) -> str:
    """The events in words, with tools after "+": ``cut bread +knife; eat bread``."""
    return "; ".join(_words(event) for event in found.events)


def _words(event: EventMention) -> str:
    return " +".join([event.action.label, *(tool.lemma for tool in event.tools)])


def left_out(found: Found) -> str:
    """The discards in words: ``planned: bake cake; negated: open window``."""
    return "; ".join(f"{discard.reason.value}: {discard.detail}" for discard in found.discards)


def roles(event: EventMention) -> Iterator[str]:
    """The participants in words: ``waiter (recipient)``."""
    return (f"{argument.lemma} ({argument.role.value})" for argument in event.participants)
