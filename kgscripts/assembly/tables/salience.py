"""HAS_SUB_EVENT.usual, .essential, .optional and .salience_rank: the steps of the usual script, and their importance.

The salience of a step is the number of its sources, times the cube of its typicality, times a weight for how specific
the action of its label is. A source that words the step in another way than its label counts a quarter, since it may
mean something else. Salience is an integer, so that ties are the same on every machine.
"""

from __future__ import annotations

from kgscripts.assembly.engine import Rule
from kgscripts.typicality.importance import shipped_importance
from kgscripts.typicality.vague_words import listed
from kgscripts.typicality.weights import shipped_weights

COMMON_PER_CENT, LEAST_TOLD = 40, 3
"""A step that this share of the sources tells, and at least this number, is common: usual whatever its typicality. An
essential step comes first if at least this number tells it."""


def usual_steps() -> Rule:
    """The table `step_usual`: for each step of a scenario whether it is `usual`, `essential`, `optional`, or to come
    `first`.
    """
    important = shipped_importance()
    return Rule(
        "step_usual",
        "scenario",
        f"""
        WITH told AS (
            SELECT step, count(DISTINCT document) AS told
            FROM realization WHERE scenario > 0 AND mine(scenario) GROUP BY step
        ), sources AS (
            SELECT scenario, count(DISTINCT document) AS sources FROM segment WHERE mine(scenario) GROUP BY scenario
        )
        SELECT s.step,
               coalesce(told >= {LEAST_TOLD} AND 100 * told >= {COMMON_PER_CENT} * sources, false) AS common,
               coalesce(y.essential_probability >= {important.least_essential}, false) AS essential,
               common OR coalesce(essential AND told >= {LEAST_TOLD}, false) AS first,
               NOT essential AND coalesce(y.optional_probability >= {important.least_optional}, false) AS optional,
               common OR essential OR coalesce(y.typicality, 1) >= {shipped_weights().usual}
                      OR s.step IN (SELECT "end" FROM added_has_sub_event) AS usual
        FROM named_step s LEFT JOIN step_typicality y USING (step) LEFT JOIN told t ON t.step = s.step
             LEFT JOIN sources n ON n.scenario = s.scenario
        WHERE s.scenario > 0 AND mine(s.scenario)
        """,
    )


def salience_ranks() -> Rule:
    """The table `step_salience_rank`: the `salience_rank` of each step among the scenario's that the graph has.

    Steps that a person added come first, then common and essential ones, and then other usual ones, each ordered by
    salience; among equal ones the earlier comes first. `step` holds the labels of the graph, `has_sub_event` and
    `expressed_as` the relations after corrections.
    """
    return Rule(
        "step_salience_rank",
        "scenario",
        f"""
        WITH verbatim AS (
            SELECT x.start AS step, arg_max(x.support, x."end") AS support, arg_max({_says()}, x."end") AS says
            FROM expressed_as x JOIN step s ON s.step = x.start JOIN action a ON a.action = x."end"
            WHERE a.label = s.label AND kept(x.support, x.added) AND s.scenario > 0 AND mine(s.scenario)
            GROUP BY x.start
        ), known AS (
            SELECT h.start AS scenario, h."end" AS step, h.mean_position, u.usual, u.first, h.added, h.support,
                   coalesce(v.support, h.support) AS verbatim, coalesce(v.says, 6) AS says,
                   round(10000 * coalesce(y.typicality, 1))::HUGEINT AS typicality
            FROM has_sub_event h JOIN step_usual u ON u.step = h."end"
                 LEFT JOIN step_typicality y ON y.step = h."end" LEFT JOIN verbatim v ON v.step = h."end"
            WHERE kept(h.support, h.added) AND mine(h.start)
        )
        SELECT step, row_number() OVER (
                   PARTITION BY scenario
                   ORDER BY added DESC, first DESC, usual DESC,
                            (3 * verbatim + support) * typicality * typicality * typicality * says DESC,
                            mean_position, step
               ) AS salience_rank
        FROM known
        """,
    )


def _says() -> str:
    """SQL: how specific an action is, in sixths. A verb alone counts a third; a verb with a particle, or a verb such as
    "put" with an object and no place, counts half.
    """
    return f"""
        CASE WHEN a.preposition <> '' THEN 6
             WHEN a.object IN ('', {listed("object")}) THEN CASE WHEN a.particle <> '' THEN 3 ELSE 2 END
             WHEN a.particle = '' AND a.predicate IN ({listed("verb")}) THEN 3
             ELSE 6 END
    """
