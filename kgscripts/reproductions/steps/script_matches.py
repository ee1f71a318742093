"""Whether the actions of texts are matched to the right steps of written scripts.

Two readings by a language model say which steps of the scripts that ship the event labels of InScript and the gold sets
of DeScript are (``data/script_labels.tsv``). A mention is right if its step is one of those of its label. The weights
of `kgscripts.models.steps.script_match` are learnt from these labels; each scenario is scored by weights that were
learnt from the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs
import numpy as np
from attrs import frozen

from kgscripts.corpora.scripts.reader import written_script
from kgscripts.evaluation.lists import list_rows
from kgscripts.evaluation.result import Evaluation, Figure, System, shares
from kgscripts.everyday_scripts import folder, names_in
from kgscripts.extractors.scripts import actions_of
from kgscripts.models.registry import DEFAULT, load
from kgscripts.models.sentence_vectors import RememberedVectors, Vectors
from kgscripts.models.steps.clusters import Floats
from kgscripts.models.steps.contexts import StepContexts
from kgscripts.models.steps.script_match import FLOOR, WEIGHTS, ScriptStep, match_features, match_script
from kgscripts.reproductions.steps.gold import GoldScenario, descript_scenarios, inscript_scenarios
from kgscripts.typicality.weights import newton
from schemas.provenance import Exposure

_PENALTY = 1e-3
_FLOORS = (0.3, 0.4, 0.5, FLOOR, 0.7, 0.8)
_DECIMALS = 2


@frozen(eq=False)
class _Scenario:
    """The actions of a scenario's texts, the steps of its script, and its mentions: an action, and the numbers of the
    steps that its label is."""

    name: str
    contexts: StepContexts
    steps: Sequence[ScriptStep]
    mentions: Sequence[tuple[int, frozenset[int]]]


def evaluate_matches(
    *, inscript: Path | None = None, descript: Path | None = None, model: str | Path = DEFAULT
) -> list[Evaluation]:
    """Score the matches of one corpus or both at several floors; the notes have the weights learnt from all of it.

    Raises
    ------
    InputError
        As `inscript_scenarios` and `descript_scenarios` do.
    ModelError
        If there is no such model.
    """
    vectors = RememberedVectors(load("steps", model).vectors)
    of_corpus = {"InScript": inscript_scenarios(inscript)} if inscript is not None else {}
    of_corpus |= {"DeScript": descript_scenarios(descript)} if descript is not None else {}
    scenarios = {
        corpus: [read for scenario in gold if (read := _read(corpus, scenario, vectors)) is not None]
        for corpus, gold in of_corpus.items()
    }
    every = [scenario for members in scenarios.values() for scenario in members]
    counts: dict[str, dict[float, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for corpus, members in scenarios.items():
        for scenario in members:
            weights = learn([other for other in every if other.name != scenario.name], vectors)
            for floor in _FLOORS:
                counts[corpus][floor] += _counts(scenario, vectors, weights, floor)
    learnt = ", ".join(f"{weight:.{_DECIMALS}f}" for weight in learn(every, vectors))
    return [
        Evaluation(
            task="matches to scripts",
            dataset=corpus,
            split="each scenario left out",
            exposure=Exposure.DEVELOPMENT,
            items={"mentions": sum(len(item.mentions) for item in members), "scenarios": len(members)},
            systems=[System(name="steps of the script", source=str(model), figures=_figures(counts[corpus]))],
            notes=[
                "A language model wrote the scripts, and said which step each label is.",
                f"Weights learnt from all scenarios: {learnt}; those that ship: {', '.join(map(str, WEIGHTS))}.",
            ],
        )
        for corpus, members in scenarios.items()
    ]


def _read(corpus: str, scenario: GoldScenario, vectors: Vectors) -> _Scenario | None:
    rows = [
        row for row in list_rows("script_labels.tsv") if (row["corpus"], row["scenario"]) == (corpus, scenario.scenario)
    ]
    if not rows:
        return None
    of_label = {(row["annotation"], row["label"]): row["steps"].split(",") for row in rows}
    path = next(path for path in sorted(folder().iterdir()) if scenario.scenario in names_in(path))
    script, _ = written_script(path.read_text(encoding="utf-8"), path.name)
    actions = actions_of(script)
    steps = [ScriptStep(attrs.astuple(actions[step.id]), (step.name, *step.wordings)) for step in script.steps]
    numbers = {step.id: number for number, step in enumerate(script.steps)}
    contexts = StepContexts.of(scenario.texts, vectors)
    row_of = {action: number for number, action in enumerate(contexts.actions)}
    mentions = [
        (row_of[step.action], frozenset(numbers[id] for id in of_label[annotation.name, step.group] if id in numbers))
        for annotation in scenario.annotations
        for step in annotation.steps
        if step.action in row_of and (annotation.name, step.group) in of_label
    ]
    return _Scenario(scenario.scenario, contexts, steps, mentions)


def learn(scenarios: Iterable[_Scenario], vectors: Vectors) -> Floats:
    """The weights by logistic regression, in the order of `WEIGHTS`: of each action and each step, whether the mentions
    of the action are that step; every scenario counts the same. Those that ship if there are none."""
    design, target, weight = [], [], []
    for scenario in scenarios:
        features = match_features(scenario.contexts, scenario.steps, vectors)
        counts = Counter(action for action, _ in scenario.mentions)
        right = Counter((action, step) for action, steps in scenario.mentions for step in steps)
        for action, count in sorted(counts.items()):
            design.append(features[action])
            target.append([right[action, step] / count for step in range(len(scenario.steps))])
            weight.append(np.full(len(scenario.steps), count**0.5 / len(scenario.mentions)))
    if not design:
        return np.array(WEIGHTS)
    rows, mass = np.concatenate(design), np.concatenate(weight)
    columns = np.concatenate([rows, np.ones((len(rows), 1))], axis=1)
    return newton(columns, np.concatenate(target), _PENALTY, mass / mass.mean())


def _counts(scenario: _Scenario, vectors: Vectors, weights: Floats, floor: float) -> Counter[str]:
    matches = match_script(scenario.contexts, scenario.steps, vectors, floor, tuple(weights))
    answers = [(matches.step[action], steps) for action, steps in scenario.mentions]
    return Counter(
        right=sum(step in steps for step, steps in answers),
        given=sum(step >= 0 for step, _ in answers),
        wanted=sum(bool(steps) for _, steps in answers),
    )


def _figures(counts: dict[float, Counter[str]]) -> list[Figure]:
    """Precision and recall at the floor that ships, and at others as parts."""
    figures: list[Figure] = []
    for floor, counted in counts.items():
        scores = {
            "precision": counted["right"] / max(1, counted["given"]),
            "recall": counted["right"] / max(1, counted["wanted"]),
        }
        figures += shares(scores, "" if floor == FLOOR else f"floor {floor:g}")
    return sorted(figures, key=lambda figure: figure.part)
