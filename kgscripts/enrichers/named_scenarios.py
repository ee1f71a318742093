"""The enricher that looks for the scenarios that labels and titles of a graph name in the texts without a label."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from attrs import define, frozen

from kgscripts.corpora.scenarios.labels import is_listed
from kgscripts.enrichers.protocol import Enricher
from kgscripts.models.registry import describe
from kgscripts.models.scenarios.whole_texts import SHORT, main_of, stretches, without_asides
from kgscripts.models.stored_vectors import decoded
from kgscripts.settings import model_setting
from kgscripts.text.lexicon import is_a
from kgscripts.titles.plain import leading_nouns, singular
from schemas.provenance import Model
from schemas.records import NamedSegment, Record, SentenceVector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kgscripts.models.scenarios.detector import ScenarioDetector
    from schemas.scenario_documents import DetectedSegment

LEAST_CONFIDENCE = 0.5
"""The least confidence of a passage about an offered scenario."""
LEAST_SHARE = 0.1
"""The least share of the sentences of a text that an offered scenario has instead of what was guessed."""
LEAST_NEARNESS = 0.5
"""The least cosine of a passage and the offered scenario that it is about."""

_TASK = "scenarios"
_WORD = re.compile(r"[^\W\d_]+")


@frozen(kw_only=True)
class NamedScenarioSettings:
    """The settings of the enricher of named scenarios."""

    model: str = model_setting(_TASK)
    """The detector, best that of the extractor `scenarios`: the name of one that ships, or a checkpoint."""


class NamedScenarios(Enricher):
    """Decides which passages of a text are about an offered scenario rather than about what was detected there.

    An offered scenario is not among those of the detector, which gets it as one of a list of scenarios
    (`kgscripts.models.scenarios.list`). It has a passage if the detector is surer of it than it was of what it detected
    without it.
    """

    name = "named-scenarios"
    rules = "4"
    task = "passages about scenarios that labels and titles name"
    requires: ClassVar[tuple[str, ...]] = ("scenario-vectors",)
    reads = (SentenceVector,)
    gives = NamedSegment
    settings: NamedScenarioSettings = NamedScenarioSettings()
    # For each text without a label or title: its detected segments, its words, and spans and vectors of its sentences.
    query = """
        WITH told AS (
            SELECT document, list(start || ' ' || "end" || ' ' || values ORDER BY start) AS sentences
            FROM sentence_vector_record
            WHERE document NOT IN (SELECT document FROM given_segment) AND EXISTS (FROM scenario_vector_of)
            GROUP BY document
        ), detected AS (
            SELECT document, to_json(list([start::VARCHAR, "end"::VARCHAR, scenario, confidence::VARCHAR]
                                          ORDER BY start, "end", scenario))::VARCHAR AS segments
            FROM detected_segment GROUP BY document
        )
        SELECT document AS target, [coalesce(segments, '[]'), text.text] || sentences AS content
        FROM told JOIN text USING (document) LEFT JOIN detected USING (document) ORDER BY target
    """
    candidates = """
        SELECT name || chr(10) || values FROM offered_scenario JOIN scenario_vector_of ON target = offered
        ORDER BY name
    """
    reader_of: ClassVar = {
        "HAS_SUB_EVENT": """
            SELECT r.scenario AS start, r.step AS "end", max(n.confidence) AS score
            FROM named_segment_of n JOIN offered_scenario o ON o.name = n.scenario
                 JOIN scenario_name k ON k.name = n.scenario JOIN scenario s ON s.label = k.label
                 JOIN realization r ON r.document = n.target AND r.scenario = s.scenario
                      AND r.start >= n.start AND r.start < n."end"
            GROUP BY ALL
        """
    }

    def __init__(self, settings: NamedScenarioSettings | None = None, model: ScenarioDetector | None = None) -> None:
        super().__init__(settings)
        self._given = model
        self._offered: tuple[Sequence[str], _OnVectors, dict[str, NDArray[np.float64]]] | None = None

    @property
    def networks(self) -> tuple[Model, ...]:
        """The detector of the settings."""
        return (describe(self.settings.model, _TASK) if self._given is None else self._given.model,)

    @cached_property
    def _model(self) -> ScenarioDetector:
        from kgscripts.models.scenarios.detector import load_detector

        return load_detector(self.settings.model) if self._given is None else self._given

    def enrich(self, contents: Sequence[Sequence[str]], candidates: Sequence[str]) -> list[Sequence[Record]]:
        """The segments of each text in which an offered scenario is found; none for other texts."""
        from kgscripts.models.scenarios.protocol import detect_documents

        offered = {candidate.partition("\n")[0] for candidate in candidates}
        texts = [[sentence.split(" ") for sentence in content[2:]] for content in contents]
        detected = [
            [(int(start), int(end), name, float(sure)) for start, end, name, sure in json.loads(content[0])]
            for content in contents
        ]
        vectors: list[Any] = [decoded([values for *_, values in text]) for text in texts]
        offered_segments = detect_documents(self._detector(candidates), vectors)
        return [
            named_segments(
                [(int(start), int(end)) for start, end, _ in text],
                [(start, end, name, sure) for start, end, name, sure in told if is_listed(name)],
                [
                    segment
                    for segment in segments
                    if not offered.isdisjoint(segment.scenarios)
                    and self._is_alike(segment, own)
                    and _is_done_to_one_of(segment.scenarios[0], content[1])
                ],
                is_guessed=not all(is_listed(name) for *_, name, _ in told),
            )
            for content, told, text, own, segments in zip(
                contents, detected, texts, vectors, offered_segments, strict=True
            )
        ]

    def _is_alike(self, segment: DetectedSegment, vectors: NDArray[np.int8]) -> bool:
        """Whether the middle of a segment is near what is offered: few scenarios are offered, and one may only be the
        least wrong."""
        assert self._offered is not None
        middle = vectors[segment.start : segment.end].astype(float)
        middle = (middle / np.linalg.norm(middle, axis=1, keepdims=True)).sum(axis=0)
        nearness = float(self._offered[2][segment.scenarios[0]] @ middle) / float(np.linalg.norm(middle))
        return round(nearness, 3) >= LEAST_NEARNESS

    def _detector(self, candidates: Sequence[str]) -> _OnVectors:
        """The detector with the offered scenarios, which are the same for all texts of an assembly."""
        if self._offered is None or self._offered[0] != candidates:
            names, _, vectors = zip(*(candidate.partition("\n") for candidate in candidates), strict=True)
            points = decoded(vectors).astype(float)
            points /= np.linalg.norm(points, axis=1, keepdims=True)
            detector = _OnVectors(self._model.with_points(names, points), self._model.model)
            self._offered = (candidates, detector, dict(zip(names, points, strict=True)))
        return self._offered[1]


def named_segments(
    spans: Sequence[tuple[int, int]],
    detected: Sequence[tuple[int, int, str, float]],
    offered: Sequence[DetectedSegment],
    *,
    is_guessed: bool = False,
) -> list[NamedSegment]:
    """The segments of a text with sentences at `spans`, by characters; none if no offered scenario has a sentence.

    `detected` are the start, end, scenario and confidence of the detected segments. A sentence is about the scenario of
    the `offered` segment that it lies in, if the confidence in that is at least `LEAST_CONFIDENCE` and higher than in
    any detected one. Asides are left out, and a short text, or one with a single detected segment, that is sooner about
    what was detected gets nothing that is offered. What a text as a whole `is_guessed` to be about, as it has no
    scenario of the detector, gives way to what is offered in `LEAST_SHARE` of its sentences or more.
    """
    starts = [start for start, _ in spans]
    names = {segment.scenarios[0] for segment in offered}
    about: list[dict[str, float]] = [{} for _ in spans]
    for start, end, scenario, sure in detected:
        for place in range(bisect_left(starts, start), bisect_left(starts, end)):
            about[place][scenario] = sure
    for segment in offered:
        if segment.confidence >= LEAST_CONFIDENCE:
            for place in range(segment.start, segment.end):
                if segment.confidence > max(about[place].values(), default=0.0):
                    about[place] = {segment.scenarios[0]: segment.confidence}
    is_whole = any(spans and start <= spans[0][0] and end >= spans[-1][1] for start, end, _, _ in detected)
    kept = without_asides(about, is_whole=is_whole)
    if names.isdisjoint(name for labels in kept for name in labels) or (
        (is_whole or len(spans) <= SHORT) and main_of(kept) not in names
    ):
        return []
    if is_guessed and sum(map(bool, kept)) < LEAST_SHARE * len(spans):
        return []
    segments = [
        NamedSegment(scenario=scenario, start=spans[start][0], end=spans[end - 1][1], confidence=sure)
        for scenario, start, end, sure in stretches(kept)
    ]
    return sorted(segments, key=lambda item: (item.start, item.end, item.scenario))


def _is_done_to_one_of(name: str, text: str) -> bool:
    """Whether a text names a person or an animal of the name of a scenario, or no animal at all: what is done to a dog
    is not what is done to a toddler."""
    own, told = _beings(name), _beings(text)
    return not own or not own.isdisjoint(told) or not any(is_a(being, "animal") for being in told)


def _beings(text: str) -> frozenset[str]:
    words = {singular(word) for word in _WORD.findall(text.lower())}
    beings = {word for word in words if is_a(word, "person", "animal")}
    return frozenset(noun for word in beings for noun in leading_nouns().get((word,), (word,)))


@define
class _OnVectors:
    """A detector as a `ScenarioModel` of vectors instead of sentences."""

    detector: ScenarioDetector
    model: Model

    def detect(self, documents: Sequence[Any]) -> list[list[DetectedSegment]]:
        return self.detector.detect_vectors([np.asarray(document) for document in documents])
