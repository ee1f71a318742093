"""Evaluation of steps that are merged by meaning, on the groups that people made of them.

The groups are the gold paraphrase sets of DeScript (Wanzare et al. 2016) and the event labels of InScript (Modi et al.
2016), and actions of recipes that people aligned (`kgscripts.evaluation.steps.recipes`). A step belongs to the cluster
of its first event; a step without an event is a cluster of its own. Sets of unrelated and of other events are left out.

*Steps that mean the label* are those in the group of their cluster's most frequent action, which names it where no
vectors are at hand.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from attrs import evolve

from kgscripts.corpora.ara import read_dishes
from kgscripts.evaluation.partitions import PartitionScores, score_partition
from kgscripts.evaluation.result import Evaluation, Example, Role, System, shares
from kgscripts.evaluation.steps.gold import GoldScenario, GoldSteps, descript_scenarios, inscript_scenarios
from kgscripts.evaluation.steps.recipes import score_recipes
from kgscripts.evaluation.steps.rules import GRAPH, MERGED, action_rules
from kgscripts.models.registry import DEFAULT, load
from kgscripts.models.steps.contexts import ActionParts
from kgscripts.models.steps.merger import StepMerger

DESCRIPT, INSCRIPT = "DeScript", "InScript"
_WORD = re.compile(r"\w+")


def evaluate_steps(
    *,
    descript: str | Path | None = None,
    inscript: Path | None = None,
    ara: Path | None = None,
    model: str | Path = DEFAULT,
    thresholds: Sequence[float] = (),
) -> list[Evaluation]:
    """Evaluate a model on the gold paraphrase sets of a file or folder, and on the folders of InScript and of Aligned
    Recipe Actions; also with other `thresholds` than its own (`StepMerger.at`).

    Raises
    ------
    InputError
        As `descript_scenarios`, `inscript_scenarios` and `read_dishes` do.
    ModelError
        If there is no such model.
    """
    merger = load("steps", model)
    scenarios = {DESCRIPT: descript_scenarios(descript)} if descript is not None else {}
    scenarios |= {INSCRIPT: inscript_scenarios(inscript)} if inscript is not None else {}
    dishes = read_dishes(ara) if ara is not None else []
    found = [
        score_scenarios(own, lambda _: merger, dataset=dataset, split="all", source=str(model), thresholds=thresholds)
        for dataset, own in scenarios.items()
    ]
    return found + ([score_recipes(dishes, merger, source=str(model), thresholds=thresholds)] if dishes else [])


def score_scenarios(
    scenarios: Sequence[GoldScenario],
    merger_of: Callable[[GoldScenario], StepMerger],
    *,
    dataset: str,
    split: str,
    source: str = "",
    thresholds: Sequence[float] = (),
) -> Evaluation:
    """Evaluate the model that `merger_of` gives for each scenario, and plain rules to compare it with; also the model
    with other `thresholds`.

    Figures are B-cubed and of pairs of steps, means over the annotations; those of each annotation are parts.
    """
    names: list[str] = []
    clusters = 0
    meant: dict[str, list[float]] = defaultdict(list)
    scores: list[tuple[PartitionScores, ...]] = []
    examples: list[Example] = []
    for scenario in scenarios:
        rules = action_rules(scenario.texts, merger_of(scenario), thresholds)
        merged = rules[MERGED]
        for annotation in scenario.annotations:
            name = annotation.name if annotation.name.endswith(".xml") else scenario.scenario
            names.append(name.removesuffix(".new.xml"))
            scores.append(_scores(annotation, rules))
            for rule, step_of in rules.items():
                meant[rule].append(_share_meant(annotation, step_of))
            parts = {step.action and merged[step.action] for step in annotation.steps} - {None}
            clusters += len(parts) + sum(step.action is None for step in annotation.steps)
            examples += _examples(names[-1], annotation, merged)
    annotations = [annotation for scenario in scenarios for annotation in scenario.annotations]
    systems = {own[0].rule: _system(names, own, meant.get(own[0].rule)) for own in zip(*scores, strict=True)}
    model, graph = evolve(systems.pop(MERGED), role=Role.MODEL), systems.pop(GRAPH)
    return Evaluation(
        task="steps",
        dataset=dataset,
        split=split,
        items={
            "steps": sum(len(item.steps) for item in annotations),
            "groups": sum(len({step.group for step in item.steps}) for item in annotations),
            "clusters found": clusters,
        },
        systems=[evolve(model, source=source), *systems.values(), graph],
        examples=examples,
    )


def _system(names: Sequence[str], scores: Sequence[PartitionScores], meant: Sequence[float] | None) -> System:
    """One rule: means over annotations, and the B-cubed F1 of each as a part. Steps by words alone have no label."""
    values = {
        "B-cubed precision": fmean(item.b_cubed_precision for item in scores),
        "B-cubed recall": fmean(item.b_cubed_recall for item in scores),
        "B-cubed F1": fmean(item.b_cubed_f1 for item in scores),
        "pair precision": fmean(item.precision for item in scores),
        "pair recall": fmean(item.recall for item in scores),
        "pair F1": fmean(item.f1 for item in scores),
        **({"steps that mean the label": fmean(meant)} if meant else {}),
    }
    pairs = zip(names, scores, strict=True)
    own = [figure for name, item in pairs for figure in shares({"B-cubed F1": item.b_cubed_f1}, name)]
    return System(name=scores[0].rule, role=Role.BASELINE, figures=[*shares(values), *own])


def _share_meant(annotation: GoldSteps, step_of: Mapping[ActionParts, object]) -> float:
    """The share of the steps with an event whose group is that of the most frequent action of their cluster."""
    counts = Counter(step.action for step in annotation.steps if step.action is not None)
    groups = annotation.groups()
    label_of: dict[object, ActionParts] = {}
    for action in sorted(counts, key=lambda action: (-counts[action], action)):
        label_of.setdefault(step_of[action], action)
    told = [(step.group, step.action) for step in annotation.steps if step.action is not None]
    return sum(group == groups[label_of[step_of[action]]] for group, action in told) / max(1, len(told))


def _examples(name: str, annotation: GoldSteps, cluster_of: Mapping[ActionParts, object]) -> Iterator[Example]:
    """Each step, with the others of its group and of its cluster."""
    for step in annotation.steps:
        if step.action is None:
            continue
        others = [other for other in annotation.steps if other is not step]
        same = [other.text for other in others if other.group == step.group]
        found = [other.text for other in others if other.action and cluster_of[other.action] == cluster_of[step.action]]
        both = [sorted(set(texts)) for texts in (same, found)]
        yield Example(system=MERGED, where=name, text=step.text, gold=both[0], found=both[1])


def _scores(
    annotation: GoldSteps, of_actions: Mapping[str, Mapping[ActionParts, object]]
) -> tuple[PartitionScores, ...]:
    steps = annotation.steps
    rules: dict[str, Sequence[object]] = {
        "each step by itself": range(len(steps)),
        "same words": [tuple(sorted(_WORD.findall(step.text.lower()))) for step in steps],
    }
    for name, part_of in of_actions.items():
        rules[name] = [
            ("alone", place) if step.action is None else part_of[step.action] for place, step in enumerate(steps)
        ]
    gold = [step.group for step in steps]
    return tuple(score_partition(rule, gold, parts) for rule, parts in rules.items())
