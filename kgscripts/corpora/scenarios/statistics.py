"""The distribution of scenarios over documents (Wanzare, Roth and Pinkal 2019, section 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from attrs import frozen

from schemas.scenario_documents import ScenarioDocument

PUBLISHED: Mapping[str, float] = MappingProxyType(
    {
        "documents": 504,
        "labelled_sentences": 7152,
        "sentences_with_several_labels": 1038,
        "segments": 895,
        "segments_per_document": 1.8,
        "documents_with_several_scenarios": 0.44,
        "scenarios": 181,
        "scenarios_with_two_sentences": 179,
        "scenarios_with_over_100_sentences": 16,
        "scenarios_with_20_sentences": 105,
    }
)
"""The figures of section 3.3, by the names of `CorpusStatistics`."""


@frozen(kw_only=True)
class ScenarioCounts:
    """A row of Table 4 and Appendix B: the documents, sentences and segments of a scenario."""

    scenario: str
    documents: int
    sentences: int
    segments: int

    @property
    def sentences_per_segment(self) -> float:
        """The average length of its segments; overlapping ones share sentences."""
        return self.sentences / self.segments


@frozen(kw_only=True)
class CorpusStatistics:
    """The figures of section 3.3; `documents_with_several_scenarios` is a share."""

    documents: int
    sentences: int
    labelled_sentences: int
    sentences_with_several_labels: int
    segments: int
    segments_per_document: float
    documents_with_several_scenarios: float
    scenarios: int
    scenarios_with_two_sentences: int
    scenarios_with_over_100_sentences: int
    scenarios_with_20_sentences: int


@frozen(kw_only=True)
class Distribution:
    """Figure 2: the number of documents with each number of segments, and with each number of scenarios."""

    segments: Mapping[int, int]
    scenarios: Mapping[int, int]


def scenario_counts(documents: Sequence[ScenarioDocument]) -> list[ScenarioCounts]:
    """The counts of each scenario that occurs, those with most sentences first."""
    in_documents: Counter[str] = Counter()
    in_sentences: Counter[str] = Counter()
    in_segments: Counter[str] = Counter()
    for document in documents:
        in_documents.update({scenario for segment in document.segments for scenario in segment.scenarios})
        in_segments.update(scenario for segment in document.segments for scenario in segment.scenarios)
        in_sentences.update(scenario for labels in document.labels() for scenario in labels)
    rows = (
        ScenarioCounts(
            scenario=scenario,
            documents=in_documents[scenario],
            sentences=count,
            segments=in_segments[scenario],
        )
        for scenario, count in in_sentences.items()
    )
    return sorted(rows, key=lambda row: (-row.sentences, -row.documents, row.scenario))


def corpus_statistics(documents: Sequence[ScenarioDocument]) -> CorpusStatistics:
    """The statistics of at least one document."""
    labels = [labels for document in documents for labels in document.labels()]
    counts = [row.sentences for row in scenario_counts(documents)]
    segments = sum(len(document.segments) for document in documents)
    several = sum(count for number, count in distribution(documents).scenarios.items() if number > 1)
    return CorpusStatistics(
        documents=len(documents),
        sentences=len(labels),
        labelled_sentences=sum(map(bool, labels)),
        sentences_with_several_labels=sum(len(found) > 1 for found in labels),
        segments=segments,
        segments_per_document=segments / len(documents),
        documents_with_several_scenarios=several / len(documents),
        scenarios=len(counts),
        scenarios_with_two_sentences=sum(count >= 2 for count in counts),
        scenarios_with_over_100_sentences=sum(count > 100 for count in counts),
        scenarios_with_20_sentences=sum(count >= 20 for count in counts),
    )


def distribution(documents: Sequence[ScenarioDocument]) -> Distribution:
    """The number of documents for each number of segments and of scenarios, ascending."""
    segments = Counter(len(document.segments) for document in documents)
    scenarios = Counter(
        len({scenario for segment in document.segments for scenario in segment.scenarios}) for document in documents
    )
    return Distribution(segments=dict(sorted(segments.items())), scenarios=dict(sorted(scenarios.items())))
