"""HAS_SUB_EVENT.optional: whether sources that have the neighbours of a step often lack the step."""

from __future__ import annotations

from kgscripts.assembly.engine import Rule
from kgscripts.assembly.step import Step, made_by

_REACH = 3
"""A neighbour is at most this number of steps before or after the step in a source."""

_NEIGHBOUR_PART = Rule(
    "neighbour_part",
    "document",
    f"""
    SELECT DISTINCT a.scenario, a.step, b.step AS neighbour, b.place < a.place AS before
    FROM ordered_mention a JOIN ordered_mention b ON b.document = a.document AND b.scenario = a.scenario
         AND b.place <> a.place AND b.place BETWEEN a.place - {_REACH} AND a.place + {_REACH}
    WHERE in_partition(a.document) AND in_partition(b.document)
    """,
)

_NEIGHBOURS = Rule(
    "neighbours",
    "scenario",
    """
    SELECT scenario, step, arg_min(neighbour, row(-support, neighbour)) FILTER (WHERE before) AS previous,
           arg_min(neighbour, row(-support, neighbour)) FILTER (WHERE NOT before) AS next
    FROM neighbour_part JOIN step_total t ON t.key = neighbour WHERE mine(scenario) GROUP BY scenario, step
    """,
)

_CHANCES = Rule(
    "chance_part",
    "document",
    """
    SELECT n.step, count(*) AS chances, count(o.step) AS told
    FROM neighbours n
         JOIN ordered_mention x ON x.scenario = n.scenario AND x.step = coalesce(n.previous, n.next)
         JOIN ordered_mention y ON y.scenario = n.scenario AND y.step = coalesce(n.next, n.previous)
              AND y.document = x.document AND y.place >= x.place
         LEFT JOIN ordered_mention o ON o.scenario = n.scenario AND o.step = n.step AND o.document = x.document
    WHERE in_partition(x.document) AND in_partition(y.document)
    GROUP BY n.step
    """,
)

_OPTIONAL = Rule(
    "step_optional",
    "",
    """
    SELECT s.step, coalesce(2 * told < chances, false) AS optional
    FROM named_step s
         LEFT JOIN (SELECT step, sum(told) AS told, sum(chances) AS chances FROM chance_part GROUP BY step) c
         USING (step)
    WHERE s.scenario > 0
    """,
)


def steps() -> list[Step]:
    """The table `step_optional`: step and whether it is optional.

    The neighbours of a step are the most supported step before it and the most supported one after it, at most three
    places away in some source. The step is optional if fewer than half of the sources that have both neighbours in this
    order have the step.
    """
    return [made_by(rule) for rule in (_NEIGHBOUR_PART, _NEIGHBOURS, _CHANCES, _OPTIONAL)]
