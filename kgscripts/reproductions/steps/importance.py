"""Evaluation of what a graph says of the importance of steps, on steps that were judged twice.

``data/importance.tsv`` has steps of twenty scenarios with the judgements of two independent passes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from kgscripts.evaluation.counting import example
from kgscripts.evaluation.lists import list_rows
from kgscripts.evaluation.result import Evaluation, Figure, compared, shares
from kgscripts.typicality.importance import Importance
from schemas.errors import InputError
from schemas.provenance import Direction, Exposure
from schemas.script_graph import StoredGraph

DATASET = "kgscripts importance"
OURS, SHARE = "importance", "share of the sources"
FILE = "importance.tsv"


@frozen
class GraphStep:
    """A step of a graph: its scenario with the number of sources, its label, and its row of HAS_SUB_EVENT."""

    scenario: str
    sources: int
    label: str
    row: Mapping[str, Any]

    @property
    def importance(self) -> Importance:
        """What the graph says: a step that is not usual is a bystander."""
        if self.row["essential"]:
            return Importance.ESSENTIAL
        if not self.row["usual"]:
            return Importance.BYSTANDER
        return Importance.OPTIONAL if self.row["optional"] else Importance.USUAL

    @property
    def by_share(self) -> Importance:
        """What the share of the sources says of a usual step."""
        if not self.row["usual"]:
            return Importance.BYSTANDER
        share = self.row["probability"]
        if share >= 1 / 2:
            return Importance.ESSENTIAL
        return Importance.USUAL if share >= 1 / 4 else Importance.OPTIONAL


def judged_steps(
    graph: StoredGraph, rows: Iterable[Mapping[str, str]]
) -> Iterator[tuple[Mapping[str, str], GraphStep]]:
    """The rows of a list whose `scenario` the graph has with a step of the wording `step`, each with this step."""
    rows = list(rows)
    steps = graph_steps(graph, {row["scenario"] for row in rows})
    for row in rows:
        if (step := steps.get((row["scenario"], row["step"]))) is not None:
            yield row, step


def graph_steps(graph: StoredGraph, scenarios: Iterable[str]) -> dict[tuple[str, str], GraphStep]:
    """The steps of scenarios with these labels, by label of the scenario and wording. A label comes before another
    wording, and the step with more sources before others."""
    wanted = {row["id"]: row for row in graph.rows("Scenario", ("id", "label", "support"), {"label": set(scenarios)})}
    relations = list(graph.rows("HAS_SUB_EVENT", where={"from_id": wanted}))
    relations.sort(key=lambda row: (-row["support"], row["to_id"]))
    labels = graph.labels("SubEvent", {row["to_id"] for row in relations})
    expressed = list(graph.rows("EXPRESSED_AS", ("from_id", "to_id"), {"from_id": labels}))
    actions = graph.labels("Action", {row["to_id"] for row in expressed})
    wordings: dict[str, list[str]] = defaultdict(list)
    for row in expressed:
        wordings[row["from_id"]].append(actions[row["to_id"]])
    steps: dict[tuple[str, str], GraphStep] = {}
    for names in ({step: [label] for step, label in labels.items()}, wordings):
        for row in relations:
            scenario = wanted[row["from_id"]]
            step = GraphStep(scenario["label"], scenario["support"], labels[row["to_id"]], row)
            for name in names.get(row["to_id"], ()):
                steps.setdefault((scenario["label"], name), step)
    return steps


def evaluate_importance(graph: StoredGraph) -> Evaluation:
    """Compare a graph with the judged steps on which both passes agree; steps that it lacks are wrong.

    The F1 of each class, and their mean (*macro F1*). *essential steps hidden* is the share of the essential steps that
    are not usual, so that `show` leaves them out.

    Raises InputError if the graph has none of the scenarios.
    """
    rows = list(list_rows(FILE))
    agreed = [row for row in rows if row["first"] == row["second"]]
    steps = graph_steps(graph, {row["scenario"] for row in rows})
    if not steps:
        raise InputError(
            "the graph has none of the scenarios of the list",
            where=str(graph.directory),
            remedy="build it of the stories of MCScript",
        )
    gold = [Importance(row["first"]) for row in agreed]
    matched = [steps.get((row["scenario"], row["step"])) for row in agreed]
    answers = {
        OURS: [step.importance if step else None for step in matched],
        SHARE: [step.by_share if step else None for step in matched],
    }
    hidden = [
        step is None or not step.row["usual"] for step, right in zip(matched, gold, strict=True) if right == "essential"
    ]
    missed = Figure(metric="essential steps hidden", value=sum(hidden) / max(1, len(hidden)), direction=Direction.LOWER)
    figures = {
        name: [*_f1(gold, of_system), *((missed,) if name == OURS else ())] for name, of_system in answers.items()
    }
    return Evaluation(
        task="importance",
        dataset=DATASET,
        split="all",
        # Which features are used was chosen on other scenarios, but their scores on these were seen.
        exposure=Exposure.DEVELOPMENT,
        items={
            "steps judged twice": len(rows),
            "of which both judgements agree": len(agreed),
            "of these in the graph": sum(step is not None for step in matched),
        },
        systems=compared(figures, OURS, source=OURS),
        examples=[
            example(f"{row['scenario']}: {row['step']}", [right], [str(answer or "not found")])
            for row, right, answer in zip(agreed, gold, answers[OURS], strict=True)
            if right != answer
        ],
    )


def _f1(gold: Sequence[Importance], answers: Sequence[Importance | None]) -> tuple[Figure, ...]:
    """The F1 of each class, and their mean first."""
    right = Counter(one for one, other in zip(gold, answers, strict=True) if one == other)
    expected, answered = Counter(gold), Counter(answers)
    each = {kind: 2 * right[kind] / max(1, expected[kind] + answered[kind]) for kind in Importance}
    figures = shares({"macro F1": sum(each.values()) / len(each)}, "")
    return (*figures, *(figure for kind, value in each.items() for figure in shares({"F1": value}, kind.value)))
