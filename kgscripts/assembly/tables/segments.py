"""The segments of the texts, and the mentions of each scenario."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.assembly.engine import Rule
from kgscripts.typicality.vague_words import listed

NAMESAKE = Rule(
    "namesake",
    "",
    f"""
    SELECT s.scenario, a.action FROM
        (SELECT action, activity_key(label) AS key FROM action WHERE predicate IN ({listed("activity")})) a
        JOIN (SELECT scenario, activity_key(label) AS key FROM scenario) s USING (key)
    """,
)
"""The actions that name a whole scenario and are no step of it: "have barbecue" in *having a barbecue*."""


def segment_rules(readers: Sequence[int]) -> tuple[Rule, ...]:
    """The scenarios of each text, and the mentions of each scenario with their positions in the text. ``about_N`` is
    the confidence of reader N in the scenario, NULL if it did not find it.
    """
    by_reader = "".join(f", max(r.confidence) FILTER (WHERE r.reader = {item}) AS about_{item}" for item in readers)
    highest = "".join(f", max(s.about_{item}) AS about_{item}" for item in readers)
    return (
        Rule(
            "segment",
            "document",
            f"""
            SELECT r.document, r.start, r."end", s.scenario, max(r.confidence) AS confidence{by_reader}
            FROM segment_record r JOIN scenario s ON s.label = r.scenario WHERE in_partition(r.document)
            GROUP BY r.document, r.start, r."end", s.scenario
            """,
        ),
        # A mention belongs to the scenarios of the segments in which it starts; to scenario 0 outside of segments. One
        # that names the whole scenario is no occurrence in it.
        Rule(
            "occurrence",
            "document",
            f"""
            SELECT *, relative_position(row_number() OVER mentions - 1, count(*) OVER scenario_of) AS position
            FROM (SELECT m.mention, m.document, coalesce(s.scenario, 0) AS scenario, m.action, m.start,
                         m."end"{highest}
                  FROM mention m LEFT JOIN segment s
                  ON s.document = m.document AND m.start >= s.start AND m.start < s."end"
                       ANTI JOIN namesake n ON n.scenario = s.scenario AND n.action = m.action
                  WHERE in_partition(m.document)
                  GROUP BY m.mention, m.document, s.scenario, m.action, m.start, m."end")
            WINDOW mentions AS (PARTITION BY document, scenario ORDER BY mention),
                   scenario_of AS (PARTITION BY document, scenario)
            """,
        ),
    )
