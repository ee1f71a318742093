"""PRECEDES: the order of a scenario's steps, from the order in which its sources first mention them.

A pair gets the order that most sources have, if this order is likely enough, given their number and the order of all
other steps (`kgscripts.assembly.tables.order_estimates`). Pairs are ranked (Tideman 1987): they are added in order of
decreasing evidence. A pair that contradicts earlier pairs is dropped, so that the result has no cycle. A pair that
follows from earlier pairs is left out, so that the result stays small: there is a path for it, and each relation of the
path has at least as much evidence.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kgscripts.assembly.engine import Engine, Rule
from kgscripts.assembly.step import Step, Tables, made_by, tables_in
from kgscripts.assembly.tables.order_estimates import LEAST_PER_MILLE, estimated_order

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

MOST_STEPS = 1_000
"""At most this number of steps of a scenario, those with the most support, are ordered: time grows with the square of
the number."""

LONGEST_REACH = 100
"""In one source a step is compared with at most this number of following steps; steps that are farther apart are
ordered by paths."""


_ENDS = ("start", "end")
_PAIR_COLUMNS = pa.schema(
    [*((name, pa.int32()) for name in ("scenario", *_ENDS)), ("support", pa.int64()), ("against", pa.int64())]
)


class Verdict(IntEnum):
    """The result for a pair."""

    KEPT = 0
    IMPLIED = 1
    CONTRADICTED = 2


def rank_pairs(earlier: Integers, later: Integers, support: Integers, against: Integers, distance: Numbers) -> Integers:
    """The `Verdict` on each pair of steps `earlier` -> `later` (numbered from 0); all arrays have the same length.

    `support` sources have a pair in this order; fewer, `against`, have it in the other order. Pairs with equal evidence
    (margin, then contradiction) are ordered by the `distance` of the two steps, nearest first.
    """
    order = np.lexsort((later, earlier, np.abs(distance), against, against - support))
    count = int(max(earlier.max(initial=-1), later.max(initial=-1))) + 1
    bits = [1 << step for step in range(count)]
    after = [0] * count
    """For each step the steps that follow it, as the bits of an integer."""
    before: list[list[int]] = [[] for _ in range(count)]
    verdicts = np.full(len(earlier), Verdict.KEPT, np.int64)
    for place, first, second in zip(order.tolist(), earlier[order].tolist(), later[order].tolist(), strict=True):
        if after[second] & bits[first]:
            verdicts[place] = Verdict.CONTRADICTED
        elif after[first] & bits[second]:
            verdicts[place] = Verdict.IMPLIED
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


def first_mentions(readers: Sequence[int]) -> Rule:
    """The first mention of each step in each source."""
    scores = "".join(f", reader_{reader}" for reader in readers)
    return Rule(
        "first_mention",
        "document",
        f"""
        SELECT scenario, step, document, mention, start AS first, "end" AS last{scores} FROM realization
        WHERE in_partition(document) AND scenario > 0
        QUALIFY row_number() OVER (PARTITION BY step, document ORDER BY mention) = 1
        """,
    )


ORDERED_STEP = Rule(
    "ordered_step",
    "scenario",
    f"""
    SELECT s.scenario, s.step FROM step s JOIN step_total t ON t.key = s.step
    WHERE s.scenario > 0 AND mine(s.scenario)
    QUALIFY row_number() OVER (PARTITION BY s.scenario ORDER BY t.support DESC, s.step) <= {MOST_STEPS}
    """,
)

PAIRS = (
    Rule(
        "ordered_mention",
        "document",
        """
        SELECT f.*, row_number() OVER (PARTITION BY f.document, f.scenario ORDER BY f.mention) AS place
        FROM first_mention f JOIN ordered_step USING (scenario, step) WHERE in_partition(f.document)
        """,
    ),
    # One row for both orders of two steps.
    Rule(
        "pair_part",
        "document",
        """
        SELECT a.scenario, least(a.step, b.step) AS one, greatest(a.step, b.step) AS other,
               count(*) FILTER (WHERE a.step < b.step) AS forwards, count(*) FILTER (WHERE a.step > b.step) AS backwards
        FROM ordered_mention a JOIN ordered_mention b
             ON b.document = a.document AND b.scenario = a.scenario AND b.place > a.place
             AND b.place <= a.place + longest_reach()
        WHERE in_partition(a.document) AND in_partition(b.document) GROUP BY ALL
        """,
    ),
)

PAIR = Rule(
    "pair",
    "scenario",
    """
    SELECT p.scenario, p.one, p.other, sum(p.forwards)::BIGINT AS forwards, sum(p.backwards)::BIGINT AS backwards
    FROM pair_part p
         ANTI JOIN rejected_order r ON p.one = least(r.start, r."end") AND p.other = greatest(r.start, r."end")
    WHERE mine(p.scenario) GROUP BY ALL
    """,
)

_CANDIDATES = """
    SELECT p.scenario, CASE WHEN forwards > backwards THEN one ELSE other END AS start,
           CASE WHEN forwards > backwards THEN other ELSE one END AS "end",
           greatest(forwards, backwards) AS support, least(forwards, backwards) AS against,
           CASE WHEN forwards > backwards THEN y.mean_position - x.mean_position
                ELSE x.mean_position - y.mean_position END AS distance
    FROM pair p JOIN has_sub_event_counted x ON x."end" = one JOIN has_sub_event_counted y ON y."end" = other
    WHERE greatest(forwards, backwards) >= least_support()
    ORDER BY p.scenario, 2, 3
"""


def _decide(tables: Tables) -> None:
    kept: list[pa.Table] = []
    contradicted: list[pa.Table] = []
    for pairs in by_group(tables.rows(_CANDIDATES), "scenario"):
        both = np.concatenate([pairs[end].to_numpy() for end in _ENDS])
        earlier, later = np.split(np.unique(both, return_inverse=True)[1], 2)
        support, against, distance = (pairs[name].to_numpy() for name in ("support", "against", "distance"))
        likely = estimated_order(earlier, later, support, against)
        decided = (support > against) & (likely >= LEAST_PER_MILLE)
        verdicts = rank_pairs(*(values[decided] for values in (earlier, later, support, against, distance)))
        pairs = pairs.filter(pa.array(decided))
        pairs = pairs.select(_PAIR_COLUMNS.names).cast(_PAIR_COLUMNS)
        kept.append(pairs.filter(pa.array(verdicts == Verdict.KEPT)))
        contradicted.append(pairs.filter(pa.array(verdicts == Verdict.CONTRADICTED)))
    tables.add("kept_pair", pa.concat_tables([_PAIR_COLUMNS.empty_table(), *kept]))
    tables.add("contradicted_pair", pa.concat_tables([_PAIR_COLUMNS.empty_table(), *contradicted]))


_KEPT = 'SELECT scenario, start, "end" FROM kept_pair ORDER BY scenario'
_PLACED = """
    SELECT start AS scenario, "end" AS step, mean_position FROM has_sub_event_counted
    WHERE support >= least_support() ORDER BY scenario, step
"""


def _rank(tables: Tables) -> None:
    kept = by_group(tables.table(_KEPT).to_batches(), "scenario")
    pairs_of = {pairs["scenario"][0].as_py(): pairs for pairs in kept}
    steps: list[Any] = []
    ranks: list[int] = []
    for of_scenario in by_group(tables.rows(_PLACED), "scenario"):
        step = of_scenario["step"].to_numpy()
        pairs = pairs_of.get(of_scenario["scenario"][0].as_py())
        earlier, later = (
            [] if pairs is None else np.searchsorted(step, pairs[end].to_numpy()).tolist() for end in _ENDS
        )
        ranks += topological_ranks(len(step), earlier, later, of_scenario["mean_position"].to_pylist())
        steps += of_scenario["step"].to_pylist()
    tables.add("step_rank", pa.table({"step": pa.array(steps, pa.int32()), "rank": pa.array(ranks, pa.int64())}))


def steps(readers: Sequence[int]) -> list[Step]:
    """The order of the steps of each scenario.

    `kept_pair` and `contradicted_pair` (pairs that better evidence contradicts) have the columns scenario, start, end,
    support and against. Pairs with too little support are not considered. If both orders of a pair are about equally
    likely, its order stays open. `step_rank` has the rank of each step among its scenario's, from 1: ranks agree
    with PRECEDES; where PRECEDES leaves the order open, they follow the mean position.
    """
    return [
        made_by(first_mentions(readers)),
        made_by(ORDERED_STEP),
        *(made_by(rule) for rule in PAIRS),
        made_by(PAIR),
        Step("kept_pair", ("kept_pair", "contradicted_pair"), tables_in(_CANDIDATES), _decide),
        Step("step_rank", ("step_rank",), tables_in(_KEPT) | tables_in(_PLACED), _rank),
    ]


def add_functions(engine: Engine) -> None:
    """Register ``longest_reach()`` for the rules."""
    engine.add_macro(f"longest_reach() AS {LONGEST_REACH}")


def by_group(batches: Iterable[pa.RecordBatch], key: str) -> Iterator[pa.Table]:
    """One table for each value of `key`, from rows that ascend by it."""
    waiting: list[Any] = []
    for batch in batches:
        values = batch[key].to_numpy()
        bounds = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
        for start, end in pairwise(bounds):
            if waiting and start < end and waiting[0][key][0].as_py() != values[start]:
                yield pa.Table.from_batches(waiting)
                waiting = []
            if start < end:
                waiting.append(batch.slice(start, end - start))
    if waiting:
        yield pa.Table.from_batches(waiting)


def topological_ranks(count: int, earlier: Iterable[int], later: Iterable[int], keys: Sequence[Any]) -> list[int]:
    """The rank, from 1, of each of `count` steps: after all steps that precede it, otherwise by its key."""
    following: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for first, second in zip(earlier, later, strict=True):
        following[first].append(second)
        missing[second] += 1
    ready = [(keys[step], step) for step in range(count) if not missing[step]]
    heapq.heapify(ready)
    ranks = [0] * count
    for rank in range(1, count + 1):
        _, step = heapq.heappop(ready)
        ranks[step] = rank
        for other in following[step]:
            missing[other] -= 1
            if not missing[other]:
                heapq.heappush(ready, (keys[other], other))
    return ranks
