"""The knowledge of a few texts counted the plain way, one mention at a time: what assembly must find."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import networkx as nx
from attrs import frozen

from kgscripts.corpora.scenarios import scenario_of
from schemas.records import Document, EventMention
from tests.assembly.tiny_reader import read_tiny

Row = tuple[object, ...]


class Step(NamedTuple):
    """A sub-event by scenario ("" for none) and what its actions share."""

    scenario: str
    shared: tuple[str, ...]


@frozen
class Mention:
    """An event of a text, with the step it tells."""

    source: str
    place: int
    step: Step
    event: EventMention


def step_of(scenario: str, event: EventMention) -> Step:
    """Actions with an object are told apart by it, others by all their parts."""
    key = event.action.key
    return Step(scenario, key[:3] if event.action.object else key)


def mentions_of(documents: Sequence[Document]) -> list[Mention]:
    """All mentions of different documents, in text order."""
    return [
        Mention(digest, place, step_of(scenario_of(document), event), event)
        for digest, document in sorted({document.digest: document for document in documents}.items())
        for place, event in enumerate(read_tiny(document).events)
    ]


def support(mentions: Sequence[Mention]) -> int:
    """How many sources."""
    return len({mention.source for mention in mentions})


def has_sub_event(documents: Sequence[Document], mentions: Sequence[Mention]) -> set[Row]:
    """Scenario, step, support, probability, mean position, optional."""
    rows: set[Row] = set()
    about = Counter(scenario_of(document) for document in {item.digest: item for item in documents}.values())
    length = Counter(mention.source for mention in mentions)
    for step in {mention.step for mention in mentions if mention.step.scenario}:
        first: dict[str, float] = {}
        for mention in mentions:
            if mention.step == step:
                first.setdefault(mention.source, mention.place / max(1, length[mention.source] - 1))
        probability = round(len(first) / about[step.scenario], 4)
        mean = round(sum(first.values()) / len(first), 4)
        rows.add((step.scenario, step, len(first), probability, mean, probability < 0.5))
    return rows


def named_by(mentions: Sequence[Mention], kind: str) -> set[Row]:
    """Step, tool or entity, support, probability, pointwise mutual information; entities with their role."""
    things = {thing.lemma for mention in mentions for thing in getattr(mention.event, kind)}
    rows: set[Row] = set()
    for thing in things:
        naming = [m for m in mentions if any(found.lemma == thing for found in getattr(m.event, kind))]
        for step in {mention.step for mention in naming}:
            telling = [mention for mention in mentions if mention.step == step]
            both = [mention for mention in naming if mention.step == step]
            odds = len(both) * len(mentions) / (len(telling) * len(naming))
            row: Row = (step, thing, support(both), round(len(both) / len(telling), 4), round(math.log(odds), 4))
            if kind == "participants":
                roles = Counter(a.role for m in both for a in m.event.participants if a.lemma == thing)
                row = (*row, min(roles, key=lambda role: (-roles[role], role)).value)
            rows.add(row)
    return rows


def expressed_as(mentions: Sequence[Mention]) -> set[Row]:
    """Step, action, support, probability."""
    rows: set[Row] = set()
    for step, action in {(mention.step, mention.event.action) for mention in mentions}:
        telling = [mention for mention in mentions if mention.step == step]
        both = [mention for mention in telling if mention.event.action == action]
        rows.add((step, action.key, support(both), round(len(both) / len(telling), 4)))
    return rows


def orders(mentions: Sequence[Mention]) -> Counter[tuple[Step, Step]]:
    """In how many sources the first mention of one step comes before that of another of the same scenario."""
    counts: Counter[tuple[Step, Step]] = Counter()
    for source in {mention.source for mention in mentions}:
        told = dict.fromkeys(m.step for m in mentions if m.source == source and m.step.scenario)
        counts.update(combinations(told, 2))
    return counts


def majority(counts: Counter[tuple[Step, Step]]) -> nx.DiGraph:
    """Every pair in the order that more sources tell, with the margin."""
    graph = nx.DiGraph()
    for (first, second), number in counts.items():
        margin = number - counts[second, first]
        if margin > 0:
            graph.add_edge(first, second, margin=margin)
    return graph
