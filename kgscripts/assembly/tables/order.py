"""PRECEDES: the order of a scenario's steps, from the order in which its sources first mention them.

A pair gets the order that most sources have, if this order is likely enough, given their number and the order of all
other steps (`kgscripts.assembly.tables.order_estimates`). Pairs are ranked (Tideman 1987): they are added in order of
decreasing evidence. A pair that contradicts earlier pairs is dropped, so that the result has no cycle. A pair that
follows from earlier pairs is left out, so that the result stays small: there is a path for it, and each relation of the
path has at least as much evidence. Orders that people give come before all pairs, the latest first, and are never left
out for following from others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kgscripts.assembly.engine import Engine, Rule
from kgscripts.assembly.step import Step, Tables, made_by, tables_in
from kgscripts.assembly.tables.order_estimates import LEAST_PER_MILLE, estimated_order
from kgscripts.assembly.tables.order_ranking import Verdict, positions_of, rank_pairs, topological_ranks

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
    FROM pair_part p WHERE mine(p.scenario) GROUP BY ALL
    """,
)

# Pairs whose order people decide are left out.
_CANDIDATES = """
    SELECT p.scenario, CASE WHEN forwards > backwards THEN one ELSE other END AS start,
           CASE WHEN forwards > backwards THEN other ELSE one END AS "end",
           greatest(forwards, backwards) AS support, least(forwards, backwards) AS against,
           CASE WHEN forwards > backwards THEN y.mean_position - x.mean_position
                ELSE x.mean_position - y.mean_position END AS distance
    FROM pair p JOIN has_sub_event_counted x ON x."end" = one JOIN has_sub_event_counted y ON y."end" = other
         ANTI JOIN (SELECT start, "end" FROM rejected_order UNION ALL SELECT start, "end" FROM added_order) r
         ON one = least(r.start, r."end") AND other = greatest(r.start, r."end")
    WHERE greatest(forwards, backwards) >= least_support()
    ORDER BY p.scenario, 2, 3
"""

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
    tables.add("kept_pair", pa.concat_tables(kept))
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
    'SELECT a.correction, a.start, a."end" FROM added_order a JOIN kept_pair k USING (start, "end")',
)
"""The orders that people give and no later ones contradict."""

_KEPT = 'SELECT scenario, start, "end" FROM kept_pair ORDER BY scenario'
_PLACED = """
    SELECT s.scenario, s.step, h.mean_position
    FROM named_step s JOIN step_total t ON t.key = s.step LEFT JOIN has_sub_event_counted h ON h."end" = s.step
    WHERE s.scenario > 0 AND kept(t.support, t.added) ORDER BY s.scenario, s.step
"""


def _rank(tables: Tables) -> None:
    kept = by_group(tables.table(_KEPT).to_batches(), "scenario")
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


def steps(readers: Sequence[int]) -> list[Step]:
    """The order of the steps of each scenario.

    `kept_pair` and `contradicted_pair` (pairs that better evidence contradicts) have the columns scenario, start, end,
    support and against. Pairs with too little support are not considered. If both orders of a pair are about equally
    likely, its order stays open. `added_precedes` has the orders of corrections. `step_rank` has the rank of each step
    among its scenario's, from 1: ranks agree with PRECEDES; where PRECEDES leaves the order open, they follow the
    `position`, the mean position.
    """
    return [
        made_by(first_mentions(readers)),
        made_by(ORDERED_STEP),
        *(made_by(rule) for rule in PAIRS),
        made_by(PAIR),
        Step("kept_pair", ("kept_pair", "contradicted_pair"), tables_in(_CANDIDATES) | tables_in(_GIVEN), _decide),
        made_by(_ADDED),
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
