"""Evaluation of the needs of a graph's scenarios, by lists that were written before any output was seen.

``data/needs.SPLIT.tsv`` has for each scenario the groups of things that one cannot do without, a group being one need
with its synonyms, and further things that are an acceptable answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from kgscripts.evaluation.counting import example
from kgscripts.evaluation.events.gold_lists import read_rows
from kgscripts.evaluation.events.marked_texts import SPLITS
from kgscripts.evaluation.result import Evaluation, Example, System, shares
from schemas.errors import InputError
from schemas.script_graph import ScriptGraph

DATASET = "kgscripts needs"
USUAL, ALL = "usual needs", "all needs"


@frozen
class GoldNeeds:
    """What a scenario needs: `groups` of synonyms, one of which is necessary, and what is `acceptable` beside them."""

    scenario: str
    groups: tuple[tuple[str, ...], ...]
    acceptable: tuple[str, ...]

    def accepts(self, name: str) -> bool:
        """Whether a need of this name is an answer."""
        return any(_same(name, item) for item in (*sum(self.groups, ()), *self.acceptable))

    def missing(self, names: Sequence[str]) -> list[str]:
        """The first name of each group that no need of these names is in."""
        return [group[0] for group in self.groups if not any(_same(name, item) for name in names for item in group)]


def gold_needs(split: str) -> list[GoldNeeds]:
    """The lists of a split."""
    return [
        GoldNeeds(
            row["scenario"],
            tuple(tuple(_parts(group, "|")) for group in _parts(row["necessary"], ";")),
            tuple(_parts(row["acceptable"], ";")),
        )
        for row in read_rows(f"needs.{split}.tsv")
    ]


def evaluate_needs(graph: ScriptGraph, splits: Iterable[str] = tuple(SPLITS)) -> list[Evaluation]:
    """Compare the needs of a graph with the lists, split by split; scenarios that the graph lacks are left out.

    *Recall* is the share of the groups that a need is in, *precision* that of the needs that are in a group or
    acceptable. Names agree if they are the same without spaces and hyphens, or one ends with the other ("pan", "frying
    pan").

    Raises InputError if the graph has none of the scenarios.
    """
    needs = _needs_by_name(graph)
    found = [_evaluation(own, split, needs) for split in splits if (own := _listed(split, needs))]
    if not found:
        raise InputError(
            "the graph has none of the scenarios of the lists",
            source=str(graph.directory),
            remedy="build it of texts about everyday activities, such as those of MCScript",
        )
    return found


def _evaluation(gold: Sequence[GoldNeeds], split: str, needs: dict[str, dict[str, bool]]) -> Evaluation:
    examples: list[Example] = []
    systems = []
    for system, every in ((USUAL, False), (ALL, True)):
        right = answers = reached = groups = 0
        for item in gold:
            names = sorted(name for name, usual in needs[item.scenario.casefold()].items() if usual or every)
            wrong, missing = [name for name in names if not item.accepts(name)], item.missing(names)
            right, answers = right + len(names) - len(wrong), answers + len(names)
            reached, groups = reached + len(item.groups) - len(missing), groups + len(item.groups)
            if (wrong or missing) and not every:
                examples.append(example(item.scenario, missing, wrong))
        values = {"recall": reached / groups, "precision": right / answers if answers else 0.0}
        systems.append(System(name=system, figures=shares(values)))
    return Evaluation(
        task="needs",
        dataset=DATASET,
        split=split,
        exposure=SPLITS[split],
        items={"scenarios": len(gold), "groups of necessary things": sum(len(item.groups) for item in gold)},
        systems=systems,
        examples=examples,
    )


def _listed(split: str, needs: dict[str, dict[str, bool]]) -> list[GoldNeeds]:
    return [item for item in gold_needs(split) if item.groups and item.scenario.casefold() in needs]


def _needs_by_name(graph: ScriptGraph) -> dict[str, dict[str, bool]]:
    """By each name of a scenario its needs, and whether each is usual."""
    labels = {**graph.labels("Tool"), **graph.labels("Entity")}
    by_id: dict[str, dict[str, bool]] = {}
    for row in graph.select("NEEDS", ["from_id", "to_id", "usual"]).to_pylist():
        by_id.setdefault(row["from_id"], {})[labels[row["to_id"]]] = row["usual"]
    scenarios = graph.select("Scenario", ["id", "label", "alternative_labels"]).to_pylist()
    return {
        name.casefold(): by_id.get(row["id"], {})
        for row in scenarios
        for name in (*(row["alternative_labels"] or ()), row["label"])
    }


def _parts(text: str, separator: str) -> list[str]:
    return [part for item in text.split(separator) if (part := item.strip()) not in ("", "-")]


def _same(one: str, other: str) -> bool:
    """Whether two names agree: "teabag" and "tea bag", "pan" and "frying pan"."""
    one, other = (name.replace("-", " ") for name in (one, other))
    return (
        one.replace(" ", "") == other.replace(" ", "")
        or f" {one}".endswith(f" {other}")
        or f" {other}".endswith(f" {one}")
    )
