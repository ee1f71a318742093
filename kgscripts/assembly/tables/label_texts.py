"""Action.label_text and SubEvent.label_text: labels as a person would write them, "take the bag outside"."""

from __future__ import annotations

from kgscripts.assembly.engine import Rule

WORDS_PART = Rule(
    "words_part",
    "document",
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

ACTION_WORDS = Rule("action_words", "", _words("action", _WITHOUT_AGENT))
"""The words of each action, and its phrase."""

SENSE_WORDS = Rule("sense_words", "", _words("scenario, action", "words_part"))
"""The words of each action in a scenario, or outside of scenarios (0), and its phrase."""

ACTION_TEXT = "coalesce(w.words || coalesce(' ' || nullif(w.phrase, ''), ''), {0}.label)"
"""SQL: the `label_text` of an action `{0}`, given its row `w` of words or none."""

STEP_TEXTS = Rule(
    "step_text",
    "scenario",
    f"""
    SELECT s.step, coalesce(
               any_value({ACTION_TEXT.format("a")}) FILTER (WHERE a.label = s.label),
               arg_min(w.words, row(-x.support, a.place)) FILTER (
                   WHERE concat_ws(' ', a.predicate, nullif(a.particle, ''), a.object) = s.label),
               s.label) AS label_text
    FROM step s LEFT JOIN expressed_as x ON x.start = s.step LEFT JOIN action a ON a.action = x."end"
         LEFT JOIN sense_words w ON w.scenario = s.scenario AND w.action = a.action
    WHERE mine(s.scenario)
    GROUP BY s.step, s.label
    """,
)
"""The text of each label of the graph: that of the action that it names, with or without its phrase, or the label that
a person gave."""
