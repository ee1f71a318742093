"""The protocols of models of scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from attrs import field, frozen, validators

from schemas.arguments import items_of
from schemas.provenance import Model
from schemas.scenario_documents import DetectedSegment

if TYPE_CHECKING:
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

    found: list[Sequence[str]] = []
    for document in items_of("documents", documents):
        if isinstance(document, str):
            pieces = parse_passages(load_pipeline(), [(document, None)])
            found.append([" ".join(sentence.text.split()) for piece in pieces for sentence in piece.doc.sents])
        else:
            found.append(document)
    return found


@runtime_checkable
class OfVectors(Protocol):
    """A model that reads no more of sentences than their vectors."""

    vectors: Vectors
    """Gives the `quantised_vectors` of sentences."""


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
