"""Scenarios of a graph whose actions a language model has grouped into steps (``data/grouped_actions.tsv``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from kgscripts.evaluation.events.gold_lists import read_rows
from kgscripts.evaluation.steps.gold import GoldScenario, GoldStep, GoldSteps
from kgscripts.models.steps.contexts import ActionParts, StepMention
from schemas.errors import InputError
from schemas.script_graph import ScriptGraph

FILE = "grouped_actions.tsv"
_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")


def judged_scenarios(graph: ScriptGraph, rows: Iterable[Mapping[str, str]] | None = None) -> list[GoldScenario]:
    """The scenarios of the list that a graph has, with all mentions of its texts in order.

    `rows` have a `scenario`, the label of an `action`, and its `group`; by default those of the list that ships.

    Raises InputError if the graph has none of the scenarios.
    """
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for row in read_rows(FILE) if rows is None else rows:
        groups[row["scenario"]][row["action"]] = row["group"]
    scenarios = {row["id"]: row["label"] for row in graph.rows("Scenario", ("id", "label"), {"label": set(groups)})}
    if not scenarios:
        raise InputError(
            "the graph has none of the scenarios whose actions are grouped",
            where=str(graph.directory),
            remedy="build it of the stories of MCScript",
        )
    told, labels = _told(graph, scenarios)
    found = []
    for scenario, texts in told.items():
        own = groups[scenarios[scenario]]
        steps = [
            GoldStep(own[labels[mention.action]], mention.action, mention.text)
            for mentions in texts
            for mention in mentions
            if labels[mention.action] in own
        ]
        found.append(GoldScenario(scenarios[scenario], texts, [GoldSteps("judged", steps)]))
    return found


def _told(
    graph: ScriptGraph, scenarios: Mapping[str, str]
) -> tuple[dict[str, list[list[StepMention]]], dict[ActionParts, str]]:
    """The mentions of each text of each scenario, in order; and the label of each action."""
    steps = {
        row["id"]: row["scenario"] for row in graph.rows("SubEvent", ("id", "scenario"), {"scenario": set(scenarios)})
    }
    expressed = list(graph.rows("EXPRESSED_AS", ("from_id", "to_id", "statement"), {"from_id": steps}))
    actions = {row["id"]: row for row in graph.rows("Action", ("id", "label", *_PARTS))}
    evidence: dict[str, list[str]] = defaultdict(list)
    for row in graph.rows("EVIDENCED_BY", ("from_id", "to_id"), {"from_id": {row["statement"] for row in expressed}}):
        evidence[row["from_id"]].append(row["to_id"])
    passages = {
        row["id"]: row for row in graph.rows("Passage", ("id", "source", "start", "end", "text"), {"kind": "mention"})
    }
    texts: dict[str, dict[str, list[tuple[int, int, ActionParts, str]]]] = defaultdict(lambda: defaultdict(list))
    labels: dict[ActionParts, str] = {}
    for row in expressed:
        action = actions[row["to_id"]]
        parts = tuple(action[part] or "" for part in _PARTS)
        labels[parts] = action["label"]
        for passage in (passages[item] for item in evidence[row["statement"]]):
            place = (passage["start"], passage["end"], parts, passage["text"])
            texts[steps[row["from_id"]]][passage["source"]].append(place)
    return {
        scenario: [
            [StepMention(parts, text) for _, _, parts, text in sorted(places)] for _, places in sorted(own.items())
        ]
        for scenario, own in texts.items()
    }, labels
