"""Evaluation of steps that are merged by meaning, on the groups that people made of them.

The groups are the gold paraphrase sets of DeScript (Wanzare et al. 2016) and the event labels of InScript (Modi et al.
2016). A step belongs to the cluster of its first event; a step without an event is a cluster of its own. Sets of
unrelated and of other events are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from attrs import evolve
from scipy.cluster.vq import kmeans2

from kgscripts.evaluation.partitions import PartitionScores, score_partition
from kgscripts.evaluation.result import Evaluation, Example, Role, System, shares
from kgscripts.evaluation.steps.gold import GoldScenario, GoldSteps, descript_scenarios, inscript_scenarios
from kgscripts.models.registry import DEFAULT, load
from kgscripts.models.steps.contexts import ActionParts, StepContexts
from kgscripts.models.steps.merger import StepMerger

DESCRIPT, INSCRIPT = "DeScript", "InScript"
MERGED = "merged by meaning"
_KMEANS = "k-means on the same vectors, as many"
_SEED = 1931
_WORD = re.compile(r"\w+")


def evaluate_steps(
    *, descript: str | Path | None = None, inscript: Path | None = None, model: str | Path = DEFAULT
) -> list[Evaluation]:
    """Evaluate a model on the gold paraphrase sets of a file or folder, and on the folder of InScript.

    Raises
    ------
    InputError
        As `descript_scenarios` and `inscript_scenarios` do.
    ModelError
        If there is no such model.
    """
    merger = load("steps", model)
    scenarios = {DESCRIPT: descript_scenarios(descript)} if descript is not None else {}
    scenarios |= {INSCRIPT: inscript_scenarios(inscript)} if inscript is not None else {}
    return [
        score_scenarios(own, lambda _: merger, dataset=dataset, split="all", source=str(model))
        for dataset, own in scenarios.items()
    ]


def score_scenarios(
    scenarios: Sequence[GoldScenario],
    merger_of: Callable[[GoldScenario], StepMerger],
    *,
    dataset: str,
    split: str,
    source: str = "",
) -> Evaluation:
    """Evaluate the model that `merger_of` gives for each scenario, and plain rules to compare it with.

    Figures are B-cubed and of pairs of steps, means over the annotations; those of each annotation are parts.
    """
    names: list[str] = []
    clusters = 0
    scores: list[tuple[PartitionScores, ...]] = []
    examples: list[Example] = []
    for scenario in scenarios:
        merger = merger_of(scenario)
        contexts = StepContexts.of(scenario.texts, merger.vectors)
        found = [int(number) for number in merger.clusters(contexts)]
        merged = dict(zip(contexts.actions, found, strict=True))
        _, means = kmeans2(contexts.vectors, max(found) + 1, minit="++", seed=_SEED)
        similar = dict(zip(contexts.actions, np.asarray(means).tolist(), strict=True))
        for annotation in scenario.annotations:
            name = annotation.name if annotation.name.endswith(".xml") else scenario.scenario
            names.append(name.removesuffix(".new.xml"))
            scores.append(_scores(annotation, {_KMEANS: similar, MERGED: merged}))
            parts = {step.action and merged[step.action] for step in annotation.steps} - {None}
            clusters += len(parts) + sum(step.action is None for step in annotation.steps)
            examples += _examples(names[-1], annotation, merged)
    annotations = [annotation for scenario in scenarios for annotation in scenario.annotations]
    systems = [_system(names, own) for own in zip(*scores, strict=True)]
    return Evaluation(
        task="steps",
        dataset=dataset,
        split=split,
        items={
            "steps": sum(len(item.steps) for item in annotations),
            "groups": sum(len({step.group for step in item.steps}) for item in annotations),
            "clusters found": clusters,
        },
        systems=[evolve(systems[-1], role=Role.MODEL, source=source), *systems[:-1]],
        examples=examples,
    )


def _system(names: Sequence[str], scores: Sequence[PartitionScores]) -> System:
    """One rule: means over annotations, and the B-cubed F1 of each as a part."""
    values = {
        "B-cubed precision": fmean(item.b_cubed_precision for item in scores),
        "B-cubed recall": fmean(item.b_cubed_recall for item in scores),
        "B-cubed F1": fmean(item.b_cubed_f1 for item in scores),
        "pair precision": fmean(item.precision for item in scores),
        "pair recall": fmean(item.recall for item in scores),
        "pair F1": fmean(item.f1 for item in scores),
    }
    pairs = zip(names, scores, strict=True)
    own = [figure for name, item in pairs for figure in shares({"B-cubed F1": item.b_cubed_f1}, name)]
    return System(name=scores[0].rule, role=Role.BASELINE, figures=[*shares(values), *own])


def _examples(name: str, annotation: GoldSteps, cluster_of: Mapping[ActionParts, int]) -> Iterator[Example]:
    """Each step, with the others of its group and of its cluster."""
    for step in annotation.steps:
        if step.action is None:
            continue
        others = [other for other in annotation.steps if other is not step]
        same = [other.text for other in others if other.group == step.group]
        found = [other.text for other in others if other.action and cluster_of[other.action] == cluster_of[step.action]]
        both = [sorted(set(texts)) for texts in (same, found)]
        yield Example(system=MERGED, where=name, text=step.text, gold=both[0], found=both[1])


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
