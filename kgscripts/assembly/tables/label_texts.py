"""Action.label_text and SubEvent.label_text: labels as a person would write them, "take the bag outside"."""

from __future__ import annotations

from kgscripts.assembly.engine import Rule

WORDS_PART = Rule(
    "words_part",
    "document",
    """
    SELECT action, words, phrase, count(DISTINCT document) AS sources FROM event WHERE words <> '' GROUP BY ALL
    """,
)


def _chosen(part: str) -> str:
    """SQL: for each action its words or its phrase, with their number of sources. Lists of steps often leave out
    articles, which a reader misses: what has one counts three times."""
    return f"""
        SELECT action, arg_min({part}, row(-weight, {part})) AS {part}
        FROM (SELECT action, {part},
                     sum(sources) * CASE WHEN regexp_matches({part}, '\\b(an?|the|your)\\b') THEN 3 ELSE 1 END AS weight
              FROM words_part GROUP BY action, {part})
        GROUP BY action
    """


ACTION_WORDS = Rule(
    "action_words",
    "",
    f"SELECT * FROM ({_chosen('words')}) JOIN ({_chosen('phrase')}) USING (action)",
)
"""The words of each action that most sources have, apart for what stands before its phrase and for the phrase."""

ACTION_TEXT = "coalesce(w.words || coalesce(' ' || nullif(w.phrase, ''), ''), {0}.label)"
"""SQL: the `label_text` of an action `{0}`, given its row `w` of `action_words` or none."""

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
         LEFT JOIN action_words w ON w.action = a.action
    WHERE mine(s.scenario)
    GROUP BY s.step, s.label
    """,
)
"""The text of each label of the graph: that of the action that it names, with or without its phrase, or the label that
a person gave."""
