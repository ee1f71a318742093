"""Scenarios by several names: names of the same activity are one scenario."""

from __future__ import annotations

import pyarrow as pa

from kgscripts.assembly.engine import Engine, Rule
from kgscripts.titles.keys import title_key
from schemas.scenario_scheme import concept_scheme

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
"""The scenarios, numbered by ascending id. The key makes the id, so that another name changes the label only."""

_NAMES = (
    Rule(
        "scenario_title",
        "name",
        """
        SELECT scenario AS name, scenario_key(scenario) AS key, count(DISTINCT document) AS support
        FROM segment_name_record WHERE mine(scenario) GROUP BY scenario
        """,
    ),
    # The most frequent name of a scenario is its label, else the shortest; a listed scenario has the listed one.
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


def merge_titles(engine: Engine) -> None:
    """Make `scenario_name`: the names of scenarios, with the key and the label of each.

    Segments have the label in place of the name from then on.
    """
    listed = {concept.label for concept in concept_scheme()}

    def scenario_key(name: str) -> str:
        return name if name in listed else title_key(name) or name

    engine.add_function("scenario_key", scenario_key, ["VARCHAR"], "VARCHAR")
    engine.add("listed_scenario", pa.table({"label": sorted(listed)}))
    engine.execute("ALTER VIEW segment_record RENAME TO segment_name_record")
    for rule in _NAMES:
        engine.run(rule)
    engine.execute(
        "CREATE VIEW segment_record AS SELECT r.* REPLACE (n.label AS scenario) "
        "FROM segment_name_record r JOIN scenario_name n ON n.name = r.scenario"
    )
