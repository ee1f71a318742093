"""The extractor of scenarios by a model of the passages of a text (Wanzare, Roth and Pinkal 2019).

A passage that only names a scenario, without any of its events, is no segment (guideline A.1). So segments in which no
event of another extractor begins are left out.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kgscripts.corpora.scenarios.labels import scenario_of
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.models.registry import describe, load
from kgscripts.models.scenarios.protocol import OfVectors, detect_documents
from kgscripts.models.stored_vectors import encoded
from kgscripts.settings import device_setting, model_setting
from kgscripts.titles.plain import titles_digest
from schemas.provenance import Model
from schemas.records import Document, EventMention, PassageKind, Record, Segment, Sentence, SentenceVector

if TYPE_CHECKING:
    from kgscripts.models.scenarios.protocol import NewScenario, ScenarioModel
    from schemas.scenario_documents import DetectedSegment

_TASK = "scenarios"


@frozen(kw_only=True)
class ScenarioSettings:
    """The settings of the extractor of scenarios."""

    model: str = model_setting(_TASK)
    """The model: the name of one that ships, or the directory of a checkpoint."""
    labelled_too: bool = False
    """Whether scenarios are also detected in texts whose label or title names a scenario."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


@define
class ScenarioExtractor(Extractor):
    """Gives the segments that a model detects, one record for each scenario of a segment, and the vectors of the
    sentences if the model uses them: an enricher compares them with the titles of the graph.

    Texts with a scenario by label or title are left out, unless the setting `labelled_too` is true. Pairs are left out:
    a pair is a single instruction of a procedure, and its two sides could get different scenarios. The model of the
    settings is loaded for the first sentence, unless one is given. Scenarios in `added` are detected too.
    """

    name = "scenarios"
    rules = "2"
    task = "scenarios of passages"
    requires = (Sentence, EventMention)
    gives = (Segment, SentenceVector)
    cost = "scenario model (MiniLM encoder)"
    licence = "Apache-2.0"

    model: ScenarioModel | None = None
    settings: ScenarioSettings = field(factory=ScenarioSettings, kw_only=True)
    added: Sequence[NewScenario] = field(default=(), kw_only=True)
    _loaded: ScenarioModel | None = field(default=None, init=False, eq=False, repr=False)

    @property
    def data(self) -> Mapping[str, str]:
        """The word lists of titles, which decide which texts have a scenario, and the added scenarios."""
        texts = json.dumps([[scenario.name, scenario.passages] for scenario in self.added])
        added = {"added": hashlib.sha256(texts.encode()).hexdigest()} if self.added else {}
        return {"titles": titles_digest(), **added}

    @property
    def networks(self) -> tuple[Model, ...]:
        """The model of scenarios."""
        return (self.model.model if self.model is not None else describe(self.settings.model, _TASK),)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        spans = [_sentences(item) if self._reads(item.document) else [] for item in documents]
        texts = [
            [" ".join(item.document.text[start:end].split()) for start, end in own]
            for item, own in zip(documents, spans, strict=True)
        ]
        found = self._detect(texts)
        return [
            [*_with_events(_records(segments, own), item), *self._vectors(sentences, own)]
            for item, own, sentences, segments in zip(documents, spans, texts, found, strict=True)
        ]

    def _reads(self, document: Document) -> bool:
        is_pair = any(passage.kind is PassageKind.CONCRETE for passage in document.passages)
        return not is_pair and (self.settings.labelled_too or not scenario_of(document))

    def _detect(self, documents: Sequence[Sequence[str]]) -> list[list[DetectedSegment]]:
        if not any(documents):
            return [[] for _ in documents]
        if self._loaded is None:
            from kgscripts.models.scenarios.list import with_added
            from kgscripts.models.sentence_vectors import RememberedVectors

            self._loaded = with_added(
                load(_TASK, self.settings.model, self.settings.device) if self.model is None else self.model, self.added
            )
            # A model that ships is the same object for all extractors of a process.
            if isinstance(self._loaded, OfVectors) and not isinstance(self._loaded.vectors, RememberedVectors):
                self._loaded.vectors = RememberedVectors(self._loaded.vectors)
        return detect_documents(self._loaded, documents)

    def _vectors(self, texts: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[SentenceVector]:
        """The vectors of sentences, which detection has just computed."""
        if not texts or not isinstance(self._loaded, OfVectors):
            return []
        return [
            SentenceVector(start=start, end=end, values=encoded(vector))
            for (start, end), vector in zip(spans, self._loaded.vectors(texts), strict=True)
        ]


def _sentences(parsed: ParsedDocument) -> list[tuple[int, int]]:
    """The spans of the sentences in text order. Of overlapping ones the first is kept, which is the longest."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted(
        {(item.start, item.end) for item in parsed.records_of(Sentence)},
        key=lambda span: (span[0], -span[1]),
    ):
        if not spans or start >= spans[-1][1]:
            spans.append((start, end))
    return spans


def _records(found: Sequence[DetectedSegment], spans: Sequence[tuple[int, int]]) -> list[Segment]:
    """The segments of each scenario, by characters: adjacent ones about the same scenario are one (guideline A.3).

    The confidence is the mean over its sentences.
    """
    runs: dict[str, list[tuple[int, int, float]]] = {}
    for segment in found:
        scores = dict(segment.ranking)
        for scenario in segment.scenarios:
            own = runs.setdefault(scenario, [])
            start, end = segment.start, segment.end
            mass = scores.get(scenario, 0.0) * (end - start)
            if own and own[-1][1] == start:
                start, _, before = own.pop()
                mass += before
            own.append((start, end, mass))
    records = [
        Segment(scenario=scenario, start=spans[start][0], end=spans[end - 1][1], confidence=mass / (end - start))
        for scenario, own in runs.items()
        for start, end, mass in own
    ]
    return sorted(records, key=lambda record: (record.start, -record.end, record.scenario))


def _with_events(segments: Sequence[Segment], parsed: ParsedDocument) -> list[Segment]:
    """The segments in which an event begins."""
    starts = sorted(item.start for item in parsed.records_of(EventMention))
    return [item for item in segments if bisect_left(starts, item.start) < bisect_left(starts, item.end)]
