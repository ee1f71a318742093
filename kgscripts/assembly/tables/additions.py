"""Steps, tools, needs, orders and changes that people add: the statements of which corrections are evidence.

What a person adds is counted as nothing: it has the support of the sources that have it, also if there are none.
"""

from __future__ import annotations

import pyarrow as pa

from kgscripts.assembly.engine import Rule
from kgscripts.assembly.step import rules

_INTEGER = pa.int32()
_ENDS = (("correction", _INTEGER), ("start", _INTEGER), ("end", _INTEGER))

TABLES = {
    "added_action": (("correction", _INTEGER), ("scenario", _INTEGER), ("action", _INTEGER)),
    "added_words": (("scenario", _INTEGER), ("action", _INTEGER), ("words", pa.string())),
    "added_has_sub_event": _ENDS,
    "added_expressed_as": _ENDS,
    "added_uses": (*_ENDS, ("role", pa.string())),
    "added_needs": (*_ENDS, ("role", pa.string()), ("tool", _INTEGER), ("entity", _INTEGER)),
    "added_changes": (*_ENDS, ("entity", _INTEGER), ("attribute", _INTEGER)),
    "added_order": (("scenario", _INTEGER), *_ENDS),
    "rejected_order": (("start", _INTEGER), ("end", _INTEGER)),
}
"""The tables of this module and their columns; they are empty without corrections."""

RELATIONS = ("HAS_SUB_EVENT", "EXPRESSED_AS", "USES", "NEEDS", "CHANGES", "PRECEDES")
"""The relations that people add; ``added_<relation>`` has the number of the `correction`, `start` and `end`."""

_LATEST = 'arg_max(kind, correction) OVER (PARTITION BY start, "end") AS latest'
"""Of corrections that add or reject the same, the latest counts, also if they use other words for it."""

_STEP = """
    JOIN corrected_step s ON s.correction = c.correction AND s.side = 1
    JOIN step_total k ON k.key = s.step AND kept(k.support, k.added)
"""


def added_action(scenario_id: str) -> Rule:
    """The actions of steps that no text of their scenario tells. `scenario_id` is the SQL of a scenario's id from its
    `key`; `read_corrected_action` has the actions of texts that corrections name.

    If texts of other scenarios have an action with these words, it is taken.
    """
    return Rule(
        "added_action",
        f"""
        SELECT c.correction, s.scenario, arg_min(a.action, row(m.action IS NULL, a.place)) AS action
        FROM (SELECT *, scenario_key(scenario) AS key FROM correction WHERE kind = 'add' AND relation = '') c
             ANTI JOIN read_corrected_action r ON r.correction = c.correction
             JOIN scenario s ON s.id = {scenario_id}
             JOIN action a ON lower(a.label) = c.step
             LEFT JOIN (SELECT DISTINCT action FROM mention) m ON m.action = a.action
        GROUP BY c.correction, s.scenario
        """,
    )


def named_needs(scenario_id: str) -> Rule:
    """The needs that corrections name. `scenario_id` is the SQL of a scenario's id from its `key`.

    A thing that is added without a role is the tool of this name if there is one, else a supply.
    """
    return Rule(
        "named_needs",
        f"""
        WITH named AS (
            SELECT c.correction, c.kind, c.role, s.scenario AS start, n.needed AS "end", n.tool, n.entity
            FROM (SELECT *, scenario_key(scenario) AS key FROM correction WHERE relation = 'NEEDS') c
                 JOIN scenario s ON s.id = {scenario_id} JOIN needed n ON lower(n.label) = lower(thing(c.other))
            WHERE c.role = '' OR n.tool IS NOT NULL
        )
        SELECT *, {_LATEST}
        FROM (FROM named WHERE kind = 'reject'
              UNION ALL
              FROM named WHERE kind = 'add'
              QUALIFY row_number() OVER (PARTITION BY correction ORDER BY tool IS NULL, "end") = 1)
        """,
    )


RULES = (
    *rules(
        added_words="""
            SELECT a.scenario, a.action, arg_max(c.name, correction) AS words
            FROM added_action a JOIN correction c USING (correction) WHERE c.name <> '' GROUP BY a.scenario, a.action
            """,
        step_verdict="""
            SELECT s.step, arg_max(c.kind, correction) AS latest
            FROM found_corrected_step s JOIN correction c USING (correction)
            WHERE c.kind IN ('add', 'reject') AND c.relation = '' AND s.side = 1 GROUP BY s.step
            """,
        added_has_sub_event="""
            SELECT c.correction, t.scenario AS start, s.step AS "end"
            FROM corrected_step s JOIN correction c USING (correction) JOIN found_step t ON t.step = s.step
            WHERE c.kind = 'add' AND c.relation = '' AND s.side = 1
            """,
        added_expressed_as="""
            SELECT DISTINCT c.correction, s.step AS start, a.action AS "end"
            FROM corrected_action a JOIN correction c USING (correction)
                 JOIN step_of s ON s.scenario = a.scenario AND s.action = a.action
            WHERE c.kind = 'add' AND c.relation = '' AND a.side = 1
            """,
        named_uses=f"""
            SELECT *, {_LATEST}
            FROM (SELECT c.correction, c.kind, s.step AS start, arg_min(t.tool, t.label) AS "end", c.role
                  FROM correction c {_STEP} JOIN tool t ON lower(t.label) = lower(thing(c.other))
                  WHERE c.relation = 'USES' GROUP BY ALL)
            """,
        named_changes=f"""
            SELECT *, {_LATEST}
            FROM (SELECT c.correction, c.kind, s.step AS start, t.state_change AS "end", t.entity, t.attribute
                  FROM correction c {_STEP} JOIN added_change_name n ON n.correction = c.correction
                       JOIN state_change t ON t.entity_label = n.entity AND t.attribute_label = n.attribute
                            AND t.before = n.before AND t.after = n.after
                  UNION ALL
                  SELECT c.correction, c.kind, s.step, t.state_change, t.entity, t.attribute
                  FROM correction c {_STEP} JOIN state_change t ON lower(t.label) = lower(thing(c.other))
                  WHERE c.relation = 'CHANGES' AND c.kind = 'reject')
            """,
        named_order=f"""
            SELECT *, {_LATEST}
            FROM (SELECT c.correction, c.kind, t.scenario, s.step AS start, e.step AS "end"
                  FROM correction c {_STEP} JOIN corrected_step e ON e.correction = c.correction AND e.side = 2
                       JOIN step_total o ON o.key = e.step AND kept(o.support, o.added)
                       JOIN found_step t ON t.step = s.step
                  WHERE c.relation = 'PRECEDES' AND s.step <> e.step)
            """,
        added_order="""
            SELECT scenario, correction, start, "end" FROM named_order WHERE kind = 'add' AND latest = 'add'
            """,
        rejected_order="SELECT DISTINCT start, \"end\" FROM named_order WHERE latest = 'reject'",
    ),
    *(
        Rule(f"added_{name}", f"SELECT * EXCLUDE (kind, latest) FROM named_{name} WHERE 'add' = kind AND kind = latest")
        for name in ("uses", "needs", "changes")
    ),
)
"""What corrections add, from the steps that they name. The order that a correction asks for is `added_order`; the one
that does not contradict later corrections is `added_precedes` (`kgscripts.assembly.tables.order`)."""

OVERRULED = """
    SELECT correction FROM named_uses WHERE kind <> latest
    UNION SELECT correction FROM named_needs WHERE kind <> latest
    UNION SELECT correction FROM named_changes WHERE kind <> latest
    UNION SELECT correction FROM named_order WHERE kind <> latest
    UNION SELECT correction FROM added_order
    UNION
    SELECT s.correction FROM found_corrected_step s JOIN correction c USING (correction)
         JOIN step_verdict v ON v.step = s.step
    WHERE c.kind IN ('add', 'reject') AND c.relation = '' AND s.side = 1 AND c.kind <> v.latest
"""
"""SQL: the corrections that later ones contradict, if they are applied nowhere."""

CORRECTED = (
    "SELECT DISTINCT t.id, x.correction FROM added_needs x JOIN scenario t ON t.scenario = x.start",
    'SELECT DISTINCT t.id, x.correction FROM added_has_sub_event x JOIN named_step t ON t.step = x."end"',
    *(
        f"SELECT DISTINCT t.id, x.correction FROM added_{name} x JOIN named_step t ON t.step = x.start"
        for name in ("uses", "changes", "precedes")
    ),
)
"""SQL: the steps that are added, and the steps and scenarios to which something is added."""

THINGS = {
    "added_tool": 'SELECT "end" AS tool FROM added_uses UNION SELECT tool FROM added_needs',
    "added_entity": "SELECT entity FROM added_changes UNION SELECT entity FROM added_needs",
}
"""SQL: the tools and entities that are added."""
