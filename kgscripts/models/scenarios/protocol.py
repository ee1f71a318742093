"""The protocols of models of scenarios, and windows over long texts.

Long texts are processed in overlapping windows, so that memory is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from attrs import evolve, field, frozen, validators

from schemas.arguments import items_of
from schemas.provenance import Model
from schemas.scenario_documents import DetectedSegment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kgscripts.models.sentence_vectors import Vectors


@frozen
class NewScenario:
    """A scenario by its name, with passages about it, each of some sentences; perhaps none."""

    name: str = field(validator=validators.min_len(1))
    passages: tuple[tuple[str, ...], ...] = ()


class ScenarioModel(Protocol):
    """Finds the passages of a text that are about an everyday scenario (Wanzare, Roth and Pinkal 2019)."""

    model: Model
    """Its provenance, for the statements of a graph."""

    def detect(self, documents: Sequence[Sequence[str] | str]) -> list[list[DetectedSegment]]:
        """The segments of each document, given as sentences: in text order, and each sentence is in exactly one.

        ``detect(["I drove to the bank. It was closed."])``: a string is split into sentences by the parser that ships.
        Documents are processed in batches of a fixed size, so that memory does not grow with their number.
        """


def sentences_of(documents: Sequence[Sequence[str] | str]) -> list[Sequence[str]]:
    """The sentences of each document. Raises ConfigurationError for what is no list of documents."""
    # Here, since it imports spaCy.
    from kgscripts.text.passages import parse_passages
    from kgscripts.text.pipeline import load_pipeline

    sentences: list[Sequence[str]] = []
    for document in items_of("documents", documents):
        if isinstance(document, str):
            pieces = parse_passages(load_pipeline(), [(document, None)])
            sentences.append([" ".join(sentence.text.split()) for piece in pieces for sentence in piece.doc.sents])
        else:
            sentences.append(document)
    return sentences


@runtime_checkable
class OfVectors(Protocol):
    """A model that reads no more of sentences than their vectors."""

    vectors: Vectors
    """Gives the `quantised_vectors` of sentences."""


@runtime_checkable
class OtherActivities(Protocol):
    """A model that knows activities besides the scenarios that it finds."""

    def other_activity(self, vectors: NDArray[np.int8]) -> tuple[str, float]:
        """The activity that a text, by the vectors of its sentences, is most probably about, and its mean probability
        over the sentences; "" if none is known."""


@runtime_checkable
class SegmentLabeller(Protocol):
    """A model that can also label given segments, so that its labels are evaluated without its boundaries."""

    def label(
        self, documents: Sequence[Sequence[str]], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[list[DetectedSegment]]:
        """The labels of the segments `start:end` of each document: one detected segment for each span, in order."""


@runtime_checkable
class ScenarioAddition(Protocol):
    """A model that finds further scenarios without being trained again."""

    def with_scenarios(self, new: Sequence[NewScenario]) -> ScenarioModel:
        """The same model with further scenarios, each known by its name and perhaps some sentences."""


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
        # One sentence more than is read: it tells whether the text goes on.
        window += islice(coming, WINDOW + 1 - len(window))
        [segments] = model.detect([window[:WINDOW]])
        if len(window) <= WINDOW:
            upto = first + len(window)
        else:
            limit = first + WINDOW - CONTEXT
            ends = [first + segment.end for segment in segments if taken < first + segment.end <= limit]
            upto = ends[-1] if ends else limit
        for segment in segments:
            start, end = max(taken, first + segment.start), min(upto, first + segment.end)
            if start < end:
                yield evolve(segment, start=start, end=end)
        if len(window) <= WINDOW:
            return
        taken = upto
        passed = max(0, taken - CONTEXT - first)
        del window[:passed]
        first += passed
