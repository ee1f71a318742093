"""Evaluation of the needs of a graph's scenarios, by lists that were written before any output was seen.

``data/needs.tsv`` has for each scenario the groups of things that one cannot do without, a group being one need
with its synonyms, and further things that are an acceptable answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from attrs import frozen

from kgscripts.evaluation.counting import example, names_agree
from kgscripts.evaluation.lists import list_rows
from kgscripts.evaluation.result import Evaluation, Example, Figure, System, shares
from schemas.errors import InputError
from schemas.provenance import Exposure
from schemas.script_graph import StoredGraph

DATASET = "kgscripts needs"
USUAL, ALL = "usual needs", "all needs"


@frozen
class GoldNeeds:
    """What a scenario needs: `groups` of synonyms, one of which is necessary, and what is `acceptable` beside them."""

    part: str
    scenario: str
    groups: tuple[tuple[str, ...], ...]
    acceptable: tuple[str, ...]

    def accepts(self, name: str) -> bool:
        """Whether a need of this name is an answer."""
        return any(_same(name, item) for item in (*sum(self.groups, ()), *self.acceptable))

    def missing(self, names: Sequence[str]) -> list[str]:
        """The first name of each group that no need of these names is in."""
        return [group[0] for group in self.groups if not any(_same(name, item) for name in names for item in group)]


def gold_needs() -> list[GoldNeeds]:
    """The lists, one for each scenario."""
    return [
        GoldNeeds(
            row["part"],
            row["scenario"],
            tuple(tuple(_parts(group, "|")) for group in _parts(row["necessary"], ";")),
            tuple(_parts(row["acceptable"], ";")),
        )
        for row in list_rows("needs.tsv")
    ]


def evaluate_needs(graph: StoredGraph) -> Evaluation:
    """Compare the needs of a graph with the lists; scenarios that the graph lacks, or that need nothing, are left out.

    *Recall* is the share of the groups that a need is in, *precision* that of the needs that are in a group or
    acceptable. Names agree if they are the same without spaces and hyphens, or one ends with the other ("pan", "frying
    pan").

    Raises InputError if the graph has none of the scenarios.
    """
    needs = _needs_by_name(graph)
    gold = [item for item in gold_needs() if item.groups and item.scenario.casefold() in needs]
    if not gold:
        raise InputError(
            "the graph has none of the scenarios of the lists",
            where=str(graph.directory),
            remedy="build it of texts about everyday activities, such as those of MCScript",
        )
    counts = {name: defaultdict[str, Counter[str]](Counter) for name in (USUAL, ALL)}
    examples: list[Example] = []
    for item in gold:
        named = needs[item.scenario.casefold()]
        for system, own in counts.items():
            names = sorted(name for name, usual in named.items() if usual or system == ALL)
            wrong, missing = [name for name in names if not item.accepts(name)], item.missing(names)
            for part in ("", item.part):
                own[part].update(needs=len(names), groups=len(item.groups))
                own[part].update(right=len(names) - len(wrong), met=len(item.groups) - len(missing))
            if system == USUAL and (wrong or missing):
                examples.append(example(item.scenario, missing, wrong))
    return Evaluation(
        task="needs",
        dataset=DATASET,
        split="all",
        exposure=Exposure.DEVELOPMENT,
        items={"scenarios": len(gold), "groups of necessary things": sum(len(item.groups) for item in gold)},
        systems=[
            System(name=name, figures=[figure for part, own in parts.items() for figure in _figures(own, part)])
            for name, parts in counts.items()
        ],
        examples=examples,
    )


def _figures(counts: Counter[str], part: str) -> tuple[Figure, ...]:
    precision = counts["right"] / counts["needs"] if counts["needs"] else 0.0
    return shares({"recall": counts["met"] / counts["groups"], "precision": precision}, part)


def _needs_by_name(graph: StoredGraph) -> dict[str, dict[str, bool]]:
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
    return one.replace(" ", "") == other.replace(" ", "") or names_agree(one, other)
