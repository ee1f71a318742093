"""Texts that come as parsed spaCy Docs: each is read with its own parse instead of being parsed again.

Docs pass as a stream: until the documents are read, their parses lie in a temporary file, from which any process of the
build takes those that it needs.
"""

from __future__ import annotations

import inspect
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from kgscripts.building.inputs import BuildInput
from kgscripts.building.reading import parsed_spans
from kgscripts.corpora.inline_markup import with_covered_markup
from kgscripts.extractors.protocol import Parse
from kgscripts.text.given_parses import GivenParse, check_annotated
from kgscripts.text.passages import innermost
from kgscripts.text.pipeline import describe_language, describe_pipeline, load_pipeline
from schemas.arguments import shown
from schemas.errors import ConfigurationError, InputError
from schemas.provenance import Model
from schemas.records import Discard, Document

if TYPE_CHECKING:
    from spacy.tokens import Doc

USER_DATA = "kgscripts"
"""The key of `Doc.user_data` under which the component of a pipeline keeps what it read, and which pipeline it is."""
PARSER = "parser"
OF_DOCS = (None, "text", "markdown")
"""The formats of the texts of Docs."""
_STORED = ("DEP", "HEAD", "LEMMA", "MORPH", "POS", "TAG")
_TABLES = """
    CREATE TABLE docs (number INTEGER PRIMARY KEY, content BLOB);
    CREATE TABLE documents (digest TEXT PRIMARY KEY, number INTEGER, start INTEGER);
"""


@frozen
class DocText:
    """The text of a Doc as it is read, with its documents, each with the character at which it begins, and discards.

    The text has white space in the place of links, so that all its characters are where they are in the Doc.
    """

    text: str
    input: BuildInput
    documents: tuple[tuple[int, Document], ...]
    discards: tuple[Discard, ...]


def doc_text(text: str, as_input: Callable[[str], BuildInput]) -> DocText:
    """Read the text of a Doc; `as_input` gives the input that a text in memory is."""
    text = with_covered_markup(text)
    given = as_input(text)
    items = list(given.items())
    documents: list[tuple[int, Document]] = []
    end = 0
    for item in items:
        if isinstance(item, Document):
            start = text.index(item.text, end)
            end = start + len(item.text)
            documents.append((start, item))
    discards = tuple(item for item in items if isinstance(item, Discard))
    return DocText(text, evolve(given, items=lambda: items), tuple(documents), discards)


def parses_of(given: GivenParse, document: Document, start: int) -> list[Parse]:
    """The parses of the innermost passages of a document that begins at character `start` of a Doc."""
    return [
        Parse(passage=passage, doc=piece, offset=offset - start)
        for passage in innermost(document.passages)
        for first, last in parsed_spans(document.text, passage)
        for offset, piece in given.pieces(start + passage.start + first, start + passage.start + last)
    ]


@define
class GivenDocs:
    """A stream of Docs as inputs, and the parses of their documents. `parser` is the pipeline that parsed all of them.

    It can be pickled to other processes, which take parses from its `file`.
    """

    docs: Iterator[Any]
    parser: Model
    file: Path
    _count: int = field(default=0, init=False)
    _connection: sqlite3.Connection | None = field(default=None, init=False)
    _latest: tuple[int, GivenParse] | None = field(default=None, init=False)

    def __getstate__(self) -> dict[str, Any]:
        """The parses alone: neither the stream nor the connection."""
        return {"parser": self.parser, "file": self.file}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(iter(()), **state)  # type: ignore[misc]

    def inputs(self, as_input: Callable[[str], BuildInput]) -> Iterator[BuildInput]:
        """The Docs as inputs, each as the text that it is. Those that have passed come from the file.

        Raises
        ------
        InputError
            If one is no Doc, lacks annotations, or was parsed by another pipeline.
        """
        for number in range(self._count):
            yield doc_text(self._doc(number).text, as_input).input
        for doc in self.docs:
            self._check(doc)
            text = doc_text(doc.text, as_input)
            self._store(doc, text)
            yield text.input

    def parses(self, documents: Sequence[Document]) -> list[list[Parse] | None]:
        """The parses of each document; None for one whose Doc was not given."""
        return [self._parses(document) for document in documents]

    def open(self) -> None:
        """Make the file."""
        self._database.executescript(_TABLES)

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()

    def _check(self, doc: object) -> None:
        doc = _checked_type(doc)
        check_annotated(doc)
        other = _parser_of(doc)
        if other is not None and other.digest != self.parser.digest:
            raise InputError(
                f"the Doc {shown(doc.text)} was parsed by another pipeline ({other.name} {other.version}) than "
                f"{self.parser.name} {self.parser.version}",
                remedy="build a graph of Docs of one pipeline",
            )

    def _store(self, doc: Doc, text: DocText) -> None:
        from spacy.tokens import DocBin

        content = DocBin(attrs=_STORED, docs=[doc]).to_bytes()
        self._database.execute("INSERT INTO docs VALUES (?, ?)", (self._count, content))
        rows = [(document.digest, self._count, start) for start, document in text.documents]
        self._database.executemany("INSERT OR IGNORE INTO documents VALUES (?, ?, ?)", rows)
        self._count += 1

    def _parses(self, document: Document) -> list[Parse] | None:
        query = "SELECT number, start FROM documents WHERE digest = ?"
        row = self._database.execute(query, (document.digest,)).fetchone()
        if row is None:
            return None
        number, start = row
        if self._latest is None or self._latest[0] != number:
            doc = self._doc(number)
            self._latest = (number, GivenParse(doc, with_covered_markup(doc.text)))
        return parses_of(self._latest[1], document, start)

    def _doc(self, number: int) -> Doc:
        vocabulary = load_pipeline().vocab  # before anything else of spaCy, which may be imported without torch
        from spacy.tokens import DocBin

        (content,) = self._database.execute("SELECT content FROM docs WHERE number = ?", (number,)).fetchone()
        return next(DocBin().from_bytes(content).get_docs(vocabulary))

    @property
    def _database(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(self.file, isolation_level=None)
            # The file lasts as long as the build.
            self._connection.execute("PRAGMA synchronous = OFF")
        return self._connection


@contextmanager
def given_docs(docs: Iterable[Any], spacy_model: str | None) -> Iterator[GivenDocs]:
    """The Docs as inputs of a build. `spacy_model` names the pipeline that parsed them, if they do not say it.

    Raises
    ------
    ConfigurationError
        If `docs` are no stream of Docs, or their pipeline is not known.
    ModelError
        If `spacy_model` is not installed.
    """
    if not isinstance(docs, Iterable) or isinstance(docs, str | bytes | Mapping):
        raise ConfigurationError(f"docs is {shown(docs)}", remedy="give spaCy Docs: docs=nlp.pipe(texts)")
    parser, stream = _parser_and_stream(docs, spacy_model)
    with tempfile.TemporaryDirectory(prefix="kgscripts-") as folder:
        given = GivenDocs(stream, parser, Path(folder, "docs.sqlite"))
        try:
            given.open()
            yield given
        finally:
            given.close()


def _parser_and_stream(docs: Iterable[Any], spacy_model: str | None) -> tuple[Model, Iterator[Any]]:
    """The pipeline of Docs: the named one, or that of `nlp.pipe`, or the one that the component noted in the first."""
    from spacy.language import Language

    if spacy_model is not None:
        return describe_pipeline(spacy_model), iter(docs)
    # A Doc does not know its pipeline, but the generator that `nlp.pipe` returns does.
    nlp = inspect.getgeneratorlocals(docs).get("self") if inspect.isgenerator(docs) else None
    if isinstance(nlp, Language):
        return describe_language(nlp), iter(docs)
    stream = iter(docs)
    first = next(stream, None)
    if first is None:
        return describe_pipeline(), stream
    parser = _parser_of(_checked_type(first))
    if parser is None:
        raise ConfigurationError(
            "which pipeline parsed these Docs is not known",
            remedy="give docs=nlp.pipe(texts) itself, or name the pipeline: spacy_model='en_core_web_sm'",
        )
    return parser, chain([first], stream)


def _checked_type(doc: object) -> Doc:
    from spacy.tokens import Doc

    if not isinstance(doc, Doc):
        raise InputError(f"a Doc is {shown(doc)}", remedy="give spaCy Docs: docs=nlp.pipe(texts)")
    return doc


def _parser_of(doc: Doc) -> Model | None:
    """The pipeline that the component noted."""
    noted = doc.user_data.get(USER_DATA)
    if not isinstance(noted, Mapping) or PARSER not in noted:
        return None
    shipped = describe_pipeline()
    # Only the one that ships has scores.
    return shipped if noted[PARSER]["digest"] == shipped.digest else Model(**noted[PARSER])
