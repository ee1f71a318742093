"""The extractor of scenarios from the label or title of a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kgscripts.corpora.scenarios.labels import is_listed, scenario_of
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.score_files import read_scores, scores_of_package
from kgscripts.titles.plain import titles_digest
from schemas.provenance import BenchmarkScore, Model
from schemas.records import Discard, DiscardReason, Document, Record, Segment


class LabelExtractor(Extractor):
    """Makes the label of a source, or the title of a how-to, a segment over its whole text."""

    name = "labels"
    rules = "4"
    task = "scenarios by label or title"
    gives = (Segment, Discard)
    licence = "Apache-2.0"

    def scores(self, parser: Model | None) -> Sequence[BenchmarkScore]:  # noqa: ARG002
        """Those that ship: whether titles of the same activity become one scenario."""
        return read_scores(scores_of_package(self.name))

    @property
    def data(self) -> Mapping[str, str]:
        """The word lists of titles."""
        return {"titles": titles_digest()}

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        return [_read(item.document) for item in documents]


def _read(document: Document) -> list[Record]:
    records: list[Record] = []
    scenario = scenario_of(document)
    if scenario and document.text:
        records.append(Segment(scenario=scenario, start=0, end=len(document.text)))
    if document.scenario and not is_listed(document.scenario):
        records.append(Discard(reason=DiscardReason.UNKNOWN_SCENARIO, detail=f"{document.scenario}; kept as it is"))
    return records
