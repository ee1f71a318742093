"""The evaluation of scenario detection on documents (Wanzare, Roth and Pinkal 2019, section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf

from kgscripts.corpora.scenarios.labels import is_listed
from kgscripts.evaluation.counting import Score
from kgscripts.evaluation.result import Evaluation, Example, Figure, System, counts, shares
from kgscripts.reproductions.scenarios.documents import gold_spans
from kgscripts.reproductions.scenarios.measures import (
    LABELLED,
    PUBLISHED,
    BoundaryScores,
    LabelScore,
    Outcome,
    boundary_errors,
    count_confusions,
    count_labels,
    label_scores,
    macro_score,
    micro,
    micro_score,
)
from kgscripts.reproductions.scenarios.predictions import PairedDocuments, Predictions, pair_documents
from schemas.results import Table
from schemas.scenario_documents import NONE, ScenarioDocument

_RANKS = (1, 5)
_PARTS = ("precision", "recall", "F1")
_CONFUSIONS = 100
"""The most pairs of confused scenarios that are listed."""


def evaluate_scenarios(
    gold: Sequence[ScenarioDocument],
    predictions: Predictions,
    on_gold: Predictions | None = None,
    *,
    dataset: str,
    split: str,
    system: str = "predictions",
    setting: str = "",
    source: str = "",
) -> Evaluation:
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
    dataset, split:
        What the documents are called.
    system, setting, source:
        What gave the predictions; see `System`.

    Raises
    ------
    InputError
        If the ids of gold documents and predictions differ (it names them) or one occurs twice, a segment ends after
        its document, a label is no text, or there is no sentence.
    """
    paired = pair_documents(gold, predictions)
    outcomes = paired.outcomes()
    labels = label_scores(outcomes)
    boundaries = paired.boundaries()
    macro = macro_score(labels.values())
    figures = (
        *micro(micro_score(count_labels(outcomes).values())),
        *shares({"macro F1": macro.f1}),
        *boundary_errors(boundaries.pk, boundaries.window_diff),
        *counts(
            {
                "sentences wrongly None": sum(NONE in outcome.wrong for outcome in outcomes),
                "sentences wrongly not None": sum(NONE in outcome.missed for outcome in outcomes),
            }
        ),
        *_scores("macro ", macro, "all sentences"),
        *_sentence_parts(outcomes),
        *(() if on_gold is None else _on_gold(pair_documents(gold, on_gold))),
        *_boundary_figures(boundaries, "segments as predicted"),
        *_boundary_figures(paired.joined_boundaries(), "segments joined"),
        *_label_figures(labels),
    )
    return Evaluation(
        task="scenarios",
        dataset=dataset,
        split=split,
        items={
            "documents": len(gold),
            "sentences": len(outcomes),
            "of them without a scenario": sum(not outcome.is_labelled for outcome in outcomes),
            "boundaries": boundaries.gold,
        },
        systems=(System(name=system, setting=setting, source=source, figures=figures), *PUBLISHED),
        tables=_tables(paired, labels, outcomes),
        examples=_examples(paired, system),
    )


def _scores(prefix: str, score: Score, part: str) -> tuple[Figure, ...]:
    return shares({f"{prefix}{name}": value for name, value in zip(_PARTS, score, strict=True)}, part)


def _sentence_parts(outcomes: Sequence[Outcome]) -> Iterator[Figure]:
    """Without all that concerns None, which is then neither right nor missed nor wrong; and on labelled sentences."""
    scenarios = (count for name, count in count_labels(outcomes).items() if name != NONE)
    yield from micro(micro_score(scenarios), "scenarios only")
    labelled = count_labels(outcome for outcome in outcomes if outcome.is_labelled)
    yield from micro(micro_score(labelled.values()), LABELLED)


def _on_gold(paired: PairedDocuments) -> tuple[Figure, ...]:
    """The labels of gold segments, and the share of these with a scenario of which one is among the first 1, 5."""
    part = "labels on gold boundaries"
    best = [rank for pair in zip(paired.gold, paired.predicted, strict=True) for rank in _best_ranks(*pair)]
    in_first = {f"right in first {rank}": sum(one < rank for one in best) / (len(best) or 1) for rank in _RANKS}
    return micro(micro_score(count_labels(paired.outcomes()).values()), part) + shares(in_first, part)


def _best_ranks(gold: ScenarioDocument, predicted: ScenarioDocument) -> Iterator[float]:
    """The rank, from 0, of the best gold scenario of each gold segment that has some; infinite if none is predicted."""
    labels, rankings = gold.labels(), predicted.labels()
    for start, _ in gold_spans(gold):
        if labels[start]:
            ranking = [name for name in rankings[start] if name != NONE]
            yield min((rank for rank, name in enumerate(ranking) if name in labels[start]), default=inf)


def _boundary_figures(scores: BoundaryScores, part: str) -> tuple[Figure, ...]:
    return (
        *boundary_errors(scores.pk, scores.window_diff, part),
        *_scores("boundary ", scores.score, part),
        *counts({"boundaries": scores.predicted}, part),
    )


def _label_figures(labels: Mapping[str, LabelScore]) -> Iterator[Figure]:
    """As in Table 8: None, then the scenarios, the best first."""

    def order(item: tuple[str, LabelScore]) -> tuple[bool, float, int, str]:
        name, label = item
        return name != NONE, -label.score.f1, -label.sentences, name

    for name, label in sorted(labels.items(), key=order):
        part = "no scenario" if name == NONE else f"scenario {name}"
        yield from _scores("", label.score, part)
        yield from counts({"sentences": label.sentences}, part)


def _tables(paired: PairedDocuments, labels: Mapping[str, LabelScore], outcomes: Sequence[Outcome]) -> dict[str, Table]:
    """The most frequent confusions, as in Table 7, and the predicted labels that are neither listed nor gold."""
    tables: dict[str, Table] = {}
    confused = sorted(count_confusions(outcomes).items(), key=lambda item: (-item[1], item[0]))
    if rows := [(*pair, count) for pair, count in confused if NONE not in pair][:_CONFUSIONS]:
        tables["confusions of two scenarios"] = Table(columns=("gold", "predicted", "sentences"), rows=rows)
    named = {name for document in paired.predicted for item in document.segments for name in item.scenarios}
    if unknown := sorted(name for name in named - {*labels, NONE} if not is_listed(name)):
        tables["predicted labels that are neither listed nor gold"] = Table(
            columns=("label",), rows=[(name,) for name in unknown]
        )
    return tables


def _examples(paired: PairedDocuments, system: str) -> Iterator[Example]:
    """Each sentence with its gold labels, and as many predicted ones."""
    for document, predicted in zip(paired.gold, paired.predicted, strict=True):
        labelled = zip(document.sentences, document.labels(), predicted.labels(), strict=True)
        for place, (sentence, labels, ranking) in enumerate(labelled):
            yield Example(
                system=system,
                where=f"document {document.id}, sentence {place}",
                text=sentence,
                gold=labels or (NONE,),
                found=(ranking or (NONE,))[: max(1, len(labels))],
            )
