"""The evaluation of scenario detection on documents (Wanzare, Roth and Pinkal 2019, section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import inf

from attrs import evolve

from kgscripts.corpora.scenarios.documents import gold_spans
from kgscripts.corpora.scenarios.labels import is_listed
from kgscripts.evaluation.scenarios.boundaries import boundaries_of, score_boundaries
from kgscripts.evaluation.scenarios.confusions import correlate, count_confusions, pair_pmi
from kgscripts.evaluation.scenarios.counts import (
    Outcome,
    compare,
    count_labels,
    label_scores,
    macro_score,
    micro_score,
)
from kgscripts.evaluation.scenarios.predictions import Predictions, normalised
from kgscripts.evaluation.scenarios.report import GoldBoundaryScores, ScenarioReport
from schemas.errors import InputError
from schemas.scenario_documents import NONE, LabelledSegment, ScenarioDocument

_RANKS = (1, 5)
_NAMED = 5


def evaluate_scenarios(
    gold: Sequence[ScenarioDocument], predictions: Predictions, on_gold: Predictions | None = None
) -> ScenarioReport:
    """Evaluate predicted segments on gold documents.

    Labels are compared as the listed scenarios that they refer to ("go to the dentist" is "going to the dentist"). A
    gold boundary is where the set of gold labels changes, since adjacent passages about one scenario are one segment
    (guideline A.3); a predicted one is where a predicted segment begins or ends.

    Parameters
    ----------
    gold:
        The documents with their gold segments.
    predictions:
        The predicted segments of each document, by id.
    on_gold:
        The labels that the same model gives to the gold segments.

    Raises
    ------
    InputError
        If the ids of gold documents and predictions differ (it names them) or one occurs twice, a segment ends after
        its document, a label is no text, or there is no sentence.
    """
    check_ids([document.id for document in gold], predictions)
    if not any(document.sentences for document in gold):
        raise InputError("the gold documents have no sentence", remedy="pass documents with sentences")
    documents = [_normalised(document, document.segments) for document in gold]
    predicted = [_predicted(document, predictions) for document in documents]
    outcomes = _outcomes(documents, predicted)
    counts = count_labels(outcomes)
    labels = label_scores(outcomes)
    pmi = pair_pmi([[name for segment in document.segments for name in segment.scenarios] for document in documents])
    gold_boundaries = [boundaries_of([frozenset(labels) for labels in document.labels()]) for document in documents]
    named = {name for document in predicted for segment in document.segments for name in segment.scenarios}
    joined = [boundaries_of([labels[:1] or (NONE,) for labels in document.labels()]) for document in predicted]
    return ScenarioReport(
        documents=len(documents),
        sentences=len(outcomes),
        none_share=sum(not outcome.is_labelled for outcome in outcomes) / len(outcomes),
        micro=micro_score(counts.values()),
        macro=macro_score(labels.values()),
        scenarios_only=micro_score(count for name, count in counts.items() if name != NONE),
        labelled_sentences=micro_score(count_labels(outcome for outcome in outcomes if outcome.is_labelled).values()),
        gold_boundaries=None if on_gold is None else _on_gold(documents, on_gold),
        boundaries=score_boundaries(list(zip(gold_boundaries, map(_segment_boundaries, predicted), strict=True))),
        joined=score_boundaries(list(zip(gold_boundaries, joined, strict=True))),
        labels=labels,
        confusions=count_confusions(outcomes, pmi),
        correlations=correlate(labels, pmi),
        unknown_labels=tuple(sorted(name for name in named - {*labels, NONE} if not is_listed(name))),
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


def _predicted(document: ScenarioDocument, predictions: Predictions) -> ScenarioDocument:
    return _normalised(document, predictions[document.id])


def _outcomes(gold: Sequence[ScenarioDocument], predicted: Sequence[ScenarioDocument]) -> list[Outcome]:
    return [
        compare(labels, ranking)
        for one, other in zip(gold, predicted, strict=True)
        for labels, ranking in zip(one.labels(), other.labels(), strict=True)
    ]


def _segment_boundaries(document: ScenarioDocument) -> tuple[bool, ...]:
    ends = {place for segment in document.segments for place in (segment.start, segment.end)}
    return tuple(place in ends for place in range(1, len(document.sentences)))


def _on_gold(documents: Sequence[ScenarioDocument], predictions: Predictions) -> GoldBoundaryScores:
    predicted = [_predicted(document, predictions) for document in documents]
    best = [rank for one, other in zip(documents, predicted, strict=True) for rank in _best_ranks(one, other)]
    return GoldBoundaryScores(
        score=micro_score(count_labels(_outcomes(documents, predicted)).values()),
        in_first={rank: sum(one < rank for one in best) / (len(best) or 1) for rank in _RANKS},
    )


def _best_ranks(gold: ScenarioDocument, predicted: ScenarioDocument) -> Iterator[float]:
    """The rank, from 0, of the best gold scenario of each gold segment that has some; infinite if none is predicted."""
    labels, rankings = gold.labels(), predicted.labels()
    for start, _ in gold_spans(gold):
        if labels[start]:
            ranking = [name for name in rankings[start] if name != NONE]
            yield min((rank for rank, name in enumerate(ranking) if name in labels[start]), default=inf)
