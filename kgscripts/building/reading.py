"""Documents -> records: parsing and extraction of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from attrs import define, field, frozen

from kgscripts.building.checking import OF_THE_BUILD, Extent, check_storable, checked, described
from kgscripts.extractors.protocol import PARSE, Parse, ParsedDocument, record_kinds
from kgscripts.extractors.registry import Chosen, needs
from kgscripts.records.failures import Failure
from kgscripts.records.shards import Reading
from kgscripts.text.unpunctuated import clause_spans
from schemas.errors import ExtractorError, RecordError
from schemas.records import DiscardReason, Document, Passage, PassageKind, Record

WHAT_TO_DO = "mend the extractor, leave it out by --without, or leave --strict away to set the text aside"


@frozen
class Batch:
    """Documents, the versions of the extractors that have not read them, and the records of the others.

    `known` holds the records of each document (by digest) and of each extractor that is required and has read it.
    """

    documents: Sequence[Document]
    lacking: frozenset[str]
    known: Mapping[str, Mapping[str, Sequence[Record]]] = field(factory=dict)


@frozen
class BatchReading:
    """The result of a batch: one reading or one failure for each document and each extractor that had not read it.

    `spent` is what extractors have spent (`Extractor.spent`), by the names of these.
    """

    readings: Sequence[Reading]
    failures: Sequence[Failure]
    spent: Mapping[str, Mapping[str, float]] = field(factory=dict)


@define
class DocumentReader:
    """Parses with a spaCy pipeline (None: the one that ships) and runs extractors in their order.

    A document on which an extractor fails is set aside for this extractor, and for those that require its records; with
    `strict` it is an error. With `given`, nothing is parsed: it gives the parses of each document, or None for one that
    has none, which is set aside for the extractors that require the parse.
    """

    extractors: Sequence[Chosen]
    spacy_model: str | None = None
    strict: bool = False
    given: Callable[[Sequence[Document]], Sequence[Sequence[Parse] | None]] | None = None

    def read(self, batch: Batch) -> BatchReading:
        """Run on the documents the extractors that have not read them.

        Raises
        ------
        ExtractorError
            With `strict`: if an extractor raises an exception, gives a wrong number of readings, a kind of record that
            it does not declare, or a record with a misplaced span.
        ModelError
            If an extractor cannot load a model. Other errors that are not about a document are raised as they are.
        """
        lacking = [chosen for chosen in self.extractors if chosen.version in batch.lacking]
        parses: Sequence[Sequence[Parse] | None] = [()] * len(batch.documents)
        if any(PARSE in chosen.extractor.requires for chosen in lacking):
            parse = self.given or partial(parse_documents, spacy_model=self.spacy_model)
            parses = parse(batch.documents)
        extents = {document.digest: Extent.of(document) for document in batch.documents}
        found: dict[str, dict[str, Sequence[Record]]] = {
            document.digest: dict(batch.known.get(document.digest, {})) for document in batch.documents
        }
        failures: list[Failure] = []
        for chosen in lacking:
            missing = self._missing(chosen, failures) | _without_parse(chosen, batch.documents, parses)
            failures += missing.values()
            documents = [
                ParsedDocument(document, tuple(parsed or ()), self._required(chosen, found[document.digest]))
                for document, parsed in zip(batch.documents, parses, strict=True)
                if document.digest not in missing
            ]
            for document, outcome in zip(documents, self._outcomes(chosen, documents, extents), strict=True):
                digest = document.document.digest
                if isinstance(outcome, str):
                    failures.append(Failure(digest, chosen.version, DiscardReason.EXTRACTOR_FAILED, outcome))
                else:
                    found[digest][chosen.version] = outcome
        readings = [
            Reading(document.digest, chosen.version, found[document.digest][chosen.version])
            for chosen in lacking
            for document in batch.documents
            if chosen.version in found[document.digest]
        ]
        spent = ((chosen.extractor.name, chosen.extractor.spent()) for chosen in lacking)
        return BatchReading(readings, failures, {name: numbers for name, numbers in spent if numbers})

    def storable(self, batch: Batch, found: BatchReading) -> BatchReading:
        """The readings that can be stored. If a record cannot be stored, its extractor has failed on the document.

        Raises
        ------
        ExtractorError
            With `strict`, if a record cannot be stored.
        """
        names = {document.digest: document.name for document in batch.documents}
        failures = list(found.failures)
        kept: list[Reading] = []
        for chosen in self.extractors:
            missing = self._missing(chosen, failures)
            for reading in (item for item in found.readings if item.extractor == chosen.version):
                if reading.subject in missing:
                    failures.append(missing[reading.subject])
                    continue
                try:
                    check_storable(reading.subject, reading.extractor, reading.records)
                    kept.append(reading)
                except RecordError as error:
                    failures.append(
                        Failure(
                            reading.subject,
                            reading.extractor,
                            DiscardReason.EXTRACTOR_FAILED,
                            self._failed(chosen, names[reading.subject], error),
                        )
                    )
        return BatchReading(kept, failures, found.spent)

    def _outcomes(
        self, chosen: Chosen, documents: Sequence[ParsedDocument], extents: Mapping[str, Extent]
    ) -> list[list[Record] | str]:
        """For each document its records, or the error of the extractor."""
        if not documents:
            return []
        try:
            return [*self._records(chosen, documents, extents)]
        except OF_THE_BUILD:
            raise
        except Exception as error:  # noqa: BLE001, code of others: what it raises is about the document
            if len(documents) == 1:
                return [self._failed(chosen, documents[0].document.name, error)]
        # The failing document is not known yet.
        return [outcome for document in documents for outcome in self._outcomes(chosen, [document], extents)]

    def _records(
        self, chosen: Chosen, documents: Sequence[ParsedDocument], extents: Mapping[str, Extent]
    ) -> list[list[Record]]:
        given = chosen.extractor.read(documents)
        if len(given) != len(documents):
            raise ExtractorError(f"it gave {len(given)} readings of {len(documents)} documents")
        return [
            checked(chosen.extractor, extents[document.document.digest], records, strict=self.strict)
            for document, records in zip(documents, given, strict=True)
        ]

    def _missing(self, chosen: Chosen, failures: Sequence[Failure]) -> dict[str, Failure]:
        """The documents that an extractor cannot read, since an extractor that it requires has not read them."""
        needed = {
            other.version: other.extractor.name for other in self.extractors if needs(chosen.extractor, other.extractor)
        }
        return {
            item.subject: Failure(
                item.subject,
                chosen.version,
                DiscardReason.REQUIRED_MISSING,
                f"it requires records of the extractor {needed[item.extractor]!r}, which has not read the text",
            )
            for item in failures
            if item.extractor in needed
        }

    def _failed(self, chosen: Chosen, document: str, error: Exception) -> str:
        """The failure of an extractor; with `strict` it is raised."""
        detail = described(error)
        if self.strict:
            raise ExtractorError(
                f"the extractor {chosen.extractor.name!r} failed: {detail}", where=document, remedy=WHAT_TO_DO
            ) from error
        return detail

    def _required(self, chosen: Chosen, found: Mapping[str, Sequence[Record]]) -> dict[type[Record], list[Record]]:
        """The records of each required kind, by all extractors that give it."""
        return {
            kind: [
                record
                for other in self.extractors
                for record in found.get(other.version, ())
                if other is not chosen and isinstance(record, kind)
            ]
            for kind in record_kinds(chosen.extractor.requires)
        }


def _without_parse(
    chosen: Chosen, documents: Sequence[Document], parses: Sequence[Sequence[Parse] | None]
) -> dict[str, Failure]:
    """The documents that an extractor cannot read, since it requires the parse and none was given."""
    detail = "it requires the parse, and the Doc of this text is not among those that were given"
    return {
        document.digest: Failure(document.digest, chosen.version, DiscardReason.REQUIRED_MISSING, detail)
        for document, parsed in zip(documents, parses, strict=True)
        if parsed is None and PARSE in chosen.extractor.requires
    }


def parse_documents(documents: Sequence[Document], spacy_model: str | None) -> list[list[Parse]]:
    """The parses of each document's innermost passages, in text order."""
    from kgscripts.text.passages import innermost, parse_passages
    from kgscripts.text.pipeline import load_pipeline

    parses: list[list[Parse]] = [[] for _ in documents]
    texts = (
        (document.text[passage.start + start : passage.start + end], (number, passage, start))
        for number, document in enumerate(documents)
        for passage in innermost(document.passages)
        for start, end in parsed_spans(document.text, passage)
    )
    for piece in parse_passages(load_pipeline(spacy_model), texts):
        number, passage, start = piece.context
        parses[number].append(Parse(passage=passage, doc=piece.doc, offset=passage.start + start + piece.offset))
    return parses


def parsed_spans(text: str, passage: Passage) -> Iterator[tuple[int, int]]:
    """The spans of a passage that are parsed by themselves: all of it, or its clauses if it has no sentence ends."""
    content = text[passage.start : passage.end]
    return iter([(0, len(content))]) if passage.kind is PassageKind.SENTENCE else clause_spans(content)
