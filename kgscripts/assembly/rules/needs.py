"""The rule of NEEDS: what lists of a scenario's sources declare, and what its usual steps use and use up."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.assembly.counting import Relation, Sum, reader_columns
from kgscripts.assembly.rules.roles import TOOL_ROLES, most_frequent

_USUAL_NEED = """
    (t.support <= 2 OR (c.support + c.declared >= 2 AND 10 * (c.support + c.declared) >= t.support))
"""
"""SQL: whether a need is usual: named by a tenth of the sources and by two, or by all of few; a list counts twice."""


def needs(readers: Sequence[int]) -> Relation:
    """NEEDS: what lists name, tools and supplies of usual steps; the probability is the share of the scenario's sources.

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
            SELECT scenario, scenario, needed, document, mention, start, "end", false, role{reader_columns(readers, "u")}
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
