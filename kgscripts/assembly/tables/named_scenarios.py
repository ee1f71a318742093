"""The scenarios that labels and titles name, which an enricher offers to the texts without a label, and the segments
of all texts.

What labels and titles give is read by the extractor `labels`, what is detected by `scenarios`.
"""

from __future__ import annotations

from kgscripts.assembly.engine import Rule
from kgscripts.assembly.step import Step, made_by, view

MOST_OFFERED = 1_000
"""At most this number of scenarios are offered, those that most texts name."""

_GIVEN = """
    WITH given AS (
        SELECT s.document, s.scenario FROM segment_as_read s JOIN extractor x USING (reader) WHERE x.name = 'labels'
    )
    SELECT * FROM given
         JOIN (SELECT scenario, scenario_key(scenario) AS key FROM (SELECT DISTINCT scenario FROM given))
         USING (scenario)
"""
_DETECTED = "SELECT s.* FROM segment_as_read s JOIN extractor x USING (reader) WHERE x.name = 'scenarios'"

# The listed scenarios are not offered, since they are detected without it.
_OFFERED = f"""
    SELECT (row_number() OVER (ORDER BY key) - 1)::INTEGER AS offered, key, name
    FROM (SELECT key, min(scenario) AS name FROM given_segment
          WHERE key NOT IN (SELECT label FROM listed_scenario) GROUP BY key
          ORDER BY count(DISTINCT document) DESC, key LIMIT {MOST_OFFERED})
"""

# In a text in which an offered scenario was found, the segments of the enricher replace the detected ones.
_FOUND = """
    SELECT s.document, s.reader, s.scenario, s.start, s."end", s.confidence FROM segment_as_read s
    WHERE NOT EXISTS (FROM named_segment_of n WHERE n.target = s.document)
          OR s.reader NOT IN (SELECT reader FROM extractor WHERE name = 'scenarios')
    UNION ALL
    SELECT n.target::INTEGER, CASE WHEN o.name IS NULL THEN (SELECT min(reader) FROM extractor WHERE name = 'scenarios')
                              END, n.scenario, n.start, n."end", n.confidence
    FROM named_segment_of n LEFT JOIN offered_scenario o ON o.name = n.scenario
    WHERE EXISTS (FROM event_mention_as_read e
                  WHERE e.document = n.target AND e.start >= n.start AND e.start < n."end")
"""


def steps() -> list[Step]:
    """The tables `offered_scenario` (offered, key, name) and `segment_found`, all segments with the names of their
    scenarios; for the enrichers `given_segment`, `detected_segment` and `offered_text` (offered, document).
    """
    return [
        made_by(Rule("given_segment", "", _GIVEN)),
        view("detected_segment", _DETECTED),
        made_by(Rule("offered_scenario", "", _OFFERED)),
        view("offered_text", "SELECT DISTINCT offered, document FROM given_segment JOIN offered_scenario USING (key)"),
        made_by(Rule("segment_found", "", _FOUND)),
    ]
