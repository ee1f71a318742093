"""Titles and labels of scenarios: the keys that the same activities share, the scenarios that are offered to texts
without a label, and the texts of labels."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from kgscripts.assembly.engine import DocumentRule, Rule
from kgscripts.assembly.step import Step, made_by, rows, rules, view
from kgscripts.corpora.scenarios.labels import listed_title
from kgscripts.titles.keys import title_key
from schemas.scenario_documents import concept_scheme

WORDS_PART = DocumentRule(
    "words_part",
    """
    SELECT coalesce(o.scenario, 0) AS scenario, e.action, e.words, e.phrase, count(DISTINCT e.document) AS sources
    FROM event e LEFT JOIN occurrence o ON o.mention = e.mention AND in_partition(o.document)
    WHERE e.words <> '' GROUP BY ALL
    """,
)
"""What the sources say for each action, in each scenario: the words before its phrase, and the phrase."""


def _chosen(part: str, keys: str, told: str) -> str:
    """SQL: what most sources say. Lists of steps often leave out articles, which a reader misses: what has one counts
    three times, but for one at the beginning, which belongs to who does it ("the police arrive")."""
    return f"""
        SELECT {keys}, arg_min({part}, row(-weight, {part})) AS {part}
        FROM (SELECT {keys}, {part},
                     sum(sources) * CASE WHEN regexp_matches({part}, ' (an?|the|your)\\b') THEN 3 ELSE 1 END AS weight
              FROM {told} GROUP BY {keys}, {part})
        GROUP BY {keys}
    """


def _words(keys: str, told: str) -> str:
    return f"SELECT * FROM ({_chosen('words', keys, told)}) JOIN ({_chosen('phrase', keys, told)}) USING ({keys})"


# An action by itself is the same whoever does it.
_WITHOUT_AGENT = """
    (SELECT p.* FROM words_part p JOIN action a USING (action)
     WHERE split_part(p.words, ' ', 1) IN (a.predicate, 'let'))
"""

ACTION_WORDS = Rule("action_words", _words("action", _WITHOUT_AGENT))
"""The words of each action, and its phrase."""

SENSE_WORDS = Rule("sense_words", _words("scenario, action", "words_part"))
"""The words of each action in a scenario, or outside of scenarios (0), and its phrase."""

ACTION_TEXT = "coalesce(w.words || coalesce(' ' || nullif(w.phrase, ''), ''), {0}.label)"
"""SQL: the `label_text` of an action `{0}`, given its row `w` of words or none."""

_NAMES_ACTION = "(a.label = s.label OR concat_ws(' ', a.predicate, nullif(a.particle, ''), a.object) = s.label)"

STEP_TEXTS = Rule(
    "step_text",
    f"""
    WITH told AS (
        SELECT step, any_value(clause) AS clause FROM realization
        WHERE scenario > 0 GROUP BY step HAVING count(*) = 1
    )
    SELECT s.step, coalesce(
               any_value(t.clause) FILTER (WHERE {_NAMES_ACTION}),
               any_value(coalesce(w.words || coalesce(' ' || nullif(w.phrase, ''), ''), g.words, a.label))
                   FILTER (WHERE a.label = s.label),
               arg_min(w.words, row(-x.support, a.place)) FILTER (
                   WHERE concat_ws(' ', a.predicate, nullif(a.particle, ''), a.object) = s.label),
               s.label) AS label_text
    FROM step s LEFT JOIN told t USING (step) LEFT JOIN expressed_as x ON x.start = s.step
         LEFT JOIN action a ON a.action = x."end"
         LEFT JOIN sense_words w ON w.scenario = s.scenario AND w.action = a.action
         LEFT JOIN added_words g ON g.scenario = s.scenario AND g.action = a.action
    GROUP BY s.step, s.label
    """,
)
"""The text of each label of the graph: what the text itself says, if one mention tells the step; that of the action
that it names, with or without its phrase, or the words or the label that a person gave."""


_NAMES = rules(
    # Another name of an activity that a written script gives has the key of the script's own name.
    scenario_alias="""
        WITH written AS (
            SELECT DISTINCT scenario_key(s.scenario) AS key, w.also
            FROM written_script_record w JOIN segment_told s USING (document)
        )
        SELECT other, min(key) AS key
        FROM (SELECT DISTINCT scenario_key(name) AS other, key FROM (SELECT key, UNNEST(also) AS name FROM written))
        WHERE other NOT IN (SELECT key FROM written) GROUP BY other
        """,
    scenario_title="""
        SELECT t.name, coalesce(a.key, t.key) AS key, coalesce(a.key, t.key) <> told_key(t.name) AS joined, t.support
        FROM (SELECT scenario AS name, scenario_key(scenario) AS key, count(DISTINCT document) AS support
              FROM segment_told GROUP BY scenario) t
             LEFT JOIN scenario_alias a ON a.other = t.key
        """,
    # The label is what a person calls it, else `own`: the listed name, else the most frequent one, among equally
    # frequent ones the shortest. Names of a scenario that a person joined with it come last.
    scenario_name="""
        SELECT name, key, joined, coalesce(g.label, t.own) AS label, t.own
        FROM (SELECT name, key, joined, CASE WHEN key IN (SELECT label FROM listed_scenario) THEN key
                                ELSE first_value(name) OVER (PARTITION BY key
                                                             ORDER BY joined, support DESC, length(name), name)
                                END AS own
              FROM scenario_title) t LEFT JOIN given_scenario_name g USING (key)
        """,
    # The scenarios, numbered by ascending id. The id follows from the key, so that another name changes the label
    # only. What is computed about a scenario is made of its `own` name, so that no network runs since a person gave
    # it another one.
    scenario="""
        SELECT row_number() OVER (ORDER BY id)::INTEGER AS scenario, *
        FROM (SELECT label, own, identifier('scenario', slug(key), part('Scenario') || part(key)) AS id,
                     coalesce(list(name ORDER BY name) FILTER (WHERE name <> label), []) AS other_names,
                     coalesce(list(name ORDER BY name) FILTER (WHERE joined), []) AS joined_names
              FROM scenario_name GROUP BY key, label, own)
        """,
)


def _listed() -> pa.Table:
    return pa.table({"label": sorted(_listed_labels())})


def told_key(name: str) -> str:
    """The key that all names of one activity share, without the corrections of people."""
    return name if name in _listed_labels() else listed_title(name) or title_key(name) or name


@cache
def _listed_labels() -> frozenset[str]:
    return frozenset(concept.label for concept in concept_scheme())


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


MOST_OFFERED = 1_000
"""At most this number of scenarios are offered, those that most texts name."""

_GIVEN = """
    WITH given AS (
        SELECT s.document, s.scenario FROM segment_as_read s JOIN extractor x USING (reader) WHERE x.name = 'labels'
    )
    SELECT * FROM given
         JOIN (SELECT scenario, told_key(scenario) AS key FROM (SELECT DISTINCT scenario FROM given))
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


def offered_steps() -> list[Step]:
    """The scenarios that labels and titles name, which an enricher offers to the texts without a label, and the
    segments of all texts: what labels and titles give is read by the extractor `labels`, what is detected by
    `scenarios`.

    The tables `offered_scenario` (offered, key, name) and `segment_found`, all segments with the names of their
    scenarios; for the enrichers `given_segment`, `detected_segment` and `offered_text` (offered, document).
    """
    return [
        made_by(Rule("given_segment", _GIVEN)),
        view("detected_segment", _DETECTED),
        made_by(Rule("offered_scenario", _OFFERED)),
        view("offered_text", "SELECT DISTINCT offered, document FROM given_segment JOIN offered_scenario USING (key)"),
        made_by(Rule("segment_found", _FOUND)),
    ]
