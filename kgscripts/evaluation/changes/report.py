"""The evaluation of predicted state changes on OpenPI (Tandon et al., EMNLP 2020, section 6).

Beside the official scores (`change_scores`): one-to-one and cluster scores (`change_matching`), the official ones by
topic, modality and position, and the types of errors (`change_errors`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import asdict, frozen

from kgscripts.corpora.openpi.reading import OpenPIStep
from kgscripts.evaluation.changes.answers import steps_of
from kgscripts.evaluation.changes.errors import ErrorCounts, count_errors
from kgscripts.evaluation.changes.matching import MatchedScores, match_step
from kgscripts.evaluation.changes.meteor import meteor_scores
from kgscripts.evaluation.changes.scores import (
    METRICS,
    Score,
    StepScores,
    check_ids,
    distinct_changes,
    mean_scores,
    score_step,
)
from schemas.provenance import BenchmarkScore, Exposure

UNSEEN_TOPICS = ("Health",)
"""The topics of which OpenPI has steps in its test split only."""
_LAST_POSITION = 6
_NAMES = {"exact": "exact", "bleu": "BLEU", "rouge": "ROUGE"}
_PARTS = ("precision", "recall", "F1")

Answers = Mapping[str, Sequence[str]]


@frozen(kw_only=True)
class Group:
    """The official scores on some of the steps."""

    steps: int
    scores: StepScores


@frozen(kw_only=True)
class ChangeReport:
    """The scores of predicted state changes; those from `Score` are from 0 to 1."""

    steps: int
    gold_answers: int
    predictions: int
    """Distinct ones."""
    scores: MatchedScores
    meteor: Score | None
    """None where NLTK or its WordNet data are missing."""
    topics: Mapping[str, Group]
    """By "seen" and "unseen", then by topic; empty if unknown."""
    modalities: Mapping[str, Group]
    """By modality: on the gold answers of that modality, over the steps that have some; empty if unknown."""
    positions: Mapping[str, Group]
    """By the number of the step in its how-to; empty if unknown."""
    errors: ErrorCounts

    def as_json(self) -> dict[str, Any]:
        """As JSON: precision, recall and F1 in percent, rounded to two decimals.

        `one_to_one` and `clusters` have those of ROUGE, and below them those of each metric.
        """
        return {
            **_metrics_json(self.scores.official),
            "one_to_one": _score_json(self.scores.one_to_one.rouge) | _metrics_json(self.scores.one_to_one),
            "clusters": _score_json(self.scores.clusters.rouge) | _metrics_json(self.scores.clusters),
            "meteor": None if self.meteor is None else _score_json(self.meteor),
            **{
                name: {key: {"steps": group.steps, **_metrics_json(group.scores)} for key, group in groups.items()}
                for name, groups in self.groups().items()
            },
            "errors": asdict(self.errors),
            "steps": self.steps,
            "gold_answers": self.gold_answers,
            "predictions": self.predictions,
        }

    def groups(self) -> dict[str, Mapping[str, Group]]:
        """All groups of steps, by what they are grouped by."""
        return {"topics": self.topics, "modalities": self.modalities, "positions": self.positions}

    def benchmark_scores(self, dataset: str, split: str, exposure: Exposure) -> tuple[BenchmarkScore, ...]:
        """The scores for the card of a model."""
        rows = [
            (f"{_NAMES[metric]} {part}{suffix}", getattr(scores, metric)[index])
            for scores, suffix in (
                (self.scores.official, ""),
                (self.scores.one_to_one, ", one to one"),
                (self.scores.clusters, ", clusters"),
            )
            for metric in METRICS
            for index, part in enumerate(_PARTS)
        ]
        return tuple(
            BenchmarkScore(
                dataset=dataset,
                split=split,
                metric=name,
                value=round(100 * value, 2),
                unit="percent",
                exposure=exposure,
            )
            for name, value in rows
        )


def evaluate_changes(
    gold: Answers,
    predictions: Answers,
    steps: Mapping[str, OpenPIStep] | None = None,
    *,
    unseen: Collection[str] = UNSEEN_TOPICS,
) -> ChangeReport:
    """Evaluate predictions, sentences by the id of their step, on gold answers.

    Parameters
    ----------
    gold, predictions:
        The sentences of each step, by id (``URL||NUMBER``).
    steps:
        The steps by id, to group scores by topic and modality; None if unknown.
    unseen:
        The topics that the model was not trained on.

    Raises
    ------
    InputError
        If the ids of gold answers and predictions differ (it names them), there are none, or a step is unknown.
    """
    check_ids(gold, predictions)
    known = steps_of(gold, steps) if steps else []
    matched = {name: match_step(answers, predictions[name]) for name, answers in gold.items()}
    official = {name: scores.official for name, scores in matched.items()}
    kinds = zip(*matched.values(), strict=True)
    return ChangeReport(
        steps=len(gold),
        gold_answers=sum(map(len, gold.values())),
        predictions=sum(len(distinct_changes(predictions[name])) for name in gold),
        scores=MatchedScores(*map(mean_scores, kinds)),
        meteor=meteor_scores(gold, predictions),
        topics=_by_topic(official, known, unseen),
        modalities=_by_modality(gold, predictions, known),
        positions=_grouped([(position, official[name]) for name in gold if (position := _position(name))]),
        errors=count_errors(gold, predictions),
    )


def _by_topic(
    scores: Mapping[str, StepScores], steps: Sequence[OpenPIStep], unseen: Collection[str]
) -> Mapping[str, Group]:
    labelled = [(step.topic, scores[step.id]) for step in steps if step.topic]
    exposed = [("unseen" if topic in unseen else "seen", score) for topic, score in labelled]
    return _grouped(exposed) | _grouped(labelled)


def _by_modality(gold: Answers, predictions: Answers, steps: Sequence[OpenPIStep]) -> Mapping[str, Group]:
    """The scores on the answers of each modality, as in the paper's Table 4."""
    labelled = []
    for step in steps:
        modality = {answer.sentence: answer.modality for answer in step.answers}
        for name in dict.fromkeys(filter(None, modality.values())):
            chosen = [answer for answer in gold[step.id] if modality.get(answer) == name]
            if chosen:
                labelled.append((name, score_step(chosen, predictions[step.id])))
    return _grouped(labelled)


def _position(name: str) -> str:
    """The number at the end of an id; "" if there is none."""
    number = name.rpartition("||")[2]
    if not (number.isascii() and number.isdigit()):
        return ""
    return number if int(number[:9]) < _LAST_POSITION else f"{_LAST_POSITION} and later"


def _grouped(scores: Sequence[tuple[str, StepScores]]) -> dict[str, Group]:
    groups: dict[str, list[StepScores]] = {}
    for name, score in scores:
        groups.setdefault(name, []).append(score)
    return {name: Group(steps=len(found), scores=mean_scores(found)) for name, found in sorted(groups.items())}


def _metrics_json(scores: StepScores) -> dict[str, dict[str, float]]:
    return {name: _score_json(getattr(scores, name)) for name in METRICS}


def _score_json(score: Score) -> dict[str, float]:
    return {name: round(100 * value, 2) for name, value in zip(("p", "r", "f1"), score, strict=True)}
