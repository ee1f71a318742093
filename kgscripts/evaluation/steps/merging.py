"""Evaluation of steps that are merged by meaning, on the groups that people made of them.

The groups are the gold paraphrase sets of DeScript (Wanzare et al. 2016) and the event labels of InScript (Modi et al.
2016). A step belongs to the cluster of its first event; a step without an event is a cluster of its own. Sets of
unrelated and of other events are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from attrs import frozen
from scipy.cluster.vq import kmeans2

from kgscripts.evaluation.counting import percent
from kgscripts.evaluation.partitions import PartitionScores, score_partition
from kgscripts.evaluation.steps.gold import GoldScenario, GoldSteps, descript_scenarios, inscript_scenarios
from kgscripts.models.registry import DEFAULT, load
from kgscripts.models.steps.contexts import ActionParts, StepContexts
from kgscripts.models.steps.merger import StepMerger
from schemas.provenance import BenchmarkScore, Exposure

MERGED = "merged by meaning"
_KMEANS = "k-means on the same vectors, as many"
_SEED = 1931
_WORD = re.compile(r"\w+")


@frozen
class StepReport:
    """B-cubed of the steps of each annotation, by the model and by plain rules to compare it with."""

    annotations: tuple[str, ...]
    """Name of each annotation, such as a file with its folder."""
    steps: int
    groups: int
    clusters: tuple[int, ...]
    """The number of clusters of each annotation's steps."""
    scores: tuple[tuple[PartitionScores, ...], ...]
    """Of each annotation, by rule; the last one is the model."""

    def mean(self, rule: int) -> tuple[float, float, float]:
        """Mean B-cubed precision, recall and F1 over the annotations, by the number of a rule."""
        own = [scores[rule] for scores in self.scores]
        return (
            fmean(item.b_cubed_precision for item in own),
            fmean(item.b_cubed_recall for item in own),
            fmean(item.b_cubed_f1 for item in own),
        )

    def benchmark_scores(self, dataset: str, split: str, exposure: Exposure) -> list[BenchmarkScore]:
        """The scores of the model, means over the annotations, in percent: B-cubed and pairs of steps."""
        own = [scores[-1] for scores in self.scores]
        values = {
            "B-cubed precision": fmean(item.b_cubed_precision for item in own),
            "B-cubed recall": fmean(item.b_cubed_recall for item in own),
            "B-cubed F1": fmean(item.b_cubed_f1 for item in own),
            "pair precision": fmean(item.precision for item in own),
            "pair recall": fmean(item.recall for item in own),
            "pair F1": fmean(item.f1 for item in own),
        }
        return [
            percent(dataset, split, f"merged steps, {name}", 100 * value, exposure=exposure)
            for name, value in values.items()
        ]


def evaluate_steps(
    *, descript: str | Path | None = None, inscript: Path | None = None, model: str | Path = DEFAULT
) -> list[StepReport]:
    """Evaluate a model on the gold paraphrase sets of a file or folder, and on the folder of InScript.

    Raises
    ------
    InputError
        As `descript_scenarios` and `inscript_scenarios` do.
    ModelError
        If there is no such model.
    """
    merger = load("steps", model)
    scenarios = [descript_scenarios(descript)] if descript is not None else []
    scenarios += [inscript_scenarios(inscript)] if inscript is not None else []
    return [score_scenarios(own, lambda _: merger) for own in scenarios]


def score_scenarios(scenarios: Sequence[GoldScenario], merger_of: Callable[[GoldScenario], StepMerger]) -> StepReport:
    """The scores of the model that `merger_of` gives for each scenario."""
    names: list[str] = []
    clusters: list[int] = []
    scores: list[tuple[PartitionScores, ...]] = []
    for scenario in scenarios:
        merger = merger_of(scenario)
        contexts = StepContexts.of(scenario.texts, merger.vectors)
        found = [int(number) for number in merger.clusters(contexts)]
        merged = dict(zip(contexts.actions, found, strict=True))
        _, means = kmeans2(contexts.vectors, max(found) + 1, minit="++", seed=_SEED)
        similar = dict(zip(contexts.actions, np.asarray(means).tolist(), strict=True))
        for annotation in scenario.annotations:
            names.append(annotation.name if annotation.name.endswith(".xml") else scenario.scenario)
            scores.append(_scores(annotation, {_KMEANS: similar, MERGED: merged}))
            parts = {step.action and merged[step.action] for step in annotation.steps} - {None}
            clusters.append(len(parts) + sum(step.action is None for step in annotation.steps))
    annotations = [annotation for scenario in scenarios for annotation in scenario.annotations]
    return StepReport(
        tuple(names),
        sum(len(item.steps) for item in annotations),
        sum(len({step.group for step in item.steps}) for item in annotations),
        tuple(clusters),
        tuple(scores),
    )


def _scores(annotation: GoldSteps, models: Mapping[str, Mapping[ActionParts, int]]) -> tuple[PartitionScores, ...]:
    steps = annotation.steps
    rules: dict[str, Sequence[object]] = {
        "each step by itself": range(len(steps)),
        "same words": [tuple(sorted(_WORD.findall(step.text.lower()))) for step in steps],
        "same verb and object": [
            ("alone", place) if step.action is None else step.action[:3] if step.action[2] else step.action
            for place, step in enumerate(steps)
        ],
    }
    for name, cluster_of in models.items():
        rules[name] = [
            ("alone", place) if step.action is None else cluster_of[step.action] for place, step in enumerate(steps)
        ]
    gold = [step.group for step in steps]
    return tuple(score_partition(rule, gold, parts) for rule, parts in rules.items())
