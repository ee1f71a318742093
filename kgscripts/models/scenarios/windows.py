"""Scenarios of texts of any length: long texts are processed in overlapping windows, so that memory is bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from attrs import evolve

from kgscripts.models.scenarios.protocol import ScenarioModel
from schemas.scenario_documents import DetectedSegment

WINDOW = 2_000
"""The most sentences that are processed at once."""

CONTEXT = 50
"""The sentences of context that a window has on either side of the segments that are taken from it, if the text has
them. The detector looks 15 sentences ahead and back, and labels hardly depend on sentences that are more than a few
changes of label away."""


def detect_documents(model: ScenarioModel, documents: Sequence[Sequence[str]]) -> list[list[DetectedSegment]]:
    """The segments of each document: as `ScenarioModel.detect`, but long documents by `detect_stream`."""
    short = iter(model.detect([document for document in documents if len(document) <= WINDOW]))
    return [next(short) if len(document) <= WINDOW else list(detect_stream(model, document)) for document in documents]


def detect_stream(model: ScenarioModel, sentences: Iterable[str]) -> Iterator[DetectedSegment]:
    """Yield the segments of one text, of which `WINDOW` sentences are kept in memory.

    A text of up to `WINDOW` sentences is read as a whole. In a longer one, a window ends after the last segment that
    ends `CONTEXT` sentences before its end, and the next one begins there, with as many sentences before. A segment
    that is longer than a window is divided.
    """
    coming = iter(sentences)
    window: list[str] = []
    first = taken = 0
    while True:
        window += islice(coming, WINDOW + 1 - len(window))
        [found] = model.detect([window[:WINDOW]])
        if len(window) <= WINDOW:
            upto = first + len(window)
        else:
            limit = first + WINDOW - CONTEXT
            ends = [first + segment.end for segment in found if taken < first + segment.end <= limit]
            upto = ends[-1] if ends else limit
        for segment in found:
            start, end = max(taken, first + segment.start), min(upto, first + segment.end)
            if start < end:
                yield evolve(segment, start=start, end=end)
        if len(window) <= WINDOW:
            return
        taken = upto
        passed = max(0, taken - CONTEXT - first)
        del window[:passed]
        first += passed
