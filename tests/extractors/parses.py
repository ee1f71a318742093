"""Hand-checked parses with their expected events, and helpers to read text or parses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import spacy
from attrs import frozen
from spacy.tokens import Doc

from kgscripts.extractors.events import ScriptExtractor
from kgscripts.extractors.protocol import Parse, ParsedDocument
from kgscripts.text.conllu import documents, read_conllu, to_doc
from kgscripts.text.pipeline import load_pipeline
from schemas.provenance import Model
from schemas.records import Document, EventMention, Passage, PassageKind, Reading

SENTENCES = Path(__file__).with_name("sentences.conllu")
SYNTAX = Model(name="hand-made", version="1", digest="0" * 64, task="syntactic analysis")


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


def read_parses(docs: list[Doc], kind: PassageKind = PassageKind.PARAGRAPH) -> Reading:
    """What the extractor reads in a document with one passage for each parse, a line apart."""
    parses: list[Parse] = []
    offset = 0
    for doc in docs:
        passage = Passage(kind=kind, start=offset, end=offset + max(1, len(doc.text)))
        parses.append(Parse(passage, doc, offset))
        offset += len(doc.text) + 1
    text = "\n".join(doc.text for doc in docs) + "\n"
    document = Document(name="text", format="text", text=text, passages=[parse.passage for parse in parses])
    return ScriptExtractor(SYNTAX).read([ParsedDocument(document, tuple(parses))])[0]


def read_text(*passages: str, kind: PassageKind = PassageKind.PARAGRAPH) -> Reading:
    """What the extractor reads in passages that the shipped pipeline parses."""
    return read_parses([load_pipeline()(passage) for passage in passages], kind)


def event_words(reading: Reading) -> str:
    """The events in words, with tools after "+": ``cut bread +knife; eat bread``."""
    return "; ".join(_words(event) for event in reading.events)


def _words(event: EventMention) -> str:
    return " +".join([event.action.label, *(tool.lemma for tool in event.tools)])


def left_out(reading: Reading) -> str:
    """The discards in words: ``planned: bake cake; negated: open window``."""
    return "; ".join(f"{discard.reason.value}: {discard.detail}" for discard in reading.discards)


def roles(event: EventMention) -> Iterator[str]:
    """The participants in words: ``waiter (recipient)``."""
    return (f"{argument.lemma} ({argument.role.value})" for argument in event.participants)
