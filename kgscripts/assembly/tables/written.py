"""What written scripts say of steps: names, importance, conditions, and which step must precede or replaces which."""

from __future__ import annotations

from kgscripts.assembly.step import Step, made_by, rules

WRITTEN = ("wordings", "conditions", "variants", "left_out_of", "parts")
"""What scripts say of a step in lists of words."""


def _in_order(name: str) -> str:
    """SQL: the members of the lists of a column, those of the first script first, each once."""
    every = f"flatten(list({name} ORDER BY document, start))"
    return f"list_filter({every}, lambda item, place: list_position({every}, item) = place)"


_RULES = rules(
    written_step=f"""
        SELECT DISTINCT w.document, r.scenario, r.step, w.name, w.importance, w.start, w.before, w.instead_of,
               {", ".join(f"w.{name}" for name in WRITTEN)}
        FROM written_step_record w JOIN realization r ON r.document = w.document AND r.start = w.start
        WHERE r.scenario > 0
        """,
    written_pair="""
        SELECT DISTINCT a.document, a.scenario, a.step AS start, b.step AS "end"
        FROM (SELECT document, scenario, step, UNNEST(before) AS later FROM written_step) a
             JOIN written_step b ON b.document = a.document AND b.start = a.later
        WHERE a.step <> b.step
        """,
    # The steps of the first script one after the other, without those of its variants, which stand behind them.
    written_sequence="""
        SELECT scenario, step AS start, next AS "end" FROM (
            SELECT scenario, step, lead(step) OVER (PARTITION BY scenario, document ORDER BY start) AS next
            FROM written_step WHERE len(variants) = 0
            QUALIFY document = min(document) OVER (PARTITION BY scenario))
        WHERE step <> next
        """,
    written_alternative="""
        SELECT DISTINCT a.scenario, least(a.step, b.step) AS start, greatest(a.step, b.step) AS "end"
        FROM written_step a JOIN written_step b ON b.document = a.document AND b.start = a.instead_of
        WHERE a.step <> b.step AND a.scenario = b.scenario
        """,
    step_as_written=f"""
        SELECT step, arg_min(name, row(document, start)) AS name,
               CASE min(CASE importance WHEN 'essential' THEN 0 WHEN 'usual' THEN 1 ELSE 2 END)
                    WHEN 0 THEN 'essential' WHEN 1 THEN 'usual' ELSE 'optional' END AS importance,
               {", ".join(f"{_in_order(name)} AS {name}" for name in WRITTEN)}
        FROM written_step GROUP BY step
        """,
    written_name="""
        SELECT scenario, list(DISTINCT name ORDER BY name) AS names
        FROM (SELECT DISTINCT s.scenario, UNNEST(w.also) AS name
              FROM written_script_record w JOIN written_step s USING (document))
        GROUP BY scenario
        """,
)


def steps() -> list[Step]:
    """The tables `written_step`, `written_pair`, `written_alternative`; `step_as_written`, the name of each step in the
    first script that has it, its highest importance, and all else that scripts say of it; and `written_name`, the
    other names of scenarios."""
    return [made_by(rule) for rule in _RULES]
