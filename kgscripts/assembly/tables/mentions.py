"""Tables of mentions: names, events with participants and tools, scenarios with their segments, and state changes."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.assembly.engine import ACTION_PARTS, Rule, action_key, same_action
from kgscripts.assembly.step import Step, document_rules, made_by, rules
from kgscripts.assembly.tables import changes, titles
from kgscripts.assembly.tables.titles import ACTION_WORDS, SENSE_WORDS, WORDS_PART
from kgscripts.typicality.naming import listed
from schemas.records import INFERRED

NAMESAKE = Rule(
    "namesake",
    f"""
    SELECT s.scenario, a.action FROM
        (SELECT action, activity_key(label) AS key FROM action WHERE predicate IN ({listed("activity")})) a
        JOIN (SELECT scenario, activity_key(own) AS key FROM scenario) s USING (key)
    """,
)
"""The actions that name a whole scenario and are no step of it: "have barbecue" in *having a barbecue*."""


def segment_rules(readers: Sequence[int]) -> tuple[Rule, ...]:
    """The scenarios of each text, and the mentions of each scenario with their positions in the text. ``about_N`` is
    the confidence of reader N in the scenario, NULL if it did not find it.
    """
    by_reader = "".join(f", max(r.confidence) FILTER (WHERE r.reader = {item}) AS about_{item}" for item in readers)
    highest = "".join(f", max(s.about_{item}) AS about_{item}" for item in readers)
    return document_rules(
        segment=f"""
            SELECT r.document, r.start, r."end", s.scenario, max(r.confidence) AS confidence{by_reader}
            FROM segment_record r JOIN scenario s ON s.label = r.scenario WHERE in_partition(r.document)
            GROUP BY r.document, r.start, r."end", s.scenario
            """,
        # A mention belongs to the scenarios of the segments in which it starts; to scenario 0 outside of segments. One
        # that names the whole scenario is no occurrence in it, but for the steps that a person wrote.
        occurrence=f"""
            SELECT *, relative_position(row_number() OVER mentions - 1, count(*) OVER scenario_of) AS position
            FROM (SELECT m.mention, m.document, coalesce(s.scenario, 0) AS scenario, m.action, m.start,
                         m."end"{highest}
                  FROM mention m LEFT JOIN segment s
                  ON s.document = m.document AND m.start >= s.start AND m.start < s."end"
                  WHERE in_partition(m.document)
                        AND (m.document IN (SELECT document FROM written_step_record)
                             OR NOT EXISTS (FROM namesake n WHERE n.scenario = s.scenario AND n.action = m.action))
                  GROUP BY m.mention, m.document, s.scenario, m.action, m.start, m."end")
            WINDOW mentions AS (PARTITION BY document, scenario ORDER BY mention),
                   scenario_of AS (PARTITION BY document, scenario)
            """,
    )


_PARTS = ", ".join(ACTION_PARTS)
_ACTION_LABEL = "concat_ws(' ', " + ", ".join(f"nullif({part}, '')" for part in ACTION_PARTS) + ")"

NAMES = (
    *rules(
        action_name=f"""
            SELECT DISTINCT {", ".join(f"action.{part} AS {part}" for part in ACTION_PARTS)}
            FROM event_mention_record UNION SELECT {_PARTS} FROM added_action_name
            """,
        entity_name="""
            SELECT DISTINCT label FROM (
                SELECT UNNEST(participants).lemma AS label FROM event_mention_record
                UNION ALL
                SELECT lemma FROM need_record WHERE role IS NULL
                UNION ALL
                SELECT entity FROM state_change_record
                UNION ALL
                SELECT entity FROM added_change_name
                UNION ALL
                SELECT label FROM added_supply_name
            )
            """,
        tool_name="""
            SELECT DISTINCT lemma AS label FROM (
                SELECT UNNEST(tools).lemma AS lemma FROM event_mention_record
                UNION ALL
                SELECT UNNEST(step.tools).lemma FROM (SELECT UNNEST(steps) AS step FROM decomposition_record)
                UNION ALL
                SELECT lemma FROM need_record WHERE role IS NOT NULL
                UNION ALL
                SELECT label FROM added_tool_name
            )
            """,
    ),
    *changes.NAMES,
)
"""The distinct names of the records and of what corrections add."""


def _numbered(table: str, node_type: str, prefix: str) -> Rule:
    """The named nodes of a type, numbered by ascending id."""
    return Rule(
        table,
        f"SELECT (row_number() OVER (ORDER BY id) - 1)::INTEGER AS {table}, * FROM (SELECT label, "
        f"identifier('{prefix}', slug(label), part('{node_type}') || part(label)) AS id FROM {table}_name)",
    )


NUMBERS = (
    # `place` orders actions by their parts; neither names nor support change it.
    Rule(
        "action",
        f"""
        SELECT (row_number() OVER (ORDER BY id) - 1)::INTEGER AS action,
               (row_number() OVER (ORDER BY {_PARTS}))::INTEGER AS place, *
        FROM (SELECT *, identifier('action', readable, part('Action') || {action_key("n")}) AS id
              FROM (SELECT *, {_ACTION_LABEL} AS label, slug(label) AS readable FROM action_name) n)
        """,
    ),
    _numbered("entity", "Entity", "entity"),
    _numbered("tool", "Tool", "tool"),
    _numbered("attribute", "Attribute", "attribute"),
    changes.NUMBERS,
)
"""The nodes that several texts can share, numbered by ascending id."""


def mention_rules(readers: Sequence[int]) -> tuple[Rule, ...]:
    """Mentions with their participants and tools, by document.

    Equal mentions (action and span) of several extractors are one. They are numbered in text order; mentions of one
    span ("add salt and pepper") keep the order of the records. ``reader_N`` holds the confidence of the extractor with
    that number, NULL if it did not find it.
    """
    scores = ", ".join(f"max(e.score) FILTER (WHERE e.reader = {reader}) AS reader_{reader}" for reader in readers)
    highest = ", ".join(f"max(reader_{reader}) AS reader_{reader}" for reader in readers)
    return document_rules(
        {"event"},
        event=f"""
            SELECT (document::BIGINT << 24) + dense_rank() OVER (
                       PARTITION BY document ORDER BY start, "end", first_ordinal, place) - 1 AS mention, *
            FROM (SELECT e.document, e.start::INTEGER AS start, e."end"::INTEGER AS "end", a.action, a.place, e.reader,
                         e.score, e.participants, e.tools, e.measures, e.instructed, e.words, e.phrase,
                         e.clause,
                         min(e.ordinal) OVER (PARTITION BY e.document, e.start, e."end", a.action) AS first_ordinal
                  FROM event_mention_record e JOIN action a ON {same_action("e.action", "a")}
                  WHERE in_partition(e.document))
            """,
        mention=f"""
            SELECT mention, document, start, "end", action, bool_or(instructed) AS instructed,
                   nullif(max(clause), '') AS clause, {scores}
            FROM event e GROUP BY mention, document, start, "end", action ORDER BY mention
            """,
        # Of the mentions of a span, each measure once, in the order in which they are read.
        measured_span="""
            SELECT document, start, "end",
                   list(written ORDER BY place, written) FILTER (WHERE kind = 'quantity') AS quantities,
                   list(written ORDER BY place, written) FILTER (WHERE kind = 'size') AS sizes,
                   list(written ORDER BY place, written) FILTER (WHERE kind = 'duration') AS durations
            FROM (SELECT document, start, "end", measure.kind AS kind,
                         concat_ws(' ', measure.words, nullif(measure.thing, '')) AS written,
                         min(mention * 1000 + place) AS place
                  FROM (SELECT document, start, "end", mention - (document::BIGINT << 24) AS mention,
                               UNNEST(measures) AS measure, generate_subscripts(measures, 1) AS place FROM event)
                  GROUP BY ALL)
            GROUP BY document, start, "end"
            """,
        participant=f"""
            SELECT mention, document, entity, role, count(*) AS arguments, {highest}
            FROM (SELECT e.mention, e.document, n.entity, e.argument.role AS role, {scores}
                  FROM (SELECT mention, document, reader, score, UNNEST(participants) AS argument FROM event) e
                       JOIN entity n ON n.label = e.argument.lemma
                  GROUP BY e.mention, e.document, n.entity, role, e.argument.start, e.argument."end")
            GROUP BY mention, document, entity, role
            """,
        named_tool=f"""
            SELECT e.mention, e.document, n.tool, e.tool.role AS role, bool_and(e.tool.inferred) AS inferred, {scores}
            FROM (SELECT mention, document, reader, tool, CASE WHEN tool.inferred THEN round(score * {INFERRED}, 4)
                         ELSE score END AS score
                  FROM (SELECT mention, document, reader, score, UNNEST(tools) AS tool FROM event)) e
                 JOIN tool n ON n.label = e.tool.lemma GROUP BY e.mention, e.document, n.tool, role
            """,
    )


_ALIGNED = f"""
    SELECT d.document, d.reader, w.mention AS abstract, c.mention AS concrete,
           d.step.log_probability AS log_probability,
           relative_position(d.place - 1, d.length) AS position, d.step.tools AS tools,
           d.step.start AS start, d.step."end" AS "end", d.step.action AS action
    FROM (SELECT document, reader, action, start, "end", len(steps) AS length, UNNEST(steps) AS step,
                 generate_subscripts(steps, 1) AS place
          FROM decomposition_record WHERE in_partition(document)) d
         LEFT JOIN action y ON {same_action("y", "d.action")} LEFT JOIN action z ON {same_action("z", "d.step.action")}
         LEFT JOIN mention w ON w.document = d.document AND w.start = d.start AND w."end" = d."end"
              AND w.action = y.action AND in_partition(w.document)
         LEFT JOIN mention c ON c.document = d.document AND c.start = d.step.start AND c."end" = d.step."end"
              AND c.action = z.action AND in_partition(c.document)
"""

ALIGNED = document_rules(
    # The concrete steps of abstract mentions; positions are relative to the other steps.
    aligned_step=f"""
        SELECT DISTINCT document, reader, abstract, concrete, log_probability, position, tools FROM ({_ALIGNED})
        WHERE abstract IS NOT NULL AND concrete IS NOT NULL
        """,
    unaligned_step=f"""
        SELECT document, start, "end", {_ACTION_LABEL} AS label
        FROM (SELECT document, start, "end", abstract, concrete, UNNEST(action) FROM ({_ALIGNED}))
        WHERE abstract IS NULL OR concrete IS NULL
        """,
)


def steps(readers: Sequence[int]) -> list[Step]:
    """The tables of names, and those of mentions, aligned steps, segments, occurrences and changes."""
    return [
        changes.ALIASES,
        *titles.offered_steps(),
        *titles.steps(),
        made_by(*NAMES, name="names"),
        *(made_by(rule) for rule in NUMBERS),
        made_by(NAMESAKE),
        made_by(
            *mention_rules(readers),
            *ALIGNED,
            *segment_rules(readers),
            WORDS_PART,
            *changes.change_rules(readers),
            name="mentions",
        ),
        made_by(ACTION_WORDS),
        made_by(SENSE_WORDS),
    ]
