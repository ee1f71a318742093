"""Gold documents beside the predicted ones: what both say of each sentence and of each boundary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from attrs import evolve, frozen

from kgscripts.reproductions.scenarios.boundaries import BoundaryScores, boundaries_of, score_boundaries
from kgscripts.reproductions.scenarios.counts import Outcome, compare
from kgscripts.reproductions.scenarios.predictions import Predictions, normalised
from schemas.errors import InputError
from schemas.scenario_documents import NONE, LabelledSegment, ScenarioDocument

_NAMED = 5


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


def check_ids(gold: Sequence[str], predicted: Collection[str]) -> None:
    """Raise InputError, which names ids, unless the ids are the same and no gold one occurs twice."""
    known = Counter(gold)
    if twice := [name for name, times in known.items() if times > 1]:
        raise InputError(
            f"gold documents with the same id: {_named(twice)}", remedy="give each document an id of its own"
        )
    missing = [name for name in gold if name not in predicted]
    extra = [name for name in predicted if name not in known]
    if missing or extra:
        parts = [
            f"{what} for {len(names)} {'document' if len(names) == 1 else 'documents'}: {_named(names)}"
            for what, names in (("no predictions", missing), ("predictions but no gold", extra))
            if names
        ]
        raise InputError("; ".join(parts), remedy="pass the predictions for exactly the gold documents")


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


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
