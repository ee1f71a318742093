"""PRECEDES: the order of a scenario's steps, from the order in which its sources first mention them.

Steps get ranks first. A pair gets the order that most sources have, if this order is likely enough, given their number
and the order of all other steps. Pairs are ranked (Tideman 1987): they are added in order of decreasing evidence. A
pair that contradicts earlier pairs is dropped, so that the result has no cycle. Orders that people give come before all
pairs, the latest first; then come those that a written script gives, and the order in which it has its steps.

PRECEDES has fewer pairs: those that agree with the ranks, and that all sources with both tell in this order, or so many
that it is no chance (`LEAST_BOUND`). Others are left open: they can be done in any order. A pair that follows from
pairs with at least as much evidence is left out, so that the result stays small, unless people give it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.step import Step, in_order, made_by, rules, tables_in
from kgscripts.assembly.tables import order_pairs
from kgscripts.wilson import lower_bounds

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

PRIOR = 3
"""The places of two steps count as much as this number of sources that mention both."""

LEAST_PER_MILLE = 600
"""The least probability of an order, in thousandths; less likely ones are left open, such as four sources against
three."""

# Newton's method for each place by itself. It is damped, since places that move together overshoot.
_ROUNDS = 60
_DAMPING = 0.7
_PENALTY = 0.3


def fitted_places(earlier: Integers, later: Integers, support: Integers, against: Integers) -> Numbers:
    """The places of the steps 0, 1, … up to the highest number, by penalised maximum likelihood.

    All arrays have the same length: `support` sources have a pair in the order `earlier`, `later`, and `against` in the
    other. Time grows with the number of pairs.
    """
    count = int(max(earlier.max(initial=-1), later.max(initial=-1))) + 1
    places = np.zeros(count)
    sources = support + against
    for _ in range(_ROUNDS):
        likely = _logistic(places[later] - places[earlier])
        surplus = support - sources * likely
        slope = np.bincount(later, surplus, count) - np.bincount(earlier, surplus, count) - _PENALTY * places
        spread = sources * likely * (1 - likely)
        curvature = np.bincount(later, spread, count) + np.bincount(earlier, spread, count) + _PENALTY
        places += _DAMPING * slope / curvature
    return places


def estimated_order(earlier: Integers, later: Integers, support: Integers, against: Integers) -> Integers:
    """The probability of each pair's order, in thousandths, by its own sources and the places of both; arrays as in
    `places`.

    Rounded, since the last bits of places differ between processors.
    """
    places = fitted_places(earlier, later, support, against)
    likely = _logistic(places[later] - places[earlier])
    share = (support + PRIOR * likely) / (support + against + PRIOR)
    return np.round(1000 * share).astype(np.int64)


def _logistic(value: Numbers) -> Numbers:
    result: Numbers = 1 / (1 + np.exp(-value))
    return result


class Verdict(IntEnum):
    """The result for a pair."""

    KEPT = 0
    IMPLIED = 1
    CONTRADICTED = 2


def rank_pairs(
    earlier: Integers, later: Integers, support: Integers, against: Integers, distance: Numbers, given: int = 0
) -> Integers:
    """The `Verdict` on each pair of steps `earlier` -> `later` (numbered from 0); all arrays have the same length.

    `support` sources have a pair in this order; fewer, `against`, have it in the other order. Pairs with equal evidence
    (margin, then contradiction) are ordered by the `distance` of the two steps, nearest first. The first `given` pairs
    come before all others, in their order, and are kept also if they follow from others.
    """
    # Given pairs have a place each; the others share the last one, so that their evidence decides.
    place = np.minimum(np.arange(len(earlier)), given)
    order = np.lexsort((later, earlier, np.abs(distance), against, against - support, place))
    count = int(max(earlier.max(initial=-1), later.max(initial=-1))) + 1
    bits = [1 << step for step in range(count)]
    after = [0] * count
    """For each step the steps that follow it, as the bits of an integer."""
    before: list[list[int]] = [[] for _ in range(count)]
    verdicts = np.full(len(earlier), Verdict.KEPT, np.int64)
    for number, first, second in zip(order.tolist(), earlier[order].tolist(), later[order].tolist(), strict=True):
        if after[second] & bits[first]:
            verdicts[number] = Verdict.CONTRADICTED
        elif after[first] & bits[second]:
            verdicts[number] = Verdict.KEPT if number < given else Verdict.IMPLIED
        else:
            before[second].append(first)
            those = after[second] | bits[second]
            # What `second` follows now: `first`, and what precedes `first` and did not precede `second` before.
            waiting = [first]
            for step in waiting:
                if not after[step] & bits[second]:
                    after[step] |= those
                    waiting += before[step]
    return verdicts


def positions_of(known: Sequence[float | None], earlier: Sequence[int], later: Sequence[int]) -> list[float]:
    """The mean positions of steps, given where sources tell them. A step that none tells comes right after the last of
    those that it follows, else right before the first of those that follow it, else at the end.
    """
    before: list[list[int]] = [[] for _ in known]
    after: list[list[int]] = [[] for _ in known]
    for first, second in zip(earlier, later, strict=True):
        before[second].append(first)
        after[first].append(second)
    positions = list(known)
    order = sorted(range(len(known)), key=topological_ranks(len(known), earlier, later, range(len(known))).__getitem__)
    for steps, neighbours, nearest in ((order, before, max), (order[::-1], after, min)):
        for step in steps:
            if positions[step] is None:
                places = [place for other in neighbours[step] if (place := positions[other]) is not None]
                positions[step] = nearest(places) if places else None
    # Positions are shares of a text: 1 is its end.
    return [1.0 if place is None else place for place in positions]


def topological_ranks(count: int, earlier: Iterable[int], later: Iterable[int], keys: Sequence[Any]) -> list[int]:
    """The rank, from 1, of each of `count` steps: after all steps that precede it, otherwise by its key."""
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(count), ()))
    for first, second in zip(earlier, later, strict=True):
        sorter.add(second, first)
    ranks = [0] * count
    for rank, step in enumerate(in_order(sorter, keys), 1):
        ranks[step] = rank
    return ranks


LEAST_BOUND, LEAST_SHARED_BOUND = 550, 400
"""The least lower bound of an order that some sources contradict, in thousandths; the second one is for two steps with
a thing in common. Chosen on task graphs (``docs/measurements/steps.md``)."""
REQUIRED_BOUND, REQUIRED_SHARED_BOUND = 700, 500
"""From this lower bound on, an order is a required one."""

_ENDS = ("start", "end")
_NUMBERS = ("support", "against")
_PAIR_COLUMNS = pa.schema(
    [*((name, pa.int32()) for name in ("scenario", *_ENDS)), *((name, pa.int64()) for name in _NUMBERS)]
)
_KEPT_COLUMNS = _PAIR_COLUMNS.append(pa.field("lower", pa.float64())).append(pa.field("required", pa.bool_()))


_TABLES = rules(
    # Pairs whose order people decide are left out.
    order_candidate="""
        SELECT p.scenario, CASE WHEN forwards > backwards THEN one ELSE other END AS start,
               CASE WHEN forwards > backwards THEN other ELSE one END AS "end",
               greatest(forwards, backwards) AS support, least(forwards, backwards) AS against,
               CASE WHEN forwards > backwards THEN y.mean_position - x.mean_position
                    ELSE x.mean_position - y.mean_position END AS distance, s.one IS NOT NULL AS shared,
               (CASE WHEN forwards > backwards THEN row(one, other) ELSE row(other, one) END)
                   IN (SELECT row(start, "end") FROM written_pair) AS written
        FROM pair p LEFT JOIN sharing_pair s USING (scenario, one, other)
             JOIN has_sub_event_counted x ON x."end" = one JOIN has_sub_event_counted y ON y."end" = other
             ANTI JOIN (SELECT start, "end" FROM rejected_order UNION ALL SELECT start, "end" FROM added_order) r
             ON one = least(r.start, r."end") AND other = greatest(r.start, r."end")
        WHERE greatest(forwards, backwards) >= least_support()
        """,
    # The orders that people give and no later ones contradict.
    added_precedes='SELECT a.correction, a.start, a."end" FROM added_order a JOIN ranked_pair k USING (start, "end")',
)
_CANDIDATES = 'FROM order_candidate ORDER BY scenario, start, "end"'

_GIVEN = """
    SELECT g.scenario, g.start, g."end",
           coalesce(CASE WHEN g.start = one THEN forwards ELSE backwards END, 0) AS support,
           coalesce(CASE WHEN g.start = one THEN backwards ELSE forwards END, 0) AS against
    FROM (SELECT scenario, start, "end", max(correction) AS correction
          FROM (SELECT scenario, start, "end", correction FROM added_order
                UNION ALL SELECT scenario, start, "end", 0 FROM written_pair
                UNION ALL SELECT scenario, start, "end", -1 FROM written_sequence) GROUP BY ALL) g
         LEFT JOIN pair p ON p.scenario = g.scenario AND one = least(g.start, g."end")
              AND other = greatest(g.start, g."end")
    ORDER BY g.scenario, correction DESC, start, "end"
"""
"""The orders that people give, the latest first, and then those in which a script has its steps, with what the sources
say."""


def _numbered(pairs: pa.Table) -> tuple[Integers, Integers]:
    """The steps of pairs, numbered from 0."""
    both = np.concatenate([pairs[end].to_numpy() for end in _ENDS])
    earlier, later = np.split(np.unique(both, return_inverse=True)[1], 2)
    return earlier, later


def _decide(tables: Engine) -> None:
    kept = [_PAIR_COLUMNS.empty_table()]
    contradicted = [_PAIR_COLUMNS.empty_table()]
    given = {pairs["scenario"][0].as_py(): pairs for pairs in by_group(tables.table(_GIVEN).to_batches(), "scenario")}
    for pairs in by_group(tables.rows(_CANDIDATES), "scenario"):
        earlier, later = _numbered(pairs)
        likely = estimated_order(earlier, later, pairs["support"].to_numpy(), pairs["against"].to_numpy())
        decided = pa.array(pairs["support"].to_numpy() > pairs["against"].to_numpy())
        decided = pc.and_(decided, pa.array(likely >= LEAST_PER_MILLE))
        _rank_of_scenario(given.pop(pairs["scenario"][0].as_py(), None), pairs.filter(decided), kept, contradicted)
    # The scenarios in which only people give an order.
    for pairs in given.values():
        _rank_of_scenario(pairs, None, kept, contradicted)
    tables.add("ranked_pair", pa.concat_tables(kept))
    tables.add("contradicted_pair", pa.concat_tables(contradicted))


def _rank_of_scenario(
    given: pa.Table | None, told: pa.Table | None, kept: list[pa.Table], contradicted: list[pa.Table]
) -> None:
    """Add the pairs of one scenario, those that people give and those that sources tell, to one of the lists."""
    pairs = pa.concat_tables(
        part.select(_PAIR_COLUMNS.names).cast(_PAIR_COLUMNS) for part in (given, told) if part is not None
    )
    first = 0 if given is None else len(given)
    distance = np.zeros(len(pairs))
    if told is not None:
        distance[first:] = told["distance"].to_numpy()
    earlier, later = _numbered(pairs)
    support, against = (pairs[name].to_numpy() for name in ("support", "against"))
    verdicts = rank_pairs(earlier, later, support, against, distance, first)
    kept.append(pairs.filter(pa.array(verdicts == Verdict.KEPT)))
    contradicted.append(pairs.slice(first).filter(pa.array(verdicts[first:] == Verdict.CONTRADICTED)))


_RANKED = 'SELECT scenario, start, "end" FROM ranked_pair ORDER BY scenario'
_PLACED = """
    SELECT s.scenario, s.step, h.mean_position
    FROM named_step s JOIN step_total t ON t.key = s.step LEFT JOIN has_sub_event_counted h ON h."end" = s.step
    WHERE s.scenario > 0 AND kept(t.support, t.added) ORDER BY s.scenario, s.step
"""


def _rank(tables: Engine) -> None:
    kept = by_group(tables.table(_RANKED).to_batches(), "scenario")
    pairs_of = {pairs["scenario"][0].as_py(): pairs for pairs in kept}
    steps: list[Any] = []
    ranks: list[int] = []
    positions: list[float] = []
    for of_scenario in by_group(tables.rows(_PLACED), "scenario"):
        step = of_scenario["step"].to_numpy()
        pairs = pairs_of.get(of_scenario["scenario"][0].as_py())
        earlier, later = (
            [] if pairs is None else np.searchsorted(step, pairs[end].to_numpy()).tolist() for end in _ENDS
        )
        keys = positions_of(of_scenario["mean_position"].to_pylist(), earlier, later)
        ranks += topological_ranks(len(step), earlier, later, keys)
        steps += of_scenario["step"].to_pylist()
        positions += keys
    columns = {"rank": pa.array(ranks, pa.int64()), "position": pa.array(positions, pa.float64())}
    tables.add("step_rank", pa.table({"step": pa.array(steps, pa.int32()), **columns}))


_TOLD = """
    SELECT c.*, false AS given FROM order_candidate c JOIN step_rank a ON a.step = c.start
         JOIN step_rank b ON b.step = c."end"
    WHERE a.rank < b.rank
    UNION ALL BY NAME
    SELECT k.*, 0.0 AS distance, false AS shared, false AS written, true AS given
    FROM ranked_pair k SEMI JOIN (SELECT start, "end" FROM added_precedes UNION ALL
                                  (SELECT start, "end" FROM written_pair
                                   EXCEPT SELECT start, "end" FROM order_candidate)) USING (start, "end")
    ORDER BY scenario, given DESC, start, "end"
"""


def _keep(tables: Engine) -> None:
    """Make `kept_pair`: what people give, and of the pairs that agree with the ranks the sure ones."""
    kept_pairs = [_KEPT_COLUMNS.empty_table()]
    for pairs in by_group(tables.rows(_TOLD), "scenario"):
        support, against = (pairs[name].to_numpy() for name in _NUMBERS)
        given, shared, written = (pairs[name].to_numpy() for name in ("given", "shared", "written"))
        lower = lower_bounds(support, support + against)
        sure = (support > against) & ((against == 0) | (lower >= np.where(shared, LEAST_SHARED_BOUND, LEAST_BOUND)))
        required = given | written | (lower >= np.where(shared, REQUIRED_SHARED_BOUND, REQUIRED_BOUND))
        pairs = pairs.append_column("lower", pa.array(lower / 1000)).append_column("required", pa.array(required))
        pairs = pairs.select([*_KEPT_COLUMNS.names, "distance"]).filter(pa.array(given | sure))
        earlier, later = _numbered(pairs)
        support, against, distance = (pairs[name].to_numpy() for name in (*_NUMBERS, "distance"))
        # What people give stands first (`_TOLD`).
        verdicts = rank_pairs(earlier, later, support, against, distance, int(given.sum()))
        kept = pairs.filter(pa.array(verdicts == Verdict.KEPT))
        kept_pairs.append(kept.select(_KEPT_COLUMNS.names).cast(_KEPT_COLUMNS))
    tables.add("kept_pair", pa.concat_tables(kept_pairs))


def steps(readers: Sequence[int]) -> list[Step]:
    """The order of the steps of each scenario.

    `ranked_pair` and `contradicted_pair` (pairs that better evidence contradicts) have the columns scenario, start,
    end, support and against. Pairs with too little support are not considered. `added_precedes` has the orders of
    corrections. `step_rank` has the rank of each step among its scenario's, from 1: ranks agree with the ranked pairs;
    where these leave the order open, they follow the `position`, the mean position. `kept_pair` has the pairs of
    PRECEDES, with the lower bound of their order and whether it is required.
    """
    return [
        *order_pairs.steps(readers),
        *(made_by(rule) for rule in _TABLES),
        Step("ranked_pair", ("ranked_pair", "contradicted_pair"), tables_in(_CANDIDATES) | tables_in(_GIVEN), _decide),
        Step("step_rank", ("step_rank",), tables_in(_RANKED) | tables_in(_PLACED), _rank),
        Step("kept_pair", ("kept_pair",), tables_in(_TOLD), _keep),
    ]


def by_group(batches: Iterable[pa.RecordBatch], key: str) -> Iterator[pa.Table]:
    """One table for each value of `key`, from rows that ascend by it."""
    waiting: list[Any] = []
    for batch in batches:
        values = batch[key].to_numpy()
        bounds = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
        for start, end in pairwise(bounds):
            # A group may go on in the next batch.
            if waiting and start < end and waiting[0][key][0].as_py() != values[start]:
                yield pa.Table.from_batches(waiting)
                waiting = []
            if start < end:
                waiting.append(batch.slice(start, end - start))
    if waiting:
        yield pa.Table.from_batches(waiting)
