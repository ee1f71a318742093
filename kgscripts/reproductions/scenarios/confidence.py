"""How often detected segments are right by their confidence, and what a floor of the confidence changes.

A detector is most often asked about texts whose activity is not among its scenarios. So each document is taken twice:
as it is, and as if its own scenarios were unlisted, when every scenario that is found is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from kgscripts.evaluation.result import Evaluation, System, shares
from kgscripts.models.scenarios.detector import DetectorSettings, ScenarioDetector, detected_segments
from kgscripts.reproductions.scenarios.measures import boundary_errors, count_labels, micro, micro_score
from kgscripts.reproductions.scenarios.predictions import PairedDocuments, pair_documents, ranked
from schemas.results import Table
from schemas.scenario_documents import DetectedSegment, ScenarioDocument

UNLISTED_SHARE = 0.25
"""The share of the texts that are taken to be about activities that are not listed."""
FLOORS = tuple(round(0.05 * step, 2) for step in range(16))
_BINS = 10

Scores = NDArray[np.float64]


@frozen
class ScoredDocuments:
    """Documents with the log probabilities that a detector gives to the labels of its settings, by sentence."""

    documents: Sequence[ScenarioDocument]
    scores: Sequence[Scores]
    settings: DetectorSettings

    def found(self, floor: float) -> list[list[DetectedSegment]]:
        """The segments of each document, with this floor."""
        settings = evolve(self.settings, floor=floor)
        return [detected_segments(of_document, settings) for of_document in self.scores]

    def found_without_own(self, floor: float) -> Iterator[list[DetectedSegment]]:
        """The segments of each document if its scenarios were not listed; documents that leave none are left out."""
        for document, scores in zip(self.documents, self.scores, strict=True):
            own = {label for labels in document.labels() for label in labels}
            names = self.settings.labels[:-1]
            kept = [place for place, name in enumerate(names) if name not in own]
            if not kept:
                continue
            left = scores[:, [*kept, len(names)]]
            left = (left - np.logaddexp.reduce(left, axis=1, keepdims=True)).round(4)
            listed = [names[place] for place in kept]
            # Withheld scenarios and other activities are in the last column already.
            yield detected_segments(left, evolve(self.settings, scenarios=listed, withheld=(), others=(), floor=floor))

    def paired(self, floor: float) -> PairedDocuments:
        """The documents with what is found in them."""
        pairs = zip(self.documents, self.found(floor), strict=True)
        return pair_documents(
            self.documents, {document.id: [ranked(item) for item in segments] for document, segments in pairs}
        )

    def unlisted_as_none(self, floor: float) -> float:
        """The share of sentences in which nothing is found if the scenarios of their document are not listed."""
        segments = [item for of_document in self.found_without_own(floor) for item in of_document]
        sentences = sum(item.end - item.start for item in segments)
        return sum(item.end - item.start for item in segments if not item.scenarios) / (sentences or 1)

    def quality(self, floor: float) -> float:
        """The mean of micro F1 and `unlisted_as_none`, weighted by `UNLISTED_SHARE`."""
        f1 = micro_score(count_labels(self.paired(floor).outcomes()).values()).f1
        return (1 - UNLISTED_SHARE) * f1 + UNLISTED_SHARE * self.unlisted_as_none(floor)


def best_floor(scored: ScoredDocuments) -> float:
    """The floor of the highest `quality`; the lowest of equally good ones."""
    return max(FLOORS, key=lambda floor: (round(scored.quality(floor), 6), -floor))


def scored_documents(documents: Sequence[ScenarioDocument], detector: ScenarioDetector) -> ScoredDocuments:
    """The documents with the log probabilities of the detector."""
    scores = detector.all_log_probabilities([document.sentences for document in documents])
    return ScoredDocuments(documents, scores, detector.settings)


def evaluate_confidence(
    documents: Sequence[ScenarioDocument], detector: ScenarioDetector, *, dataset: str, split: str, source: str = ""
) -> Evaluation:
    """The scores of a detector with its floor and without one, how often segments are right by their confidence, and
    what each floor would give."""
    scored = scored_documents(documents, detector)
    floors = {"without a floor": 0.0, f"floor {detector.settings.floor:.2f}": detector.settings.floor}
    return Evaluation(
        task="confidence of scenarios",
        dataset=dataset,
        split=split,
        items={"documents": len(documents), "sentences": sum(len(document.sentences) for document in documents)},
        systems=[_system(scored, detector, name, floor, source) for name, floor in floors.items()],
        tables={
            "Right sentences by the confidence of their segment": _reliability(scored),
            "Floors": Table(
                columns=("floor", "micro F1", "P_k", "unlisted as None", "weighted mean"),
                rows=[_of_floor(scored, floor) for floor in FLOORS],
            ),
        },
    )


def _system(scored: ScoredDocuments, detector: ScenarioDetector, name: str, floor: float, source: str) -> System:
    paired = scored.paired(floor)
    boundaries = paired.boundaries()
    figures = (
        *micro(micro_score(count_labels(paired.outcomes()).values())),
        *boundary_errors(boundaries.pk, boundaries.window_diff),
        *shares({"unlisted as None": scored.unlisted_as_none(floor)}),
    )
    return System(name=detector.model.name, setting=name, source=source, figures=figures)


def _of_floor(scored: ScoredDocuments, floor: float) -> tuple[float, ...]:
    paired = scored.paired(floor)
    f1 = micro_score(count_labels(paired.outcomes()).values()).f1
    values = (f1, paired.boundaries().pk or 0.0, scored.unlisted_as_none(floor), scored.quality(floor))
    return (floor, *(round(value, 3) for value in values))


def _reliability(scored: ScoredDocuments) -> Table:
    """For each tenth of confidence the segments, their sentences, and the share of these that are about the first
    scenario; the sentences if the scenarios of their document are not listed; and the share of both that is right."""
    listed, right, unlisted = np.zeros((_BINS, 2)), np.zeros(_BINS), np.zeros(_BINS)
    for document, segments in zip(scored.documents, scored.found(0.0), strict=True):
        labels = document.labels()
        for item in segments:
            if item.scenarios:
                place = _bin(item)
                listed[place] += (1, item.end - item.start)
                right[place] += sum(item.scenarios[0] in of_sentence for of_sentence in labels[item.start : item.end])
    for segments in scored.found_without_own(0.0):
        for item in segments:
            if item.scenarios:
                unlisted[_bin(item)] += item.end - item.start
    rows = []
    for place in range(_BINS):
        segments, sentences = listed[place]
        both = (1 - UNLISTED_SHARE) * sentences + UNLISTED_SHARE * unlisted[place]
        shares_right = (right[place] / (sentences or 1), (1 - UNLISTED_SHARE) * right[place] / (both or 1))
        rows.append(
            (
                f"{place / _BINS:.1f} to {(place + 1) / _BINS:.1f}",
                int(segments),
                int(sentences),
                round(shares_right[0], 2),
                int(unlisted[place]),
                round(shares_right[1], 2),
            )
        )
    columns = ("confidence", "segments", "sentences", "right", "if unlisted", "right of both")
    return Table(columns=columns, rows=rows)


def _bin(segment: DetectedSegment) -> int:
    return min(int(segment.confidence * _BINS), _BINS - 1)
