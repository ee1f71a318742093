"""The component: Docs that a pipeline has parsed -> the records that a build reads in their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from attrs import evolve
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.util import minibatch

from kgscripts.building.docs import doc_text, parses_of
from kgscripts.building.inputs import text_input
from kgscripts.building.reading import DocumentReader
from kgscripts.component.annotations import EVENTS, SCENARIOS, TOOLS, annotate, plain, set_extensions
from kgscripts.extractors.protocol import Parse
from kgscripts.extractors.registry import choose
from kgscripts.text.given_parses import GivenParse, check_annotated
from kgscripts.text.pipeline import COMPONENT, describe_language
from schemas.provenance import Model
from schemas.records import Discard, Document, EventMention, Need, Record, Segment, StateChange

_KINDS: tuple[type[Record], ...] = (EventMention, StateChange, Segment, Need, Discard)
"""The kinds of records that a Doc keeps: not its sentences, which spaCy has, nor vectors."""


class ScriptReader(Pipe):
    """Reads parsed Docs with `extractors` of a build, by their names, and makes `groups` of spans; `describe_parser`
    says which pipeline parsed the Docs."""

    def __init__(
        self, name: str, extractors: Sequence[str], groups: Sequence[str], describe_parser: Callable[[], Model]
    ) -> None:
        self.name = name
        self._extractors, self._groups = extractors, groups
        self._describe_parser = cache(describe_parser)
        self._reader: DocumentReader | None = None

    def __reduce__(self) -> tuple[type[ScriptReader], tuple[Any, ...]]:
        """To another process go neither the pipeline nor networks."""
        return ScriptReader, (self.name, self._extractors, self._groups, partial(evolve, self._describe_parser()))

    def __call__(self, doc: Doc) -> Doc:
        """Read a Doc.

        Raises
        ------
        InputError
            If it has no parse, no tags, no parts of speech or no lemmas.
        ExtractorError
            If an extractor fails.
        """
        self._read([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Read Docs in batches, which is faster; errors go to the error handler of the pipeline, Doc by Doc."""
        for docs in minibatch(stream, size=batch_size):  # type: ignore[no-untyped-call]
            yield from self._read_or_handle(docs)

    def _read_or_handle(self, docs: list[Doc]) -> list[Doc]:
        try:
            self._read(docs)
        except Exception as error:  # noqa: BLE001, the handler decides
            if len(docs) > 1:  # which of them it is about is not known yet
                return [read for doc in docs for read in self._read_or_handle([doc])]
            self.get_error_handler()(self.name, self, docs, error)
            return []
        return docs

    def _read(self, docs: Sequence[Doc]) -> None:
        for doc in docs:
            check_annotated(doc)
        texts = [doc_text(doc.text, partial(text_input, format=None)) for doc in docs]
        documents = [document for text in texts for _, document in text.documents]
        if len(docs) > 1 and len({document.digest for document in documents}) < len(documents):
            for doc in docs:  # the same text may come with two parses
                self._read([doc])
            return
        parses: dict[str, list[Parse]] = {}
        for doc, text in zip(docs, texts, strict=True):
            given = GivenParse(doc, text.text)
            parses |= {document.digest: parses_of(given, document, start) for start, document in text.documents}
        by_digest = self._records(documents, parses)
        for doc, text in zip(docs, texts, strict=True):
            records: dict[type[Record], list[dict[str, Any]]] = {kind: [] for kind in _KINDS}
            records[Discard] += [plain(discard, 0) for discard in text.discards]
            for start, document in text.documents:
                for record in by_digest[document.digest]:
                    if type(record) in records:
                        records[type(record)].append(plain(record, start))
            annotate(doc, records, self._describe_parser(), self._groups)

    def _records(self, documents: Sequence[Document], parses: dict[str, list[Parse]]) -> dict[str, list[Record]]:
        """The records of each document, by its digest."""
        if self._reader is None:
            self._reader = DocumentReader(choose(self._extractors, (), self._describe_parser), strict=True)
        reader = evolve(self._reader, given=lambda wanted: [parses[document.digest] for document in wanted])
        return reader.records(documents)


@Language.factory(
    COMPONENT,
    requires=["token.dep", "token.head", "token.lemma", "token.pos", "token.tag"],
    assigns=[
        *("doc.spans", "doc.user_data", "doc._.script_events", "doc._.script_changes"),
        *("span._.action", "span._.tools", "span._.script_score"),
    ],
    default_config={"tools": True, "state_changes": True, "scenarios": True},
)
def make_script_reader(nlp: Language, name: str, tools: bool, state_changes: bool, scenarios: bool) -> ScriptReader:
    """The factory of the component.

    Parameters
    ----------
    tools:
        Add the tools of all events as a group of spans.
    state_changes:
        Predict the state changes, which takes most of the time.
    scenarios:
        Find the scenarios that passages are about.
    """
    set_extensions()
    extractors = ["events", *["state-changes"] * state_changes, *["sentences", "labels", "scenarios"] * scenarios]
    groups = [EVENTS, *[TOOLS] * tools, *[SCENARIOS] * scenarios]
    # When the component is made, the pipeline is not loaded yet.
    return ScriptReader(name, extractors, groups, partial(describe_language, nlp))
