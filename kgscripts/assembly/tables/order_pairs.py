"""The rules of pairs of steps: how many sources mention which of the two first, and whether they have a thing in
common. `kgscripts.assembly.tables.order` decides on them."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.assembly.engine import DocumentRule, Rule
from kgscripts.assembly.step import Step, document_rules, made_by, rules

MOST_STEPS = 1_000
"""At most this number of steps of a scenario, those with the most support, are ordered: time grows with the square of
the number."""

LONGEST_REACH = 100
"""In one source a step is compared with at most this number of following steps; steps that are farther apart are
ordered by paths."""


def first_mentions(readers: Sequence[int]) -> Rule:
    """The first mention of each step in each source."""
    scores = "".join(f", reader_{reader}" for reader in readers)
    return DocumentRule(
        "first_mention",
        f"""
        SELECT scenario, step, document, mention, start AS first, "end" AS last{scores} FROM realization
        WHERE in_partition(document) AND scenario > 0
        QUALIFY row_number() OVER (PARTITION BY step, document ORDER BY mention) = 1
        """,
    )


_BETWEEN_SOURCES = rules(
    ordered_step=f"""
        SELECT s.scenario, s.step FROM step s JOIN step_total t ON t.key = s.step
        WHERE s.scenario > 0
        QUALIFY row_number() OVER (PARTITION BY s.scenario ORDER BY t.support DESC, s.step) <= {MOST_STEPS}
        """,
    pair="""
        SELECT p.scenario, p.one, p.other, sum(p.forwards)::BIGINT AS forwards, sum(p.backwards)::BIGINT AS backwards
        FROM pair_part p GROUP BY ALL
        """,
    sharing_pair="""
        SELECT DISTINCT a.scenario, a.step AS one, b.step AS other
        FROM step_thing a JOIN step_thing b ON b.scenario = a.scenario AND b.head = a.head AND b.step > a.step
        """,
)

_OF_SOURCES = document_rules(
    ordered_mention="""
        SELECT f.*, row_number() OVER (PARTITION BY f.document, f.scenario ORDER BY f.mention) AS place
        FROM first_mention f JOIN ordered_step USING (scenario, step) WHERE in_partition(f.document)
        """,
    # One row for both orders of two steps.
    pair_part=f"""
        SELECT a.scenario, least(a.step, b.step) AS one, greatest(a.step, b.step) AS other,
               count(*) FILTER (WHERE a.step < b.step) AS forwards, count(*) FILTER (WHERE a.step > b.step) AS backwards
        FROM ordered_mention a JOIN ordered_mention b
             ON b.document = a.document AND b.scenario = a.scenario AND b.place > a.place
             AND b.place <= a.place + {LONGEST_REACH}
        WHERE in_partition(a.document) AND in_partition(b.document)
              AND (a.document NOT IN (SELECT document FROM written_step)
                   OR (a.document, a.step, b.step) IN (SELECT (document, start, "end") FROM written_pair))
        GROUP BY ALL
        """,
    # The heads of what the mentions of a step have to do with: "water" for "boil some hot water".
    step_thing="""
        SELECT DISTINCT r.scenario, r.step, string_split(label, ' ')[-1] AS head
        FROM realization r JOIN ordered_step USING (scenario, step)
             JOIN (SELECT p.mention, e.label FROM participant p JOIN entity e USING (entity)
                   WHERE in_partition(p.document)
                   UNION ALL SELECT u.mention, t.label FROM named_tool u JOIN tool t USING (tool)
                   WHERE in_partition(u.document)) USING (mention)
        WHERE in_partition(r.document)
        """,
)


def steps(readers: Sequence[int]) -> list[Step]:
    """The tables `ordered_step`, `ordered_mention`, `pair` and `sharing_pair`."""
    return [made_by(rule) for rule in (first_mentions(readers), *_BETWEEN_SOURCES, *_OF_SOURCES)]
