"""PRECEDES: the order of a scenario's steps, from the order in which its sources first mention them.

Steps get ranks first. A pair gets the order that most sources have, if this order is likely enough, given their number
and the order of all other steps (`kgscripts.assembly.tables.order_estimates`). Pairs are ranked (Tideman 1987): they
are added in order of decreasing evidence. A pair that contradicts earlier pairs is dropped, so that the result has no
cycle. Orders that people give come before all pairs, the latest first.

PRECEDES has fewer pairs: those that agree with the ranks, and that all sources with both tell in this order, or so many
that it is no chance (`LEAST_BOUND`). Others are left open: they can be done in any order. A pair that follows from
pairs with at least as much evidence is left out, so that the result stays small, unless people give it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgscripts.assembly.engine import Rule
from kgscripts.assembly.step import Step, Tables, made_by, tables_in
from kgscripts.assembly.tables import order_pairs
from kgscripts.assembly.tables.order_estimates import LEAST_PER_MILLE, estimated_order
from kgscripts.assembly.tables.order_ranking import Verdict, positions_of, rank_pairs, topological_ranks
from kgscripts.wilson import lower_bounds

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


# Pairs whose order people decide are left out.
_CANDIDATE = Rule(
    "order_candidate",
    "scenario",
    """
    SELECT p.scenario, CASE WHEN forwards > backwards THEN one ELSE other END AS start,
           CASE WHEN forwards > backwards THEN other ELSE one END AS "end",
           greatest(forwards, backwards) AS support, least(forwards, backwards) AS against,
           CASE WHEN forwards > backwards THEN y.mean_position - x.mean_position
                ELSE x.mean_position - y.mean_position END AS distance, s.one IS NOT NULL AS shared
    FROM pair p LEFT JOIN sharing_pair s USING (scenario, one, other)
         JOIN has_sub_event_counted x ON x."end" = one JOIN has_sub_event_counted y ON y."end" = other
         ANTI JOIN (SELECT start, "end" FROM rejected_order UNION ALL SELECT start, "end" FROM added_order) r
         ON one = least(r.start, r."end") AND other = greatest(r.start, r."end")
    WHERE greatest(forwards, backwards) >= least_support() AND mine(p.scenario)
    """,
)
_CANDIDATES = 'FROM order_candidate ORDER BY scenario, start, "end"'

_GIVEN = """
    SELECT g.scenario, g.start, g."end",
           coalesce(CASE WHEN g.start = one THEN forwards ELSE backwards END, 0) AS support,
           coalesce(CASE WHEN g.start = one THEN backwards ELSE forwards END, 0) AS against
    FROM (SELECT scenario, start, "end", max(correction) AS correction FROM added_order GROUP BY ALL) g
         LEFT JOIN pair p ON p.scenario = g.scenario AND one = least(g.start, g."end")
              AND other = greatest(g.start, g."end")
    ORDER BY g.scenario, correction DESC, start, "end"
"""
"""The orders that people give, the latest first, with what the sources say."""


def _decide(tables: Tables) -> None:
    kept = [_PAIR_COLUMNS.empty_table()]
    contradicted = [_PAIR_COLUMNS.empty_table()]
    given = {pairs["scenario"][0].as_py(): pairs for pairs in by_group(tables.table(_GIVEN).to_batches(), "scenario")}
    for pairs in by_group(tables.rows(_CANDIDATES), "scenario"):
        both = np.concatenate([pairs[end].to_numpy() for end in _ENDS])
        earlier, later = np.split(np.unique(both, return_inverse=True)[1], 2)
        likely = estimated_order(earlier, later, pairs["support"].to_numpy(), pairs["against"].to_numpy())
        decided = pa.array(pairs["support"].to_numpy() > pairs["against"].to_numpy())
        decided = pc.and_(decided, pa.array(likely >= LEAST_PER_MILLE))
        _rank_of_scenario(given.pop(pairs["scenario"][0].as_py(), None), pairs.filter(decided), kept, contradicted)
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
    both = np.concatenate([pairs[end].to_numpy() for end in _ENDS])
    earlier, later = np.split(np.unique(both, return_inverse=True)[1], 2)
    support, against = (pairs[name].to_numpy() for name in ("support", "against"))
    verdicts = rank_pairs(earlier, later, support, against, distance, first)
    kept.append(pairs.filter(pa.array(verdicts == Verdict.KEPT)))
    contradicted.append(pairs.slice(first).filter(pa.array(verdicts[first:] == Verdict.CONTRADICTED)))


_ADDED = Rule(
    "added_precedes",
    "",
    'SELECT a.correction, a.start, a."end" FROM added_order a JOIN ranked_pair k USING (start, "end")',
)
"""The orders that people give and no later ones contradict."""

_RANKED = 'SELECT scenario, start, "end" FROM ranked_pair ORDER BY scenario'
_PLACED = """
    SELECT s.scenario, s.step, h.mean_position
    FROM named_step s JOIN step_total t ON t.key = s.step LEFT JOIN has_sub_event_counted h ON h."end" = s.step
    WHERE s.scenario > 0 AND kept(t.support, t.added) ORDER BY s.scenario, s.step
"""


def _rank(tables: Tables) -> None:
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
    SELECT k.*, 0.0 AS distance, false AS shared, true AS given
    FROM ranked_pair k SEMI JOIN added_precedes USING (start, "end")
    ORDER BY scenario, given DESC, start, "end"
"""


def _keep(tables: Tables) -> None:
    """Make `kept_pair`: what people give, and of the pairs that agree with the ranks the sure ones."""
    found = [_KEPT_COLUMNS.empty_table()]
    for pairs in by_group(tables.rows(_TOLD), "scenario"):
        support, against = (pairs[name].to_numpy() for name in _NUMBERS)
        given, shared = (pairs[name].to_numpy() for name in ("given", "shared"))
        lower = lower_bounds(support, support + against)
        sure = (support > against) & ((against == 0) | (lower >= np.where(shared, LEAST_SHARED_BOUND, LEAST_BOUND)))
        required = given | (lower >= np.where(shared, REQUIRED_SHARED_BOUND, REQUIRED_BOUND))
        pairs = pairs.append_column("lower", pa.array(lower / 1000)).append_column("required", pa.array(required))
        pairs = pairs.select([*_KEPT_COLUMNS.names, "distance"]).filter(pa.array(given | sure))
        both = np.concatenate([pairs[end].to_numpy() for end in _ENDS])
        earlier, later = np.split(np.unique(both, return_inverse=True)[1], 2)
        support, against, distance = (pairs[name].to_numpy() for name in (*_NUMBERS, "distance"))
        verdicts = rank_pairs(earlier, later, support, against, distance, int(given.sum()))
        kept = pairs.filter(pa.array(verdicts == Verdict.KEPT))
        found.append(kept.select(_KEPT_COLUMNS.names).cast(_KEPT_COLUMNS))
    tables.add("kept_pair", pa.concat_tables(found))


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
        made_by(_CANDIDATE),
        Step("ranked_pair", ("ranked_pair", "contradicted_pair"), tables_in(_CANDIDATES) | tables_in(_GIVEN), _decide),
        made_by(_ADDED),
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
            if waiting and start < end and waiting[0][key][0].as_py() != values[start]:
                yield pa.Table.from_batches(waiting)
                waiting = []
            if start < end:
                waiting.append(batch.slice(start, end - start))
    if waiting:
        yield pa.Table.from_batches(waiting)
