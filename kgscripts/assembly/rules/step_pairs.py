"""The rules of relations between two steps whose pairs are chosen before they are counted. The evidence are the first
mentions of both in each source, from `ordered_mention` (`kgscripts.assembly.tables.order`).
"""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.assembly.counting import Relation, reader_columns


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
                            AND b.place > a.place AND b.place <= a.place + longest_reach()
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


RELATIONS = (precedence, alternatives, close_matches)
"""The rules of the pairs that are chosen first."""
