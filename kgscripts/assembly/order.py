"""PRECEDES: the order of a scenario's steps, from the order in which its sources first mention them."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np
from attrs import evolve, frozen

from kgscripts.assembly.knowledge import first_mentions
from kgscripts.assembly.names import Integers
from kgscripts.assembly.precedence import Verdict, ordered_pairs, rank_pairs
from kgscripts.assembly.relations import Mentions, Relations, Said, pairs, relate, share

MOST_STEPS = 1_000
"""As many steps of a scenario, those that most sources tell, are ordered: time grows with their number squared."""


@frozen
class Order:
    """Pairs of steps of one scenario, by place: earlier, later, sources for this order and for the other one."""

    start: Integers
    end: Integers
    support: Integers
    against: Integers


@frozen
class Precedence:
    """The relations, and the pairs that were dropped because they contradict better evidence."""

    relations: Relations
    contradicted: list[Order]


def precedes(mentions: Mentions, scenario: Integers, least_support: int) -> Precedence:
    """Order the steps of every scenario. `scenario` is that of each step, or -1.

    Pairs that fewer than `least_support` sources tell are not considered.
    """
    kept: list[Order] = []
    contradicted: list[Order] = []
    evidence: list[Integers] = [np.empty((2, 0), np.int64)]
    for first in _by_scenario(mentions, scenario):
        told = _told_pairs(first, mentions)
        start, end, row = pairs(*mentions.step[told])
        support = np.bincount(row, minlength=len(start))
        order = Order(start, end, support, _against(start, end, support))
        candidates = np.flatnonzero((order.support > order.against) & (order.support >= least_support))
        verdicts = _verdicts(_only(order, candidates), first, mentions)
        chosen = candidates[verdicts == Verdict.KEPT]
        kept.append(_only(order, chosen))
        contradicted.append(_only(order, candidates[verdicts == Verdict.CONTRADICTED]))
        is_chosen = np.zeros(len(start), np.bool_)
        is_chosen[chosen] = True
        evidence.append(told[:, is_chosen[row]])
    earlier, later = np.concatenate(evidence, axis=1)
    relations = relate(
        np.tile(mentions.step[earlier], 2),
        np.tile(mentions.step[later], 2),
        Said.by(np.concatenate((earlier, later)), mentions),
        mentions,
    )
    return Precedence(evolve(relations, columns={"probability": _probability(relations, kept)}), contradicted)


def ranked(told: Relations, order: Relations) -> Relations:
    """The relations scenario -> step with the rank of each step among its scenario's, from 1.

    Ranks follow `order` (PRECEDES); where that leaves it open they follow the mean position.
    """
    rank = np.empty(len(told), np.int64)
    bounds = np.flatnonzero(np.diff(told.start)) + 1
    row_of_step = dict(zip(told.end.tolist(), range(len(told)), strict=True))
    graph = nx.DiGraph()
    graph.add_nodes_from(row_of_step.values())
    graph.add_edges_from((row_of_step[a], row_of_step[b]) for a, b in zip(order.start, order.end, strict=True))
    keys = list(zip(told.columns["mean_position"].tolist(), range(len(told)), strict=True))
    for rows in np.split(np.arange(len(told)), bounds):
        inside = graph.subgraph(rows.tolist())
        rank[list(nx.lexicographical_topological_sort(inside, keys.__getitem__))] = np.arange(1, len(rows) + 1)
    return evolve(told, columns=told.columns | {"rank": rank})


def _by_scenario(mentions: Mentions, scenario_of_step: Integers) -> Iterator[Integers]:
    """For each scenario the first mentions of the steps to be ordered, in the order of the mentions."""
    first = first_mentions(mentions)
    scenario = scenario_of_step[mentions.step[first]]
    by_scenario = np.argsort(scenario, kind="stable")
    bounds = np.flatnonzero(np.diff(scenario[by_scenario]) != 0) + 1
    for part in np.split(by_scenario, bounds):
        if len(part) and scenario[part[0]] >= 0:
            yield _best_supported(first[part], mentions)


def _best_supported(first: Integers, mentions: Mentions) -> Integers:
    step, support = np.unique(mentions.step[first], return_counts=True)
    best = step[np.lexsort((step, -support))[:MOST_STEPS]]
    return first[np.isin(mentions.step[first], best)]


def _told_pairs(first: Integers, mentions: Mentions) -> Integers:
    """All pairs (earlier, later) of these mentions in one source, as two rows."""
    told = [np.empty((2, 0), np.int64)]
    for part in np.split(first, np.flatnonzero(np.diff(mentions.source[first])) + 1):
        earlier, later = ordered_pairs(len(part))
        told.append(np.stack((part[earlier], part[later])))
    return np.concatenate(told, axis=1)


def _against(start: Integers, end: Integers, support: Integers) -> Integers:
    """The support of each pair's reverse."""
    width = max(int(start.max(initial=0)), int(end.max(initial=0))) + 1
    keys, reverse = start * width + end, end * width + start
    place = np.minimum(np.searchsorted(keys, reverse), max(0, len(keys) - 1))
    return np.where(keys[place] == reverse, support[place], 0) if len(keys) else support


def _verdicts(order: Order, first: Integers, mentions: Mentions) -> Integers:
    step, number = np.unique(mentions.step[first], return_inverse=True)
    mean = np.round(np.bincount(number, mentions.position[first]) / np.bincount(number), 4)
    earlier, later = np.searchsorted(step, order.start), np.searchsorted(step, order.end)
    return rank_pairs(earlier, later, order.support, order.against, mean[later] - mean[earlier])


def _only(order: Order, rows: Integers) -> Order:
    return Order(order.start[rows], order.end[rows], order.support[rows], order.against[rows])


def _probability(relations: Relations, kept: list[Order]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if not len(relations):
        return np.empty(0)
    start = np.concatenate([order.start for order in kept])
    end = np.concatenate([order.end for order in kept])
    against = np.concatenate([order.against for order in kept])[np.lexsort((end, start))]
    return share(relations.support, relations.support + against)
