"""Scenarios with several names: names of the same activity are one scenario."""

from __future__ import annotations

import pyarrow as pa

from kgscripts.assembly.engine import Engine, Rule
from kgscripts.assembly.step import Step, made_by, rows, view
from kgscripts.titles.keys import title_key
from schemas.scenario_documents import concept_scheme

NUMBERS = Rule(
    "scenario",
    "",
    # Scenario 0 means none.
    """
    SELECT row_number() OVER (ORDER BY id)::INTEGER AS scenario, *
    FROM (SELECT label, identifier('scenario', slug(key), part('Scenario') || part(key)) AS id,
                 coalesce(list(name ORDER BY name) FILTER (WHERE name <> label), []) AS other_names
          FROM scenario_name GROUP BY key, label)
    """,
)
"""The scenarios, numbered by ascending id. The id follows from the key, so that another name changes the label only."""

_NAMES = (
    Rule(
        "scenario_title",
        "name",
        """
        SELECT scenario AS name, scenario_key(scenario) AS key, count(DISTINCT document) AS support
        FROM segment_told WHERE mine(scenario) GROUP BY scenario
        """,
    ),
    # The label is the listed name, else the most frequent one, among equally frequent ones the shortest.
    Rule(
        "scenario_name",
        "",
        """
        SELECT name, key, CASE WHEN key IN (SELECT label FROM listed_scenario) THEN key
                          ELSE first_value(name) OVER (PARTITION BY key ORDER BY support DESC, length(name), name)
                          END AS label
        FROM scenario_title
        """,
    ),
)


def _listed() -> pa.Table:
    return pa.table({"label": sorted(concept.label for concept in concept_scheme())})


def add_functions(engine: Engine) -> None:
    """Register ``scenario_key(name)`` for the rules, the key that all names of one activity share, and
    ``activity_key(words)``, which is the same for a listed scenario and for an action that names it."""
    listed = {concept.label for concept in concept_scheme()}

    def scenario_key(name: str) -> str:
        return name if name in listed else title_key(name) or name

    engine.add_function("scenario_key", scenario_key, ["VARCHAR"], "VARCHAR")
    engine.add_function("activity_key", title_key, ["VARCHAR"], "VARCHAR")


def steps() -> list[Step]:
    """The table `scenario_name`, names of scenarios with key and label, and segments with labels instead of names."""
    return [
        rows("listed_scenario", _listed),
        *(made_by(rule) for rule in _NAMES),
        view(
            "segment_record",
            "SELECT r.* REPLACE (n.label AS scenario) FROM segment_told r JOIN scenario_name n ON n.name = r.scenario",
        ),
    ]
