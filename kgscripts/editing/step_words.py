"""The action that the words of a new step mean, as texts with these words would give it."""

from __future__ import annotations

from kgscripts.building.reading import parse_documents
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.extractors.registry import EXTRACTORS
from schemas.corrections import plain_words
from schemas.records import Document, EventMention, Passage, PassageKind


def read_action(words: str) -> str | None:
    """The label of the action that the extractor `events` reads in the words; None if it reads none or several."""
    text = f"{words[:1].upper()}{words[1:]}."
    passage = Passage(kind=PassageKind.STEP, start=0, end=len(text))
    document = Document(name="words", format="text", text=text, passages=[passage])
    (parses,) = parse_documents([document], None)
    (records,) = EXTRACTORS.open("events").read([ParsedDocument(document, tuple(parses))])
    labels = [plain_words(record.action.label) for record in records if isinstance(record, EventMention)]
    return labels[0] if len(labels) == 1 else None
