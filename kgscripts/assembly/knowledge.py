"""What the texts together say: steps of scenarios, their words, participants, tools and order."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from attrs import evolve, frozen

from kgscripts.assembly.clusters import cluster, label
from kgscripts.assembly.instances import ROLES
from kgscripts.assembly.names import Integers, Nodes
from kgscripts.assembly.relations import (
    Mentions,
    Relations,
    Said,
    distinct,
    pairs,
    pointwise_mutual_information,
    relate,
    share,
)
from schemas.records import Action
from schemas.vocabulary import node_id


@frozen
class Step:
    """A sub-event: a cluster of actions, named by the smallest; `scenario` is a place, or -1."""

    scenario: int
    smallest: Action
    label: str


def find_steps(
    scenario: Integers, action: Integers, scenarios: Nodes[str], actions: Nodes[Action]
) -> tuple[Nodes[Step], Integers]:
    """Cluster the actions of each scenario, and those that belong to none; the place of each mention's step.

    `scenario` (or -1) and `action` hold a place for each mention.
    """
    of_scenario, of_action, told = pairs(scenario + 1, action)
    members: dict[tuple[int, Action], list[int]] = defaultdict(list)
    bounds = np.flatnonzero(np.diff(of_scenario, prepend=-1)).tolist()
    for first, last in pairwise([*bounds, len(of_scenario)]):
        smallest = cluster(actions.values[number] for number in of_action[first:last].tolist())
        for row in range(first, last):
            members[int(of_scenario[first]) - 1, smallest[actions.values[of_action[row]]]].append(row)
    step_of = np.empty(len(of_scenario), np.int64)
    found = []
    for number, ((place, smallest_action), rows) in enumerate(members.items()):
        step_of[rows] = number
        found.append(Step(place, smallest_action, label(actions.values[of_action[row]] for row in rows)))
    steps = Nodes(
        found, lambda step: node_id("SubEvent", step.label, scenarios.id_of(step.scenario) or "", *step.smallest.key)
    )
    return steps, steps.place[step_of[told]]


def scenarios_of(steps: Nodes[Step]) -> Integers:
    """The place of each step's scenario, or -1."""
    return np.array([step.scenario for step in steps.values], np.int64)


def has_sub_event(mentions: Mentions, scenario: Integers, sources_of_scenario: Integers) -> Relations:
    """Scenario -> step, with mean position and whether it is optional. `scenario` is that of each step, or -1."""
    inside = np.flatnonzero(scenario[mentions.step] >= 0)
    step = mentions.step[inside]
    found = relate(scenario[step], step, Said.by(inside, mentions), mentions)
    first = first_mentions(mentions)
    told = np.bincount(mentions.step[first], minlength=len(scenario))
    positions = np.bincount(mentions.step[first], mentions.position[first], minlength=len(scenario))
    probability = share(found.support, sources_of_scenario[found.start])
    mean = share(positions[found.end], told[found.end])
    return evolve(found, columns={"probability": probability, "mean_position": mean, "optional": probability < 0.5})


def first_mentions(mentions: Mentions) -> Integers:
    """The first mention of each step in each source, in the order of the mentions."""
    width = int(mentions.step.max(initial=0)) + 1
    _, first = np.unique(mentions.source * width + mentions.step, return_index=True)
    return np.sort(first)


def expressed_as(mentions: Mentions) -> Relations:
    """Step -> action."""
    found = relate(mentions.step, mentions.action, Said.by(np.arange(len(mentions.step)), mentions), mentions)
    return evolve(found, columns={"probability": share(found.mentions, np.bincount(mentions.step)[found.start])})


def takes(said: Said, thing: Integers, mentions: Mentions) -> Relations:
    """Step -> the thing that its mention names, with pointwise mutual information over mentions."""
    found = relate(mentions.step[said.mention], thing, said, mentions)
    of_step = np.bincount(mentions.step)[found.start]
    of_thing = distinct(thing, said.mention, int(thing.max(initial=-1)) + 1)[found.end]
    pmi = pointwise_mutual_information(found.mentions, of_step, of_thing, len(mentions.step))
    return evolve(found, columns={"probability": share(found.mentions, of_step), "pmi": pmi})


def most_frequent_roles(found: Relations, start: Integers, end: Integers, role: Integers) -> Relations:
    """The relations with the role that most of the arguments start -> end have; the first by alphabet of several."""
    _, _, row = pairs(start, end)
    counts = np.bincount(row * len(ROLES) + role, minlength=len(found) * len(ROLES)).reshape(-1, len(ROLES))
    return evolve(found, columns=found.columns | {"role": np.array(ROLES)[counts.argmax(axis=1)]})
