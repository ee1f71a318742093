"""What documents with scenarios hold (Wanzare, Roth and Pinkal 2019, section 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attrs import frozen

from schemas.scenario_documents import ScenarioDocument


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


def corpus_statistics(documents: Sequence[ScenarioDocument]) -> CorpusStatistics:
    """The statistics of at least one document."""
    labels = [labels for document in documents for labels in document.labels()]
    counts = Counter(scenario for found in labels for scenario in found).values()
    segments = sum(len(document.segments) for document in documents)
    scenarios = [{name for segment in document.segments for name in segment.scenarios} for document in documents]
    return CorpusStatistics(
        documents=len(documents),
        sentences=len(labels),
        labelled_sentences=sum(map(bool, labels)),
        sentences_with_several_labels=sum(len(found) > 1 for found in labels),
        segments=segments,
        segments_per_document=segments / len(documents),
        documents_with_several_scenarios=sum(len(names) > 1 for names in scenarios) / len(documents),
        scenarios=len(counts),
        scenarios_with_two_sentences=sum(count >= 2 for count in counts),
        scenarios_with_over_100_sentences=sum(count > 100 for count in counts),
        scenarios_with_20_sentences=sum(count >= 20 for count in counts),
    )
