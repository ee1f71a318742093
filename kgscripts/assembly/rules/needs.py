"""The rule of NEEDS: what lists of a scenario's sources declare, and what its usual steps use and use up."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.assembly.counting import Relation, Sum, reader_columns
from kgscripts.assembly.engine import Rule
from kgscripts.assembly.rules.roles import TOOL_ROLES, most_frequent
from kgscripts.assembly.step import Step, made_by

_USUAL_NEED = """
    (t.support <= 2 OR (c.support + c.declared >= 2 AND 20 * (c.support + c.declared) >= t.support))
"""
"""SQL: whether a need is usual: named by a twentieth of the sources and by two, or by all of few; a list counts
twice."""


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
                   "end" AS last, true AS declared, role{reader_columns(readers, "n")}
            FROM listed_need n WHERE in_partition(document) AND scenario > 0
            UNION ALL
            SELECT scenario, scenario, needed, document, mention, start, "end", false, role
                   {reader_columns(readers, "u")}
            FROM used_need u WHERE in_partition(document)
        """,
        sums=(
            Sum("declared", "count(DISTINCT document) FILTER (WHERE declared)"),
            Sum("used", "count(DISTINCT document) FILTER (WHERE NOT declared)"),
            *(Sum(f"as_{role}", f"count(DISTINCT document) FILTER (WHERE role = '{role}')") for role in TOOL_ROLES),
        ),
        joins="""
            JOIN scenario_total t ON t.key = c.start
            LEFT JOIN need_amount a ON a.scenario = c.start AND a.needed = c."end"
        """,
        properties=f"""
            share(c.support, t.support) AS probability, c.declared::BIGINT AS declared, c.used::BIGINT AS used,
            CASE WHEN e.tool IS NOT NULL THEN {most_frequent(TOOL_ROLES)} END AS role,
            a.amount, {_USUAL_NEED} AS usual
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
    return [made_by(Rule(made, "", query))]
