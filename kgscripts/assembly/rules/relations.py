"""The rules: each knowledge relation, also NEEDS, as a query over the mentions (`kgscripts.assembly.counting`)."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.assembly.counting import Relation, Sum, Total, confidence_of, reader_columns
from kgscripts.assembly.engine import Rule
from kgscripts.assembly.step import Step, made_by
from kgscripts.assembly.tables.changes import LEVEL
from kgscripts.assembly.tables.order_pairs import LONGEST_REACH
from schemas.records import INFERRED, Role, ToolRole

TOOL_ROLES = sorted(role.value for role in ToolRole)


def most_frequent(roles: Sequence[str]) -> str:
    """SQL: the role with the highest sum (`as_<role>`); among equal ones, the first in the alphabet."""
    choices = " ".join(f"WHEN c.as_{role} THEN '{role}'" for role in roles)
    return f"CASE greatest({', '.join(f'c.as_{role}' for role in roles)}) {choices} END"


_USUAL_NEED = """
    (t.support <= 2 OR c.written > 0 OR (c.support + c.declared >= 2 AND 20 * (c.support + c.declared) >= t.support))
"""
"""SQL: whether a need is usual: named by a twentieth of the sources and by two, or by one of few, or by a written
script; a list counts twice."""


def needs(readers: Sequence[int]) -> Relation:
    """NEEDS: what lists name, and tools and supplies of usual steps; the probability is the share of the sources.

    `kgscripts.assembly.tables.needs` finds what usual steps use and use up.
    """
    return Relation(
        name="NEEDS",
        start="scenario",
        end="needed",
        cases=f"""
            SELECT scenario, scenario AS start, needed AS "end", document, NULL::BIGINT AS mention, start AS first,
                   "end" AS last, true AS declared, document IN (SELECT document FROM written_step) AS written,
                   role{reader_columns(readers, "n")}
            FROM listed_need n WHERE in_partition(document) AND scenario > 0
            UNION ALL
            SELECT scenario, scenario, needed, document, mention, start, "end", false, false, role
                   {reader_columns(readers, "u")}
            FROM used_need u WHERE in_partition(document)
        """,
        sums=(
            Sum("declared", "count(DISTINCT document) FILTER (WHERE declared)"),
            Sum("used", "count(DISTINCT document) FILTER (WHERE NOT declared)"),
            Sum("written", "count(DISTINCT document) FILTER (WHERE written)"),
            *(Sum(f"as_{role}", f"count(DISTINCT document) FILTER (WHERE role = '{role}')") for role in TOOL_ROLES),
        ),
        joins="""
            JOIN scenario_total t ON t.key = c.start
            LEFT JOIN need_amount a ON a.scenario = c.start AND a.needed = c."end"
            LEFT JOIN need_choice o ON o.scenario = c.start AND o.needed = c."end"
        """,
        properties=f"""
            share(c.support, t.support) AS probability, c.declared::BIGINT AS declared, c.used::BIGINT AS used,
            CASE WHEN e.tool IS NOT NULL THEN {most_frequent(TOOL_ROLES)} END AS role,
            a.amount, o.instead, o.optional, {_USUAL_NEED} AS usual
        """,
    )


def once_by_head(counted: str, made: str) -> list[Step]:
    """The table `made`: the rows of NEEDS in the table `counted`, in which no usual need repeats another.

    Of a compound and its head ("frying pan", "pan"), the head is not usual if more sources name the compound, and the
    compound is not if three times as many name the head and no list declares the compound.
    """
    repeated = f"""
        SELECT r.start, CASE WHEN c.support > r.support THEN r."end" ELSE c."end" END AS "end"
        FROM {counted} r JOIN thing_head h ON h.head = r."end"
             JOIN {counted} c ON c.start = r.start AND c."end" = h.needed
        WHERE c.support > r.support OR (3 * c.support <= r.support AND c.declared = 0)
    """
    query = f"""
        SELECT n.* REPLACE (n.usual AND x.start IS NULL AS usual)
        FROM {counted} n
             LEFT JOIN (SELECT DISTINCT * FROM ({repeated})) x ON x.start = n.start AND x."end" = n."end"
    """
    return [made_by(Rule(made, query))]


def _aligned(readers: Sequence[int]) -> str:
    """The confidence of an alignment: the probability of its words being aligned so."""
    return confidence_of(readers, "a", "round(exp(a.log_probability), 4)")


def scenario_steps(readers: Sequence[int]) -> Relation:
    """HAS_SUB_EVENT: the probability is the share of the scenario's sources; positions are those of first mentions.

    Its readers are those that found the event and those that found the scenario of the passage.
    """
    columns = "".join(f", greatest(r.reader_{reader}, r.about_{reader}) AS reader_{reader}" for reader in readers)
    return Relation(
        name="HAS_SUB_EVENT",
        start="scenario",
        end="step",
        cases=f"""
            SELECT scenario, scenario AS start, step AS "end", document, mention, start AS first, "end" AS last,
                   CASE WHEN row_number() OVER (PARTITION BY step, document ORDER BY mention) = 1
                        THEN position END AS first_position{columns}
            FROM realization r WHERE in_partition(document) AND scenario > 0
        """,
        sums=(Sum("first_position", "sum(first_position)::BIGINT"),),
        joins="JOIN scenario_total t ON t.key = c.start",
        properties="""
            share(c.support, t.support) AS probability,
            share(c.first_position, c.support * 1000000000) AS mean_position
        """,
    )


def wordings(readers: Sequence[int]) -> Relation:
    """EXPRESSED_AS: the probability is the share of the step's mentions."""
    return Relation(
        name="EXPRESSED_AS",
        start="step",
        end="action",
        cases=f"""
            SELECT scenario, step AS start, action AS "end", document, mention, start AS first,
                   "end" AS last{reader_columns(readers, "r")}
            FROM realization r WHERE in_partition(document)
        """,
        joins="JOIN step_total st ON st.key = c.start",
        properties="share(c.mentions, st.mentions) AS probability",
    )


_ROLES = sorted(role.value for role in Role)

_OF_STEP_AND_THING = """
    JOIN step_total st ON st.key = c.start JOIN {0}_total t ON t.key = c."end" CROSS JOIN mention_total total
"""
_PROBABILITY_AND_PMI = """
    share(c.mentions, st.mentions) AS probability,
    pmi(c.mentions, st.mentions, t.mentions, total.mentions) AS pmi
"""


def participants(readers: Sequence[int]) -> Relation:
    """HAS_PARTICIPANT, with the role that most of the arguments have."""
    return Relation(
        name="HAS_PARTICIPANT",
        start="step",
        end="entity",
        cases=f"""
            SELECT r.scenario, r.step AS start, p.entity AS "end", r.document, r.mention, r.start AS first,
                   r."end" AS last, p.role, p.arguments{reader_columns(readers, "p")}
            FROM realization r JOIN participant p USING (mention)
            WHERE in_partition(r.document) AND in_partition(p.document)
        """,
        sums=tuple(
            Sum(f"as_{role}", f"coalesce(sum(arguments) FILTER (WHERE role = '{role}'), 0)::BIGINT") for role in _ROLES
        ),
        joins=_OF_STEP_AND_THING.format("participant"),
        properties=f"{_PROBABILITY_AND_PMI}, {most_frequent(_ROLES)} AS role",
        totals=(Total("participant_total", 'SELECT "end" AS key, document, mention FROM has_participant_case'),),
    )


def uses(readers: Sequence[int]) -> Relation:
    """USES: tools of the mentions, and tools of the concrete steps that are aligned to the mentions.

    The role is that of most mentions. A mention whose tool is inferred counts less in the probability.
    """
    return Relation(
        name="USES",
        start="step",
        end="tool",
        cases=f"""
            SELECT r.scenario, r.step AS start, n.tool AS "end", r.document, r.mention, r.start AS first,
                   r."end" AS last, NULL::DOUBLE AS log_probability, n.role, n.inferred{reader_columns(readers, "n")}
            FROM realization r JOIN named_tool n USING (mention)
            WHERE in_partition(r.document) AND in_partition(n.document)
            UNION ALL
            SELECT r.scenario, r.step, n.tool, r.document, r.mention, m.start, m."end",
                   a.log_probability, t.tool.role, t.tool.inferred{_aligned(readers)}
            FROM aligned_step a JOIN realization r ON r.mention = a.abstract JOIN mention m ON m.mention = a.concrete,
                 UNNEST(a.tools) AS t(tool) JOIN tool n ON n.label = t.tool.lemma
            WHERE in_partition(a.document) AND in_partition(r.document) AND in_partition(m.document)
        """,
        sums=(
            Sum("log_probability", "max(log_probability)", "max"),
            Sum("named", "count(DISTINCT mention) FILTER (WHERE NOT inferred)"),
            *(Sum(f"as_{role}", f"count(DISTINCT mention) FILTER (WHERE role = '{role}')") for role in TOOL_ROLES),
        ),
        joins=_OF_STEP_AND_THING.format("tool"),
        properties=f"""
            share(c.named * 100 + (c.mentions - c.named) * {round(INFERRED * 100)}, st.mentions * 100) AS probability,
            pmi(c.mentions, st.mentions, t.mentions, total.mentions) AS pmi, c.log_probability,
            {most_frequent(TOOL_ROLES)} AS role, false AS predicted, c.named = 0 AS inferred
        """,
        totals=(
            Total(
                "tool_total",
                """
                SELECT "end" AS key, document, mention FROM uses_case
                UNION ALL
                SELECT tool, document, NULL FROM listed_need WHERE tool IS NOT NULL AND in_partition(document)
                """,
                "added_tool.tool",
            ),
        ),
    )


def decompositions(readers: Sequence[int]) -> Relation:
    """DECOMPOSES_INTO; probabilities are relative to decomposed mentions. A step is no part of itself.

    The mean position counts two mentions with one place once, also if several extractors give them.
    """
    cases = "FROM decomposes_into_case"
    return Relation(
        name="DECOMPOSES_INTO",
        start="step",
        end="step",
        cases=f"""
            SELECT w.scenario, w.step AS start, c.step AS "end", w.document, w.mention, c.start AS first,
                   c."end" AS last, a.log_probability,
                   CASE WHEN row_number() OVER (PARTITION BY w.scenario, a.abstract, a.concrete, a.position) = 1
                        THEN a.position END AS position{_aligned(readers)}
            FROM aligned_step a JOIN realization w ON w.mention = a.abstract
                 JOIN realization c ON c.mention = a.concrete AND c.scenario = w.scenario
            WHERE in_partition(a.document) AND in_partition(w.document) AND in_partition(c.document)
                  AND w.step <> c.step
        """,
        sums=(
            Sum("log_probability", "max(log_probability)", "max"),
            Sum("position", "sum(position)::BIGINT"),
            Sum("cases", "count(position)"),
        ),
        joins="""
            JOIN abstract_total st ON st.key = c.start JOIN concrete_total t ON t.key = c."end"
            CROSS JOIN decomposed_total total
        """,
        properties=f"""
            {_PROBABILITY_AND_PMI}, c.log_probability, share(c.position, c.cases * 1000000000) AS position
        """,
        totals=(
            Total("abstract_total", f"SELECT start AS key, document, mention {cases}"),
            Total("concrete_total", f'SELECT "end" AS key, document, mention {cases}'),
            Total("decomposed_total", f"SELECT 0 AS key, document, mention {cases}"),
        ),
    )


def changes(readers: Sequence[int]) -> Relation:
    """CHANGES: the probability is the share of the step's mentions."""
    return Relation(
        name="CHANGES",
        start="step",
        end="state_change",
        cases=f"""
            SELECT r.scenario, r.step AS start, x.state_change AS "end", r.document, r.mention, r.start AS first,
                   r."end" AS last, x.is_certain{reader_columns(readers, "x")}
            FROM realization r JOIN mention_change x USING (mention)
            WHERE in_partition(r.document) AND in_partition(x.document)
        """,
        sums=(Sum("is_certain", "bool_or(is_certain)", "bool_or"),),
        joins=_OF_STEP_AND_THING.format("changed"),
        properties=f"{_PROBABILITY_AND_PMI}, {LEVEL.format('c.is_certain')}",
        totals=(Total("changed_total", 'SELECT "end" AS key, document, mention FROM changes_case'),),
    )


RELATIONS = (scenario_steps, wordings, participants, uses, decompositions, changes, needs)
"""The rules of all relations, except those whose pairs are chosen first (`PAIRS_OF_STEPS`)."""


def precedence(readers: Sequence[int]) -> Relation:
    """PRECEDES for the pairs that `kgscripts.assembly.tables.order` keeps."""
    return Relation(
        name="PRECEDES",
        start="step",
        end="step",
        cases=f"""
            SELECT p.scenario, p.start, p."end", f.document, f.mention, f.first, f.last{reader_columns(readers, "f")}
            FROM (SELECT a.scenario, k.start, k."end", UNNEST([a.mention, b.mention]) AS mention
                  FROM ordered_mention a
                       JOIN ordered_mention b ON b.document = a.document AND b.scenario = a.scenario
                            AND b.place > a.place AND b.place <= a.place + {LONGEST_REACH}
                       JOIN kept_pair k ON k.start = a.step AND k."end" = b.step
                  WHERE in_partition(a.document) AND in_partition(b.document)) p
                 JOIN ordered_mention f ON f.mention = p.mention AND f.scenario = p.scenario
            WHERE in_partition(f.document)
        """,
        joins='JOIN kept_pair k ON k.start = c.start AND k."end" = c."end"',
        properties="share(c.support, c.support + k.against) AS probability, k.lower, k.required",
    )


def _mentions_of(table: str, scenario: str, readers: Sequence[int]) -> str:
    """SQL: the first mentions of both steps of each pair of a table."""
    return f"""
        SELECT {scenario} AS scenario, k.start, k."end", f.document, f.mention, f.first,
               f.last{reader_columns(readers, "f")}
        FROM ordered_mention f
             JOIN (SELECT start AS step, start, "end" FROM {table} UNION ALL SELECT "end", start, "end" FROM {table}) k
             USING (step)
        WHERE in_partition(f.document)
    """


def alternatives(readers: Sequence[int]) -> Relation:
    """ALTERNATIVE_TO for the pairs of `kgscripts.assembly.tables.alternatives`: the share of sources with one."""
    return Relation(
        name="ALTERNATIVE_TO",
        start="step",
        end="step",
        cases=_mentions_of("alternative_pair", "f.scenario", readers),
        joins='JOIN alternative_pair k ON k.start = c.start AND k."end" = c."end"',
        properties="share(c.support - k.both, c.support) AS probability",
    )


def close_matches(readers: Sequence[int]) -> Relation:
    """CLOSE_MATCH for the pairs of `kgscripts.assembly.tables.close_matches`; it holds in no scenario."""
    return Relation(
        name="CLOSE_MATCH",
        start="step",
        end="step",
        cases=_mentions_of("close_match_pair", "0", readers),
        joins='JOIN close_match_pair k ON k.start = c.start AND k."end" = c."end"',
        properties="k.shared AS probability, k.similarity",
    )


PAIRS_OF_STEPS = (precedence, alternatives, close_matches)
"""The rules of relations between two steps whose pairs are chosen before they are counted. The evidence are the first
mentions of both in each source, from `ordered_mention` (`kgscripts.assembly.tables.order`)."""


TOTALS = (
    Total(
        "action_total",
        "SELECT action AS key, document, mention FROM mention WHERE in_partition(document)",
        'added_expressed_as."end"',
    ),
    Total("mention_total", "SELECT 0 AS key, document, mention FROM mention WHERE in_partition(document)"),
    Total(
        "step_total",
        "SELECT step AS key, document, mention FROM realization WHERE in_partition(document)",
        'added_has_sub_event."end"',
    ),
    Total(
        "scenario_total",
        "SELECT scenario AS key, document, 0 AS mention FROM segment WHERE in_partition(document)",
    ),
    Total(
        "entity_total",
        """
        SELECT entity AS key, document, mention FROM participant WHERE in_partition(document)
        UNION ALL
        SELECT c.entity, i.document, NULL FROM change_instance i JOIN state_change c USING (state_change)
        WHERE in_partition(i.document)
        UNION ALL
        SELECT entity, document, NULL FROM listed_need WHERE entity IS NOT NULL AND in_partition(document)
        """,
        "added_entity.entity",
    ),
    Total(
        "attribute_total",
        "SELECT c.attribute AS key, i.document, 0 AS mention FROM change_instance i JOIN state_change c "
        "USING (state_change) WHERE in_partition(i.document)",
        "added_changes.attribute",
    ),
    Total(
        "state_change_total",
        "SELECT state_change AS key, document, 0 AS mention FROM change_instance WHERE in_partition(document)",
        'added_changes."end"',
    ),
)
"""Totals that belong to no relation."""
