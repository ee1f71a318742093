"""The extractor of scenarios by a model of the passages of a text (Wanzare, Roth and Pinkal 2019).

A passage that only names a scenario, without any of its events, is no segment (guideline A.1). So segments in which no
event of another extractor begins are left out.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kgscripts.corpora.scenarios.labels import is_listed, resolve_title, scenario_of
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.models.registry import describe, load
from kgscripts.models.scenarios.protocol import OfVectors, OtherActivities, detect_documents
from kgscripts.models.scenarios.whole_texts import LONGEST, Labels, most_central, share_of, stretches, without_asides
from kgscripts.models.stored_vectors import decoded, encoded
from kgscripts.settings import device_setting, model_setting
from kgscripts.text.lexicon import verbs, word_list
from kgscripts.titles.plain import titles_digest
from schemas.provenance import Model
from schemas.records import Document, EventMention, PassageKind, Record, Segment, Sentence, SentenceVector

if TYPE_CHECKING:
    from kgscripts.models.scenarios.protocol import NewScenario, ScenarioModel
    from schemas.scenario_documents import DetectedSegment

_WORD = re.compile(r"[A-Za-z]+")
_WRITER = word_list("words for the writer")
_LEAST_TOLD = 0.04
_TASK = "scenarios"
_LEAST_SHARE = 0.38
"""The least mean probability of an activity that is not listed, chosen in view of stories of which half are of such."""
OF_ITS_OWN = 0.3
"""The confidence in a scenario that only the text itself names: less than any that is offered has."""
_MOST_NAMES = 100
_PRONOUNS = word_list("pronouns")
_TELL_LITTLE = verbs("vague") | verbs("stative") | verbs("reporting") | verbs("going")


@frozen(kw_only=True)
class ScenarioSettings:
    """The settings of the extractor of scenarios."""

    model: str = model_setting(_TASK)
    """The model: the name of one that ships, or the directory of a checkpoint."""
    labelled_too: bool = False
    """Whether scenarios are also detected in texts whose label or title names a scenario; then all that are detected
    in a text are taken, and it has none of its own."""
    own: bool = True
    """Whether a text in which no scenario is found has one of its own."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


@define
class ScenarioExtractor(Extractor):
    """Gives the segments that a model detects, one record for each scenario of a segment, and the vectors of the
    sentences if the model uses them: an enricher compares them with the titles of the graph.

    A short text has the scenario that most of it is about. One in which none is found has one of its own as a whole: an
    activity that the model knows besides the listed ones, or else the action that is nearest to the middle of its
    sentences. Texts with a scenario by label or title are left out, unless the setting `labelled_too` is true. Pairs
    are left out: a pair is a single instruction of a procedure, and its two sides could get different scenarios. The
    model of the settings is loaded for the first sentence, unless one is given. Scenarios in `added` are detected too.
    """

    name = "scenarios"
    rules = "4"
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
        detected = self._detect(texts)
        return [
            [*self._about(labels_of(segments), vectors, own, item), *vectors]
            for item, own, sentences, segments in zip(documents, spans, texts, detected, strict=True)
            for vectors in [self._vectors(sentences, own)]
        ]

    def _about(
        self,
        detected: Labels,
        vectors: Sequence[SentenceVector],
        spans: Sequence[tuple[int, int]],
        item: ParsedDocument,
    ) -> list[Segment]:
        """The segments of a text. One in which nothing that is known is told has a scenario of its own, as a whole."""
        if self.settings.labelled_too:
            return _with_events(_records(detected, spans), item)
        kept = without_asides(detected, is_whole=not _tells_of_its_writer(item.document.text))
        segments = _with_events(_records(kept, spans), item)
        events = item.records_of(EventMention)
        if not (self.settings.own and vectors and events) or len(spans) > LONGEST:
            return segments
        assert isinstance(self._loaded, OfVectors)  # which gave the vectors
        own = decoded([vector.values for vector in vectors])
        if isinstance(self._loaded, OtherActivities):
            name, share = self._loaded.other_activity(own)
            most = max((share_of(label, kept) for labels in kept for label in labels), default=0.0)
            if share >= max(_LEAST_SHARE, most):
                return [Segment(scenario=name, start=spans[0][0], end=spans[-1][1], confidence=share)]
        if segments:
            return segments
        names = _names(events)
        if not names:
            return []
        name = names[most_central(own, self._loaded.vectors(names))]
        return [Segment(scenario=name, start=spans[0][0], end=spans[-1][1], confidence=OF_ITS_OWN)]

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


def _tells_of_its_writer(text: str) -> bool:
    """Whether a text is a story of the one who writes it, which can tell of several activities; instructions are about
    one, also in a chat. In 32 stories of several activities the share of such words is at least 0.043."""
    words = [word.lower() for word in _WORD.findall(text)]
    return sum(word in _WRITER for word in words) > _LEAST_TOLD * len(words)


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


def labels_of(segments: Sequence[DetectedSegment]) -> list[Mapping[str, float]]:
    """Of each sentence, the scenarios of its segment with their probabilities."""
    labels: list[Mapping[str, float]] = []
    for segment in segments:
        scores = dict(segment.ranking)
        own = {scenario: scores.get(scenario, 0.0) for scenario in segment.scenarios}
        labels += [own] * (segment.end - segment.start)
    return labels


def _records(labels: Labels, spans: Sequence[tuple[int, int]]) -> list[Segment]:
    """The segments of each scenario, by characters: adjacent ones about the same scenario are one (guideline A.3).

    The confidence is the mean over its sentences.
    """
    records = [
        Segment(scenario=scenario, start=spans[start][0], end=spans[end - 1][1], confidence=sure)
        for scenario, start, end, sure in stretches(labels)
    ]
    return sorted(records, key=lambda record: (record.start, -record.end, record.scenario))


def _names(events: Sequence[EventMention]) -> list[str]:
    """The actions that are done to what most of them are done to, as names of an activity: "hammering the stakes"."""
    done = [event for event in events if event.action.object and event.action.object not in _PRONOUNS]
    telling = [event for event in done if event.action.predicate not in _TELL_LITTLE] or done or list(events)
    counts = Counter(event.action.object for event in telling)
    most = max(counts.values(), default=0)
    words = (event.words or event.action.label for event in telling if counts[event.action.object] == most)
    # A listed scenario would have been found; what one action has in common with it is chance.
    names = (name for each in words if not is_listed(name := resolve_title(f"how to {each}")))
    return list(dict.fromkeys(names))[:_MOST_NAMES]


def _with_events(segments: Sequence[Segment], parsed: ParsedDocument) -> list[Segment]:
    """The segments in which an event begins."""
    starts = sorted(item.start for item in parsed.records_of(EventMention))
    return [item for item in segments if bisect_left(starts, item.start) < bisect_left(starts, item.end)]
