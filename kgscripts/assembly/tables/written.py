"""What written scripts say of steps: names, importance, and which step must precede which."""

from __future__ import annotations

from kgscripts.assembly.engine import Rule
from kgscripts.assembly.step import Step, made_by

_RULES = (
    Rule(
        "written_step",
        "",
        """
        SELECT DISTINCT w.document, r.step, w.name, w.importance, w.start, w.before
        FROM written_step_record w JOIN realization r ON r.document = w.document AND r.start = w.start
        WHERE r.scenario > 0
        """,
    ),
    Rule(
        "written_pair",
        "",
        """
        SELECT DISTINCT a.document, a.step AS start, b.step AS "end"
        FROM (SELECT document, step, UNNEST(before) AS later FROM written_step) a
             JOIN written_step b ON b.document = a.document AND b.start = a.later
        WHERE a.step <> b.step
        """,
    ),
    Rule(
        "step_as_written",
        "",
        """
        SELECT step, arg_min(name, row(document, start)) AS name,
               CASE min(CASE importance WHEN 'essential' THEN 0 WHEN 'usual' THEN 1 ELSE 2 END)
                    WHEN 0 THEN 'essential' WHEN 1 THEN 'usual' ELSE 'optional' END AS importance
        FROM written_step GROUP BY step
        """,
    ),
)


def steps() -> list[Step]:
    """The tables `written_step`, `written_pair`, and `step_as_written`: the name of each step in the first script that
    has it, and its highest importance."""
    return [made_by(rule) for rule in _RULES]
