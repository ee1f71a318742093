"""What an extractor is: something that reads parsed documents and says what they tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from attrs import frozen

from schemas.provenance import Model
from schemas.records import Document, Passage, Reading

if TYPE_CHECKING:
    from spacy.tokens import Doc


@frozen
class Parse:
    """A passage and its syntax; character 0 of `doc` is character `offset` of the document's text."""

    passage: Passage
    doc: Doc
    offset: int


@frozen
class ParsedDocument:
    """A document and the parses of its passages, in text order."""

    document: Document
    parses: tuple[Parse, ...]


class Extractor(Protocol):
    """Reads parsed documents. Third parties add theirs by the entry point group ``kgscripts.extractors``.

    `model` names the reader and carries its benchmark scores; its digest must change whenever the same text would
    be read differently, because sources that a digest has read are not read again.
    """

    model: Model

    def read(self, parsed: Sequence[ParsedDocument]) -> list[Reading]:
        """One `Reading` a document, in the order given; the same document always gives the same reading."""
