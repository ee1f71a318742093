"""ALTERNATIVE_TO: two steps of a scenario, one of which is done instead of the other.

Two steps are alternatives if the actions that name them differ in one word that names a choice (``data/choices.txt``:
by bus, by car), if at most half as many sources have both as chance would give, and if they are at about the same place
in the script. Statistics alone cannot distinguish alternatives from two wordings of one step: both seldom occur in one
text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

import pyarrow as pa

from kgscripts.assembly.engine import Rule
from kgscripts.assembly.identity import ACTION_PARTS
from kgscripts.assembly.step import Step, Tables, made_by, tables_in
from kgscripts.assembly.tables.choices import ActionKey, are_the_same_choice, differ_in_a_choice, names_a_choice
from kgscripts.assembly.tables.order import by_group

LEAST_SOURCES = 2
MOST_STEPS = 300
"""At most this number of steps of a scenario, those with the most support, are compared with each other."""
FARTHEST = 0.25
"""The largest difference of the mean positions of both."""

_ACTIONS = f"""
    WITH usual AS (
        SELECT s.scenario, s.step, s.label
        FROM named_step s JOIN step_total t ON t.key = s.step JOIN step_usual u USING (step)
        WHERE u.usual AND t.support >= greatest(least_support(), {LEAST_SOURCES})
        QUALIFY row_number() OVER (PARTITION BY s.scenario ORDER BY t.support DESC, s.step) <= {MOST_STEPS}
    )
    SELECT r.scenario, c.label, r.step, {", ".join(f"a.{part}" for part in ACTION_PARTS)}
    FROM (SELECT DISTINCT scenario, step, action FROM realization JOIN usual USING (scenario, step)) r
         JOIN usual u USING (step) JOIN action a USING (action) JOIN scenario c ON c.scenario = r.scenario
    WHERE u.label IN (a.label, concat_ws(' ', a.predicate, nullif(a.particle, ''), nullif(a.object, '')))
    ORDER BY r.scenario, r.step, r.action
"""

_CANDIDATE = pa.schema([("scenario", pa.int32()), ("start", pa.int32()), ("end", pa.int32())])

_PAIRS = Rule(
    "alternative_pair",
    "",
    f"""
    SELECT c.scenario, c.start, c."end", coalesce(b."both", 0) AS "both"
    FROM alternative_candidate c
         LEFT JOIN (SELECT c.start, c."end", count(*) AS "both"
                    FROM alternative_candidate c JOIN ordered_mention x ON x.step = c.start
                         JOIN ordered_mention y ON y.step = c."end" AND y.document = x.document
                    GROUP BY ALL) b ON b.start = c.start AND b."end" = c."end"
         JOIN has_sub_event_counted s ON s."end" = c.start JOIN has_sub_event_counted e ON e."end" = c."end"
         JOIN scenario_total n ON n.key = c.scenario
    WHERE 2 * coalesce(b."both", 0) * n.support <= s.support * e.support
          AND abs(s.mean_position - e.mean_position) <= {FARTHEST}
    """,
)
"""The candidates that few sources have together; `ordered_mention` has the first mentions of steps."""


def _find_candidates(tables: Tables) -> None:
    found: list[tuple[int, int, int]] = []
    for actions in by_group(tables.rows(_ACTIONS), "scenario"):
        told: dict[int, list[ActionKey]] = {}
        # Who goes by train has chosen.
        chosen = set(actions["label"][0].as_py().split())
        parts = zip(*(actions[part].to_pylist() for part in ACTION_PARTS), strict=True)
        for step, action in zip(actions["step"].to_pylist(), parts, strict=True):
            if not names_a_choice(action):
                continue
            if not any(are_the_same_choice(word, other) for word in action for other in chosen):
                told.setdefault(step, []).append(action)
        scenario = actions["scenario"][0].as_py()
        found += [(scenario, *pair) for pair in alternative_steps(told)]
    columns = {name: pa.array([row[place] for row in found], pa.int32()) for place, name in enumerate(_CANDIDATE.names)}
    tables.add("alternative_candidate", pa.table(columns, _CANDIDATE))


def steps() -> list[Step]:
    """The table `alternative_pair`: scenario, start, end (steps by ascending number), number of sources with both."""
    made = ("alternative_candidate",)
    return [Step(*made, made, tables_in(_ACTIONS), _find_candidates), made_by(_PAIRS)]


def alternative_steps(told: Mapping[int, Collection[ActionKey]]) -> Iterator[tuple[int, int]]:
    """The pairs of steps, by ascending number, that differ in a choice; `told` has the actions that name each step.

    Time grows with the square of the number of steps, so that actions without a choice are best left out.
    """
    for one, other in combinations(sorted(told), 2):
        if any(differ_in_a_choice(first, second) for first in told[one] for second in told[other]):
            yield one, other
