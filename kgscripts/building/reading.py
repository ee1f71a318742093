"""Documents -> records: parsing and extraction of a batch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from attrs import define, field, frozen

from kgscripts.building.checking import OF_THE_BUILD, Extent, check_storable, checked, described
from kgscripts.extractors.protocol import PARSE, Parse, ParsedDocument, record_kinds
from kgscripts.extractors.registry import Chosen, needs
from kgscripts.records.readings import Failure
from kgscripts.records.shards import Reading
from kgscripts.text.unpunctuated import clause_spans
from schemas.errors import ExtractorError
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
    """The result of a batch: one reading or one failure for each document and each extractor that had not read it, or
    had read it without records that are there now.

    `spent` is what extractors have spent (`Extractor.spent`), by the names of these.
    """

    readings: Sequence[Reading]
    failures: Sequence[Failure]
    spent: Mapping[str, Mapping[str, float]] = field(factory=dict)


@define
class DocumentReader:
    """Parses with a spaCy pipeline (None: the one that ships) and runs extractors in their order.

    A document on which an extractor fails is set aside for this extractor, and for those that require records of a kind
    which no other extractor gives; the rest read it with the records of the others, and again when it has been read.
    With `strict` it is an error; with `storable`, so is a record that cannot be stored. With `given`, nothing is
    parsed: it gives the parses of each document, or None for one that has none, which is set aside for the extractors
    that require the parse.
    """

    extractors: Sequence[Chosen]
    spacy_model: str | None = None
    strict: bool = False
    storable: bool = False
    given: Callable[[Sequence[Document]], Sequence[Sequence[Parse] | None]] | None = None

    def records(self, documents: Sequence[Document]) -> dict[str, list[Record]]:
        """What all extractors read in documents that differ, by their digests. Raises as `read`."""
        records: dict[str, list[Record]] = {document.digest: [] for document in documents}
        for reading in self.read(Batch(documents, frozenset(item.version for item in self.extractors))).readings:
            records[reading.subject] += reading.records
        return records

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
        concerned = self.concerned(batch.lacking)
        parses: Sequence[Sequence[Parse] | None] = [()] * len(batch.documents)
        if any(PARSE in chosen.extractor.requires for chosen in concerned):
            parse = self.given or partial(parse_documents, spacy_model=self.spacy_model)
            parses = parse(batch.documents)
        extents = {document.digest: Extent.of(document) for document in batch.documents}
        records: dict[str, dict[str, Sequence[Record]]] = {
            document.digest: dict(batch.known.get(document.digest, {})) for document in batch.documents
        }
        readings: list[Reading] = []
        failures: list[Failure] = []
        for chosen in concerned:
            missing = self._missing(chosen, failures) | _without_parse(chosen, batch.documents, parses)
            required = {other.version for other in self.extractors if needs(chosen.extractor, other.extractor)}
            due = {item.subject for item in readings if item.extractor in required}
            if chosen.version in batch.lacking:
                due = {document.digest for document in batch.documents}
            failures += (failure for digest, failure in missing.items() if digest in due)
            documents = [
                ParsedDocument(document, tuple(parsed or ()), self._required(chosen, records[document.digest]))
                for document, parsed in zip(batch.documents, parses, strict=True)
                if document.digest in due - missing.keys()
            ]
            for document, outcome in zip(documents, self._outcomes(chosen, documents, extents), strict=True):
                digest = document.document.digest
                if isinstance(outcome, str):
                    failures.append(Failure(digest, chosen.version, DiscardReason.EXTRACTOR_FAILED, outcome))
                else:
                    records[digest][chosen.version] = outcome
                    readings.append(Reading(digest, chosen.version, outcome))
        spent = ((chosen.extractor.name, chosen.extractor.spent()) for chosen in concerned)
        return BatchReading(readings, failures, {name: numbers for name, numbers in spent if numbers})

    def concerned(self, lacking: Collection[str]) -> list[Chosen]:
        """The extractors that may read documents which those of the versions `lacking` have not read: these, and those
        that require their records, which had to read without them."""
        result: list[Chosen] = []
        for chosen in self.extractors:
            if chosen.version in lacking or any(needs(chosen.extractor, other.extractor) for other in result):
                result.append(chosen)
        return result

    def _outcomes(
        self, chosen: Chosen, documents: Sequence[ParsedDocument], extents: Mapping[str, Extent]
    ) -> list[list[Record] | str]:
        """For each document its records, or the error of the extractor."""
        if not documents:
            return []
        try:
            return [*self._records(chosen, documents, extents)]
        # Any other document would fail, too.
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
        readings = [
            checked(chosen.extractor, extents[document.document.digest], records, strict=self.strict)
            for document, records in zip(documents, given, strict=True)
        ]
        if self.storable:
            for document, records in zip(documents, readings, strict=True):
                check_storable(document.document.digest, chosen.version, records)
        return readings

    def _missing(self, chosen: Chosen, failures: Sequence[Failure]) -> dict[str, Failure]:
        """The documents that an extractor cannot read, since no extractor that gives records of a kind that it requires
        has read them."""
        failed: dict[str, set[str]] = {}
        for item in failures:
            failed.setdefault(item.subject, set()).add(item.extractor)
        missing: dict[str, Failure] = {}
        for kind in record_kinds(chosen.extractor.requires):
            givers = [item for item in self.extractors if item is not chosen and kind in item.extractor.gives]
            names = " or ".join(repr(item.extractor.name) for item in givers)
            detail = f"it requires records of the extractor {names}, which has not read the text"
            for subject, versions in failed.items():
                # One that has read it is enough.
                if versions.issuperset(item.version for item in givers):
                    missing[subject] = Failure(subject, chosen.version, DiscardReason.REQUIRED_MISSING, detail)
        return missing

    def _failed(self, chosen: Chosen, document: str, error: Exception) -> str:
        """The failure of an extractor; with `strict` it is raised."""
        detail = described(error)
        if self.strict:
            raise ExtractorError(
                f"the extractor {chosen.extractor.name!r} failed: {detail}", where=document, remedy=WHAT_TO_DO
            ) from error
        return detail

    def _required(self, chosen: Chosen, known: Mapping[str, Sequence[Record]]) -> dict[type[Record], list[Record]]:
        """The records of each required kind, by all extractors that give it."""
        return {
            kind: [
                record
                for other in self.extractors
                for record in known.get(other.version, ())
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
