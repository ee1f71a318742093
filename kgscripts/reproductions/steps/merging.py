"""Evaluation of steps that are merged by meaning, on the groups that people made of them.

The groups are the gold paraphrase sets of DeScript (Wanzare et al. 2016) and the event labels of InScript (Modi et al.
2016). A step belongs to the cluster of its first event; a step without an event is a cluster of its own. Sets of
unrelated and of other events are left out.

*Steps that mean the label* are those in the group of their cluster's most frequent action, which names it where no
vectors are at hand.

Of recipes, people aligned actions (Donatelli et al. 2021). The dish is the scenario, and its recipes are read as plain
texts. The steps of an action are those of the shortest mention that holds its first token: a mention of several actions
("add salt and pepper") can have several steps. A pair is an action of the first recipe that the annotators judged, and
an action of the second one:

- *recall*: the share of the aligned pairs that are in one step; an action that no mention holds counts against it;
- *precision*: the share of the pairs in one step that are aligned;
- *answers that are right*: of the judged actions whose step has an action of the second recipe, the share whose step
  has the aligned one. An action is aligned with one action at most, also where the other recipe repeats a step:
  precision counts the other pairs as wrong, this share does not. It is large if everything is merged.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from attrs import field, frozen
from scipy.cluster.vq import kmeans2

from kgscripts.assembly.tables.clusters import assembled_clusters, cluster_key
from kgscripts.evaluation.counting import Matches, b_cubed_scores, named, pair_scores
from kgscripts.evaluation.result import Evaluation, Example, Figure, System, compared, shares
from kgscripts.models.registry import DEFAULT, load
from kgscripts.models.steps.contexts import ActionParts, StepContexts
from kgscripts.models.steps.merger import StepMerger
from kgscripts.reproductions.corpora.ara import Dish, read_dishes
from kgscripts.reproductions.corpora.recipe_flow import TaggedPhrase
from kgscripts.reproductions.steps.gold import (
    GoldScenario,
    GoldSteps,
    ReadStep,
    descript_scenarios,
    inscript_scenarios,
    read_events,
)
from schemas.provenance import Exposure

VERB_AND_OBJECT = "same verb and object"
KMEANS = "k-means on the same vectors, as many"
MERGED = "merged by meaning"
GRAPH = "steps of the graph"
"""What assembly makes of the clusters of the model: it takes choices apart and finds steps for pronouns."""
_SEED = 1931


def action_rules(
    texts: Sequence[Sequence[ActionParts]], merger: StepMerger, thresholds: Sequence[float] = ()
) -> dict[str, Mapping[ActionParts, object]]:
    """By the name of each rule, the step of each action of a scenario's texts.

    The model has a rule for each of the other `thresholds` too.
    """
    contexts = StepContexts.of(texts, merger.vectors)
    actions = contexts.actions
    merged = [int(number) for number in merger.clusters(contexts)]
    sources = [int(number) for number in contexts.presence.sum(axis=1)]
    _, means = kmeans2(contexts.vectors, max(merged) + 1, minit="++", seed=_SEED)
    rules: dict[str, Sequence[object]] = {
        VERB_AND_OBJECT: [cluster_key(action) for action in actions],
        KMEANS: np.asarray(means).tolist(),
        **{f"merged, threshold {value:g}": merger.at(value).clusters(contexts).tolist() for value in thresholds},
        MERGED: merged,
        GRAPH: assembled_clusters(actions, sources, merged),
    }
    return {name: dict(zip(actions, steps, strict=True)) for name, steps in rules.items()}


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
    evaluations = [
        score_scenarios(gold, lambda _: merger, dataset=dataset, split="all", source=str(model), thresholds=thresholds)
        for dataset, gold in scenarios.items()
    ]
    return evaluations + ([score_recipes(dishes, merger, source=str(model), thresholds=thresholds)] if dishes else [])


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
    scores: dict[str, list[dict[str, float]]] = defaultdict(list)
    examples: list[Example] = []
    for scenario in scenarios:
        rules = action_rules(scenario.texts, merger_of(scenario), thresholds)
        merged = rules[MERGED]
        for annotation in scenario.annotations:
            name = annotation.name if annotation.name.endswith(".xml") else scenario.scenario
            names.append(name.removesuffix(".new.xml"))
            for rule, of_rule in _scores(annotation, rules).items():
                scores[rule].append(of_rule)
            parts = {step.action and merged[step.action] for step in annotation.steps} - {None}
            clusters += len(parts) + sum(step.action is None for step in annotation.steps)
            examples += _examples(names[-1], annotation, merged)
    annotations = [annotation for scenario in scenarios for annotation in scenario.annotations]
    figures = {rule: _figures(names, of_rule) for rule, of_rule in scores.items()}
    return Evaluation(
        task="steps",
        dataset=dataset,
        split=split,
        items={
            "steps": sum(len(item.steps) for item in annotations),
            "groups": sum(len({step.group for step in item.steps}) for item in annotations),
            "clusters found": clusters,
        },
        systems=_systems(figures, source),
        examples=examples,
    )


def _systems(figures: Mapping[str, Iterable[Figure]], source: str) -> tuple[System, ...]:
    """The model, the plain rules, and the graph."""
    ordered = [MERGED, *(rule for rule in figures if rule not in (MERGED, GRAPH)), GRAPH]
    return compared({rule: figures[rule] for rule in ordered}, MERGED, source)


def _figures(names: Sequence[str], scores: Sequence[Mapping[str, float]]) -> list[Figure]:
    """Those of one rule: means over annotations, and the B-cubed F1 of each as a part."""
    means = {metric: fmean(item[metric] for item in scores) for metric in scores[0]}
    pairs = zip(names, scores, strict=True)
    of_annotations = [figure for name, item in pairs for figure in shares({"B-cubed F1": item["B-cubed F1"]}, name)]
    return [*shares(means), *of_annotations]


def _share_meant(annotation: GoldSteps, step_of: Mapping[ActionParts, object]) -> float:
    """The share of the steps with an event whose group is that of the most frequent action of their cluster."""
    counts = Counter(step.action for step in annotation.steps if step.action is not None)
    groups = annotation.groups()
    label_of: dict[object, ActionParts] = {}
    for action in sorted(counts, key=lambda action: (-counts[action], action)):
        label_of.setdefault(step_of[action], action)
    labelled = [(step.group, step.action) for step in annotation.steps if step.action is not None]
    return sum(group == groups[label_of[step_of[action]]] for group, action in labelled) / max(1, len(labelled))


def _examples(name: str, annotation: GoldSteps, cluster_of: Mapping[ActionParts, object]) -> Iterator[Example]:
    """Each step, with the others of its group and of its cluster."""
    for step in annotation.steps:
        if step.action is None:
            continue
        others = [other for other in annotation.steps if other is not step]
        same = [other.text for other in others if other.group == step.group]
        joined = [
            other.text for other in others if other.action and cluster_of[other.action] == cluster_of[step.action]
        ]
        both = [sorted(set(texts)) for texts in (same, joined)]
        yield Example(system=MERGED, where=name, text=step.text, gold=both[0], found=both[1])


def _scores(
    annotation: GoldSteps, of_actions: Mapping[str, Mapping[ActionParts, object]]
) -> dict[str, dict[str, float]]:
    """The scores of each rule. Rules by words alone have no label."""
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
    scores = {
        rule: {**named("B-cubed", b_cubed_scores(gold, parts)), **named("pair", pair_scores(gold, parts))}
        for rule, parts in rules.items()
    }
    for name, part_of in of_actions.items():
        scores[name]["steps that mean the label"] = _share_meant(annotation, part_of)
    return scores


_SHOWN = 50
"""The most characters of an action in an example."""

ARA = "Aligned Recipe Actions"

_Token = tuple[str, int]
"""The name of a recipe and the number of a token."""


@frozen
class _Counts:
    """Pairs of actions in one step, against aligned ones; and judged actions with a pair, against those aligned."""

    pairs: Matches = field(factory=Matches)
    actions: Matches = field(factory=Matches)

    def figures(self, part: str = "") -> tuple[Figure, ...]:
        """The shares that the module describes."""
        scores = self.pairs.scores("recall", "precision", "F1")
        return shares({**scores, "answers that are right": self.actions.precision}, part)


def score_recipes(
    dishes: Sequence[Dish], merger: StepMerger, *, source: str = "", thresholds: Sequence[float] = ()
) -> Evaluation:
    """Evaluate a model, also with other thresholds, and plain rules on dishes; the graph has a part for each dish."""
    texts = iter(read_events([document for dish in dishes for document in dish.documents()]))
    overall: dict[str, _Counts] = defaultdict(_Counts)
    parts: list[Figure] = []
    examples: list[Example] = []
    mentioned = 0
    for dish in dishes:
        events = {name: next(texts) for name in dish.recipes}
        actions = {(name, phrase.token): _read(phrase, events[name]) for name, phrase in _annotated(dish)}
        mentioned += sum(map(bool, actions.values()))
        rules = action_rules(
            [[event.action for event in of_recipe] for of_recipe in events.values() if of_recipe], merger, thresholds
        )
        for rule, step_of in rules.items():
            steps = {token: frozenset(step_of[action] for action in of_token) for token, of_token in actions.items()}
            _count(overall[rule], dish, steps)
            if rule == GRAPH:
                _count(of_dish := _Counts(), dish, steps)
                parts += of_dish.figures(dish.name)
                examples += _examples_of_dish(dish, steps)
    figures = {rule: [*of_rule.figures(), *(parts if rule == GRAPH else ())] for rule, of_rule in overall.items()}
    left_out = sum(dish.left_out for dish in dishes)
    return Evaluation(
        task="steps",
        dataset=ARA,
        split="all",
        exposure=Exposure.DEVELOPMENT,
        items={
            "recipes": sum(len(dish.recipes) for dish in dishes),
            "actions": sum(1 for dish in dishes for _ in _annotated(dish)),
            "actions in a mention": mentioned,
            "judged actions": sum(len(dish.alignments) for dish in dishes),
            "aligned pairs": overall[MERGED].pairs.gold,
        },
        systems=_systems(figures, source),
        notes=[f"{left_out} alignments whose tokens are no actions are left out."] if left_out else [],
        examples=examples,
    )


def _annotated(dish: Dish) -> Iterator[tuple[str, TaggedPhrase]]:
    """The actions of all recipes, with the names of these."""
    return ((name, phrase) for name, recipe in dish.recipes.items() for phrase in recipe.actions)


def _read(phrase: TaggedPhrase, events: Sequence[ReadStep]) -> frozenset[ActionParts]:
    """The actions of the shortest mention that holds the first token of an annotated action."""
    holding = [event for event in events if event.start <= phrase.start and phrase.first_end <= event.end]
    if not holding:
        return frozenset()
    shortest = min(holding, key=lambda event: (event.end - event.start, event.start))
    return frozenset(event.action for event in holding if (event.start, event.end) == (shortest.start, shortest.end))


def _count(counts: _Counts, dish: Dish, steps: Mapping[_Token, frozenset[object]]) -> None:
    for item in dish.alignments:
        there = {phrase.token for phrase in dish.recipes[item.other_recipe].actions}
        steps_of_action = steps[item.recipe, item.action.token]
        joined = {token for token in there if steps_of_action & steps[item.other_recipe, token]}
        gold = {item.other.token} if item.other else set()
        counts.pairs.add(joined, gold)
        counts.actions.add({bool(joined & gold)} if joined else set(), {True})


def _examples_of_dish(dish: Dish, steps: Mapping[_Token, frozenset[object]]) -> Iterator[Example]:
    """Each judged action in its recipe, with the aligned action and those in one step with it."""
    for item in dish.alignments:
        recipe, other = dish.recipes[item.recipe], dish.recipes[item.other_recipe]
        steps_of_action = steps[item.recipe, item.action.token]
        joined = [phrase for phrase in other.actions if steps_of_action & steps[item.other_recipe, phrase.token]]
        yield Example(
            system=GRAPH,
            where=f"{item.recipe}, {item.other_recipe}",
            text=_around(recipe.text, item.action),
            gold=[_around(other.text, item.other)] if item.other else [],
            found=[_around(other.text, phrase) for phrase in joined],
        )


def _around(text: str, phrase: TaggedPhrase) -> str:
    """An annotated action with the words behind it."""
    return textwrap.shorten(text[phrase.start :], _SHOWN, placeholder=" …")
