"""Predicted segments with their ranked scenarios, of a file and of a model, and gold documents beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from attrs import evolve, frozen

from kgscripts.corpora.json_records import json_object, record_id
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.source import numbered_lines
from kgscripts.evaluation.counting import check_ids
from kgscripts.models.scenarios.protocol import ScenarioModel, SegmentLabeller
from kgscripts.reproductions.scenarios.documents import gold_spans, segment_parts, segments_of
from kgscripts.reproductions.scenarios.measures import BoundaryScores, Outcome, boundaries_of, compare, score_boundaries
from schemas.errors import InputError
from schemas.scenario_documents import NONE, DetectedSegment, LabelledSegment, ScenarioDocument

Predictions = Mapping[str, Sequence[LabelledSegment]]
"""Segments by the id of their document; their scenarios are ranked, with `NONE` among them.

If a sentence is in several segments, the scenarios of the first one come first. A sentence in none has the label
`NONE`.
"""

_REPORTED = 32
"""Documents that a model is given at once, so that progress can be shown."""
_REMEDY = 'write {"id": "...", "segments": [{"start": 0, "end": 4, "scenarios": ["..."]}]} on each line'


@cache
def normalised(label: str) -> str:
    """The listed scenario that a label refers to, `NONE`, or the label itself, normalised; see `resolve`."""
    return NONE if label.strip() == NONE else resolve(label)


def read_predictions(path: Path) -> dict[str, list[LabelledSegment]]:
    """Read the predicted segments of each document from JSON lines with `id` and `segments`.

    The scenarios of a segment are ranked, the most probable one first; an empty list is `NONE`. Other keys are ignored.
    Raises InputError, with file and line, for a file that cannot be read, a line that is malformed or cut off, and an
    id that occurs twice.
    """
    predictions: dict[str, list[LabelledSegment]] = {}
    for where, line in numbered_lines(path):
        try:
            record = json_object(line)
            name = record_id(record)
            segments = list(map(_predicted, segments_of(record)))
        except InputError as error:
            raise InputError(error.message, where=where, remedy=_REMEDY) from error
        if name in predictions:
            raise InputError(f"the id {name!r} occurs twice", where=where, remedy="remove one of the lines")
        predictions[name] = segments
    return predictions


def predict(
    model: ScenarioModel, documents: Sequence[ScenarioDocument], *, on_documents: Callable[[int], object]
) -> dict[str, list[LabelledSegment]]:
    """The segments that a model finds, by document; `on_documents` is called with the number of further documents that
    are done."""
    predictions: dict[str, list[LabelledSegment]] = {}
    for start in range(0, len(documents), _REPORTED):
        batch = documents[start : start + _REPORTED]
        predictions |= _ranked(batch, model.detect([document.sentences for document in batch]))
        on_documents(len(batch))
    return predictions


def predict_on_gold(model: SegmentLabeller, documents: Sequence[ScenarioDocument]) -> dict[str, list[LabelledSegment]]:
    """The labels that a model gives to the gold segments (`gold_spans`), by document."""
    texts = [document.sentences for document in documents]
    return _ranked(documents, model.label(texts, [gold_spans(document) for document in documents]))


def _ranked(
    documents: Sequence[ScenarioDocument], detected: Sequence[Sequence[DetectedSegment]]
) -> dict[str, list[LabelledSegment]]:
    pairs = zip(documents, detected, strict=True)
    return {document.id: [ranked(segment) for segment in segments] for document, segments in pairs}


def ranked(segment: DetectedSegment) -> LabelledSegment:
    """A detected segment with its labels, then the other labels in the order of the model."""
    labels = dict.fromkeys((*(segment.scenarios or (NONE,)), *(label for label, _ in segment.ranking)))
    return LabelledSegment(start=segment.start, end=segment.end, scenarios=tuple(labels))


def _predicted(value: object) -> LabelledSegment:
    start, end, scenarios = segment_parts(value)
    if not 0 <= start < end:
        raise InputError(f"a segment of sentences {start}:{end}")
    return LabelledSegment(start=start, end=end, scenarios=tuple(scenarios) or (NONE,))


@frozen
class PairedDocuments:
    """Gold documents, and the same documents with predicted segments; all labels are normalised."""

    gold: list[ScenarioDocument]
    predicted: list[ScenarioDocument]

    def outcomes(self) -> list[Outcome]:
        """What is right and wrong about each sentence of all documents."""
        return [
            compare(labels, ranking)
            for one, other in zip(self.gold, self.predicted, strict=True)
            for labels, ranking in zip(one.labels(), other.labels(), strict=True)
        ]

    def boundaries(self) -> BoundaryScores:
        """The scores of the boundaries of predicted segments."""
        return self._score([_segment_boundaries(document) for document in self.predicted])

    def joined_boundaries(self) -> BoundaryScores:
        """The same after neighbouring segments with the same first label were joined."""
        first = ([labels[:1] or (NONE,) for labels in document.labels()] for document in self.predicted)
        return self._score([boundaries_of(labels) for labels in first])

    def _score(self, predicted: Sequence[Sequence[bool]]) -> BoundaryScores:
        gold = [boundaries_of([frozenset(labels) for labels in document.labels()]) for document in self.gold]
        return score_boundaries(list(zip(gold, predicted, strict=True)))


def pair_documents(gold: Sequence[ScenarioDocument], predictions: Predictions) -> PairedDocuments:
    """Pair gold documents with predicted segments, as `evaluate_scenarios` does, and raise what it raises."""
    check_ids([document.id for document in gold], predictions)
    if not any(document.sentences for document in gold):
        raise InputError("the gold documents have no sentence", remedy="pass documents with sentences")
    return PairedDocuments(
        [_normalised(document, document.segments) for document in gold],
        [_normalised(document, predictions[document.id]) for document in gold],
    )


def _normalised(document: ScenarioDocument, segments: Sequence[LabelledSegment]) -> ScenarioDocument:
    """The document with these segments, their labels normalised."""
    try:
        renamed = [evolve(item, scenarios=tuple(dict.fromkeys(map(normalised, item.scenarios)))) for item in segments]
        return evolve(document, segments=tuple(renamed))
    except InputError as error:
        raise InputError(error.message, where=f"document {document.id}", remedy=error.remedy) from error
    except ValueError as error:
        remedy = "sentences are counted from 0, and the end of a segment is the sentence after its last one"
        raise InputError(str(error), where=f"document {document.id}", remedy=remedy) from error


def _segment_boundaries(document: ScenarioDocument) -> tuple[bool, ...]:
    ends = {place for segment in document.segments for place in (segment.start, segment.end)}
    return tuple(place in ends for place in range(1, len(document.sentences)))
