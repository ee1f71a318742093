"""The protocol of extractors: an extractor reads documents and declares what it requires and gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

from attrs import AttrsInstance, field, frozen

from kgscripts.settings import NoSettings
from schemas.provenance import BenchmarkScore, Model
from schemas.records import Document, Passage, Record

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Parsed(Enum):
    """The requirement that is not a kind of record."""

    PARSE = "parse"


PARSE = Parsed.PARSE
"""Required by extractors that need the spaCy parse of a document's passages."""

R = TypeVar("R", bound=Record)

Requirement: TypeAlias = Parsed | type[Record]


def record_kinds(requirements: Iterable[Requirement]) -> list[type[Record]]:
    """The kinds of records among requirements."""
    return [item for item in requirements if not isinstance(item, Parsed)]


@frozen
class Parse:
    """A passage and its syntax; character 0 of `doc` is character `offset` of the document's text."""

    passage: Passage
    doc: Doc
    offset: int


@frozen
class ParsedDocument:
    """A whole document with the parses and records that an extractor requires.

    `parses` are those of its innermost passages in text order, empty without `PARSE`. `records` holds the records of
    every required kind, extractor by extractor.
    """

    document: Document
    parses: tuple[Parse, ...] = ()
    records: Mapping[type[Record], Sequence[Record]] = field(factory=dict)

    def records_of(self, kind: type[R]) -> list[R]:
        """The records of a required kind."""
        return [record for record in self.records[kind] if isinstance(record, kind)]


class Extractor(ABC):
    """Reads documents. Other packages add theirs by the entry point group ``kgscripts.extractors``.

    An entry point names a subclass that can be made without arguments. Its module is imported only when the extractor
    is chosen, and instances are pickled to other processes before their first use: import large packages and load
    weights in `read`.

    `settings` are an instance of an attrs class of its own, with the defaults (`kgscripts.settings`). For a build with
    other settings, it is made with the argument `settings`: an attrs class has a field of this name, other classes pass
    it to `Extractor.__init__`.

    The records of a document are kept until the *version* of the extractor changes: a digest of `name`, `rules`,
    `settings`, `data` and the versions of what it requires. Change `rules` with any change of code that changes what is
    read.
    """

    name: ClassVar[str]
    """The name by which it is chosen; lower case, words joined by hyphens."""
    rules: ClassVar[str]
    """Version of the code that decides which records are given."""
    task: ClassVar[str]
    """Its task, in a few words."""
    requires: ClassVar[tuple[Requirement, ...]] = ()
    gives: ClassVar[tuple[type[Record], ...]]
    cost: ClassVar[str] = "rules"
    """Its cost, for people who choose extractors: "rules", or the network that it runs."""
    licence: ClassVar[str] = ""
    settings: AttrsInstance = NoSettings()
    """What a build can set. Settings are part of the version, except the names of models."""

    def __init__(self, settings: AttrsInstance | None = None) -> None:
        if settings is not None:
            self.settings = settings

    @property
    def data(self) -> Mapping[str, str]:
        """SHA-256 of each word list, by name; digests of weights belong to `networks`."""
        return {}

    @property
    def networks(self) -> tuple[Model, ...]:
        """The trained models that it uses, without the parser; found without loading their weights."""
        return ()

    @property
    def texts(self) -> Mapping[str, str]:
        """Texts that it works with, by name, for people who want to read them: `kgscripts extractors show`."""
        return {}

    def scores(self, parser: Model | None) -> Sequence[BenchmarkScore]:  # noqa: ARG002
        """Its scores on texts that were parsed by `parser` (None: not parsed)."""
        return ()

    def spent(self) -> Mapping[str, float]:
        """What `read` has spent since the last call, for the report: numbers by their names, which are added up. A name
        with " held" is a part of the name without."""
        return {}

    def estimate(self, document: Document) -> Mapping[str, float]:  # noqa: ARG002
        """What reading a document would spend, for `build-graph --dry-run`: numbers by their names, which are added up.
        Nothing is sent or loaded."""
        return {}

    @abstractmethod
    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """For each document the records of the kinds that it gives, in text order. The same document gives the same
        records, whichever documents are passed with it. Spans lie in the text and overlap a passage. A document for
        which an exception is raised is set aside, unless the error concerns the whole build
        (`kgscripts.building.checking.OF_THE_BUILD`).
        """
