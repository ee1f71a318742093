"""Predicted segments with their ranked scenarios: of a file, and of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kgscripts.corpora.json_records import json_object, record_id, strings
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.source import numbered_lines
from kgscripts.models.scenarios.protocol import ScenarioModel, SegmentLabeller
from kgscripts.reproductions.scenarios.documents import gold_spans
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
            segments = [_segment(value) for value in _list(record)]
        except InputError as error:
            raise InputError(error.message, where=where, remedy=_REMEDY) from error
        if name in predictions:
            raise InputError(f"the id {name!r} occurs twice", where=where, remedy="remove one of the lines")
        predictions[name] = segments
    return predictions


def prediction_line(name: str, segments: Sequence[LabelledSegment]) -> dict[str, Any]:
    """The predicted segments of a document as `read_predictions` reads them."""
    return {
        "id": name,
        "segments": [
            {"start": segment.start, "end": segment.end, "scenarios": list(segment.scenarios)} for segment in segments
        ],
    }


def predict(
    model: ScenarioModel, documents: Sequence[ScenarioDocument], *, on_documents: Callable[[int], object]
) -> dict[str, list[LabelledSegment]]:
    """The segments that a model finds, by document; `on_documents` is called with the number of further documents that
    are done."""
    predictions: dict[str, list[LabelledSegment]] = {}
    for batch in _batches(documents):
        found = model.detect([document.sentences for document in batch])
        for document, segments in zip(batch, found, strict=True):
            predictions[document.id] = [ranked(segment) for segment in segments]
        on_documents(len(batch))
    return predictions


def predict_on_gold(model: SegmentLabeller, documents: Sequence[ScenarioDocument]) -> dict[str, list[LabelledSegment]]:
    """The labels that a model gives to the gold segments (`gold_spans`), by document."""
    predictions: dict[str, list[LabelledSegment]] = {}
    for batch in _batches(documents):
        spans = [gold_spans(document) for document in batch]
        found = model.label([document.sentences for document in batch], spans)
        for document, segments in zip(batch, found, strict=True):
            predictions[document.id] = [ranked(segment) for segment in segments]
    return predictions


def ranked(segment: DetectedSegment) -> LabelledSegment:
    """A detected segment with its labels, then the other labels in the order of the model."""
    labels = dict.fromkeys((*(segment.scenarios or (NONE,)), *(label for label, _ in segment.ranking)))
    return LabelledSegment(start=segment.start, end=segment.end, scenarios=tuple(labels))


def _batches(documents: Sequence[ScenarioDocument]) -> Iterator[Sequence[ScenarioDocument]]:
    for start in range(0, len(documents), _REPORTED):
        yield documents[start : start + _REPORTED]


def _list(record: Mapping[str, Any]) -> list[Any]:
    value = record.get("segments")
    if not isinstance(value, list):
        raise InputError('"segments" is not a list')
    return value


def _segment(value: object) -> LabelledSegment:
    if not isinstance(value, dict):
        raise InputError("a segment is not a JSON object")
    start, end = (value.get(key) for key in ("start", "end"))
    if type(start) is not int or type(end) is not int:
        raise InputError('"start" and "end" of a segment are not whole numbers')
    if not 0 <= start < end:
        raise InputError(f"a segment of sentences {start}:{end}")
    return LabelledSegment(start=start, end=end, scenarios=tuple(strings(value, "scenarios")) or (NONE,))
