"""Corrections of what is counted: rejected relations, roles of tools, names of steps and things."""

from __future__ import annotations

from kgscripts.assembly.counting import Relation
from kgscripts.assembly.engine import Engine

_BOTH_WAYS = ("ALTERNATIVE_TO", "CLOSE_MATCH")

_CORRECTED_MATCH = """
    CREATE OR REPLACE TABLE corrected_match AS
    SELECT c.correction, s.scenario
    FROM (SELECT correction, scenario_key(other) AS key FROM correction WHERE relation = 'CLOSE_MATCH') c
         JOIN scenario s ON s.id = identifier('scenario', slug(key), part('Scenario') || part(key))
"""


def reject(engine: Engine, relation: Relation) -> None:
    """Delete the relations of a type that corrections reject.

    A relation of a step ends at another step of its scenario or at a thing with a name. A CLOSE_MATCH is named by the
    other scenario. Relations that hold both ways are found from both ends.
    """
    ways = [("start", "end"), ("end", "start")] if relation.name in _BOTH_WAYS else [("start", "end")]
    if relation.name == "CLOSE_MATCH":
        engine.execute(_CORRECTED_MATCH)
    engine.execute(
        'CREATE OR REPLACE TABLE rejected_relation (correction INTEGER, step INTEGER, start INTEGER, "end" INTEGER)'
    )
    for own, other in ways:
        engine.execute(
            f"""
            INSERT INTO rejected_relation
            SELECT DISTINCT c.correction, s.step, r.start, r."end"
            FROM {relation.table} r
                 JOIN corrected_step s ON s.step = r."{own}" AND s.side = 1
                 JOIN correction c ON c.correction = s.correction AND c.relation = '{relation.name}'
                 {_other_end(relation, other)}
            """
        )
    engine.execute(
        f'DELETE FROM {relation.table} r USING rejected_relation x WHERE r.start = x.start AND r."end" = x."end"'
    )
    engine.execute(
        "INSERT INTO corrected SELECT DISTINCT t.id, x.correction FROM rejected_relation x JOIN step t USING (step)"
    )


def _other_end(relation: Relation, other: str) -> str:
    """SQL: what joins the end that a correction names."""
    if relation.name == "CLOSE_MATCH":
        return f"""
            JOIN step e ON e.step = r."{other}"
            JOIN corrected_match m ON m.correction = c.correction AND m.scenario = e.scenario
        """
    if relation.end == "step":
        return f'JOIN corrected_step o ON o.correction = c.correction AND o.side = 2 AND o.step = r."{other}"'
    return f'JOIN {relation.end} e ON e.{relation.end} = r."end" AND lower(e.label) = lower(thing(c.other))'


def give_roles(engine: Engine) -> None:
    """The latest correction of a tool's role in a step counts, else the latest of its role everywhere."""
    engine.execute(
        """
        CREATE TABLE given_role AS
        SELECT u.start, u."end", c.correction, c.step <> '' AS in_step, c.role
        FROM uses u JOIN tool t ON t.tool = u."end"
             JOIN correction c ON c.kind = 'tool role' AND lower(thing(c.thing)) = lower(t.label)
             LEFT JOIN corrected_step s ON s.correction = c.correction AND s.side = 1 AND s.step = u.start
        WHERE c.step = '' OR s.step IS NOT NULL
        """
    )
    engine.execute(
        """
        UPDATE uses SET role = g.role
        FROM (SELECT start, "end", arg_max(role, row(in_step, correction)) AS role FROM given_role
              GROUP BY start, "end") g
        WHERE g.start = uses.start AND g."end" = uses."end"
        """
    )
    engine.execute(
        """
        INSERT INTO corrected
        SELECT DISTINCT CASE WHEN g.in_step THEN s.id ELSE t.id END, g.correction
        FROM given_role g JOIN step s ON s.step = g.start JOIN tool t ON t.tool = g."end"
        """
    )


def give_names(engine: Engine) -> None:
    """Give steps the label of their latest correction, and note which tools and entities have several names."""
    engine.execute(
        """
        UPDATE step SET label = n.name
        FROM (SELECT s.step, arg_max(c.name, c.correction) AS name
              FROM corrected_step s JOIN correction c USING (correction) WHERE c.kind = 'rename' GROUP BY s.step) n
        WHERE n.step = step.step
        """
    )
    for name in ("tool", "entity"):
        engine.execute(
            f"""
            INSERT INTO corrected
            SELECT n.id, c.correction FROM correction c JOIN {name} n ON lower(n.label) = lower(thing(c.thing))
            WHERE c.kind = 'same thing'
            """
        )
