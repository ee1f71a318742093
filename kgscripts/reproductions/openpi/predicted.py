"""The evaluation of predicted state changes on OpenPI (Tandon et al., EMNLP 2020, section 6).

Beside the official scores (`scores`): one-to-one and cluster scores (`matching`), the official ones by topic and
modality, and the published figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from kgscripts.evaluation.counting import Score, check_ids
from kgscripts.evaluation.result import Evaluation, Example, Figure, System, counts, shares
from kgscripts.reproductions.openpi.answers import steps_of
from kgscripts.reproductions.openpi.matching import MatchedScores, match_step
from kgscripts.reproductions.openpi.reading import OpenPIStep
from kgscripts.reproductions.openpi.scores import (
    METRICS,
    StepScores,
    distinct_changes,
    mean_scores,
    pair_scores,
    score_step,
)
from kgscripts.reproductions.published import published_systems

(PUBLISHED,) = published_systems("state-changes")
"""GPT-2 on the test split (tables 4 and 5)."""
UNSEEN_TOPICS = ("Health",)
"""The topics of which OpenPI has steps in its test split only."""
_NAMES = {"exact": "exact", "bleu": "BLEU", "rouge": "ROUGE"}
_PARTS = ("precision", "recall", "F1")

Answers = Mapping[str, Sequence[str]]


def evaluate_changes(
    gold: Answers,
    predictions: Answers,
    steps: Mapping[str, OpenPIStep] | None = None,
    *,
    dataset: str,
    split: str,
    system: str = "predictions",
    source: str = "",
    unseen: Collection[str] = UNSEEN_TOPICS,
) -> Evaluation:
    """Evaluate predictions, sentences by the id of their step, on gold answers.

    Parameters
    ----------
    gold, predictions:
        The sentences of each step, by id (``URL||NUMBER``).
    steps:
        The steps by id, to group scores by topic and modality; None if unknown.
    dataset, split:
        What the gold answers are called.
    system, source:
        What gave the predictions; see `System`.
    unseen:
        The topics that the model was not trained on.

    Raises
    ------
    InputError
        If the ids of gold answers and predictions differ (it names them), there are none, or a step is unknown.
    """
    check_ids(list(gold), predictions)
    known = steps_of(gold, steps) if steps else []
    matched = {name: match_step(answers, predictions[name]) for name, answers in gold.items()}
    official = {name: scores.official for name, scores in matched.items()}
    means = MatchedScores(*map(mean_scores, zip(*matched.values(), strict=True)))
    figures = (
        *_figures(means.official),
        *_figures(means.one_to_one, ", one to one"),
        *_figures(means.clusters, ", clusters"),
        *_by_topic(official, known, unseen),
        *_by_modality(gold, predictions, known),
    )
    return Evaluation(
        task="state changes",
        dataset=dataset,
        split=split,
        items={
            "steps": len(gold),
            "gold answers": sum(map(len, gold.values())),
            "distinct predictions": sum(len(distinct_changes(predictions[name])) for name in gold),
        },
        systems=[System(name=system, source=source, figures=figures), PUBLISHED],
        examples=_examples(gold, predictions, steps or {}, system),
    )


def _named(name: str, score: Score, suffix: str = "") -> dict[str, float]:
    return {f"{name} {part}{suffix}": value for part, value in zip(_PARTS, score, strict=True)}


def _figures(scores: StepScores, suffix: str = "", part: str = "") -> tuple[Figure, ...]:
    return tuple(
        figure for metric in METRICS for figure in shares(_named(_NAMES[metric], getattr(scores, metric), suffix), part)
    )


def _by_topic(scores: Mapping[str, StepScores], steps: Sequence[OpenPIStep], unseen: Collection[str]) -> list[Figure]:
    labelled = [(step.topic, scores[step.id]) for step in steps if step.topic]
    exposed = [("unseen topics" if topic in unseen else "seen topics", score) for topic, score in labelled]
    return _grouped(exposed) + _grouped(labelled)


def _by_modality(gold: Answers, predictions: Answers, steps: Sequence[OpenPIStep]) -> list[Figure]:
    """The scores on the answers of each modality, over the steps that have some, as in the paper's Table 4."""
    labelled = []
    for step in steps:
        modality = {answer.sentence: answer.modality for answer in step.answers}
        for name in dict.fromkeys(filter(None, modality.values())):
            chosen = [answer for answer in gold[step.id] if modality.get(answer) == name]
            if chosen:
                labelled.append((name.replace("_", " "), score_step(chosen, predictions[step.id])))
    return _grouped(labelled)


def _grouped(scores: Sequence[tuple[str, StepScores]]) -> list[Figure]:
    """The means over the steps of each part, F1 first, and their numbers."""
    groups: dict[str, list[StepScores]] = {}
    for part, score in scores:
        groups.setdefault(part, []).append(score)
    figures: list[Figure] = []
    for part, part_scores in sorted(groups.items()):
        own = (*_figures(mean_scores(part_scores), part=part), *counts({"steps": len(part_scores)}, part))
        figures += sorted(own, key=lambda figure: not figure.metric.endswith(("F1", "steps")))
    return figures


def _examples(gold: Answers, predictions: Answers, steps: Mapping[str, OpenPIStep], system: str) -> Iterator[Example]:
    """Each step with its gold answers, and its predictions with the ROUGE of the most similar answer."""
    for name, answers in gold.items():
        predicted = distinct_changes(predictions[name])
        best = pair_scores(answers, predicted)[-1].max(axis=0) if answers else [0.0] * len(predicted)
        yield Example(
            system=system,
            where=name,
            text=steps[name].text if name in steps else "",
            gold=answers,
            found=[f"{score:.2f} {sentence}" for sentence, score in zip(predicted, best, strict=True)],
        )
