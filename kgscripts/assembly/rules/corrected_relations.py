"""Counted relations before they are written: revised by enrichers, and corrected by people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from kgscripts.assembly.counting import Relation
from kgscripts.assembly.engine import Rule
from kgscripts.assembly.rules.relations import once_by_head
from kgscripts.assembly.step import Step, made_by, view
from kgscripts.enrichers.protocol import Enricher
from schemas.corrections import NEEDS

_BOTH_WAYS = ("ALTERNATIVE_TO", "CLOSE_MATCH")

_CORRECTED_MATCH = Rule(
    "corrected_match",
    """
    SELECT c.correction, s.scenario
    FROM (SELECT correction, scenario_key(other) AS key FROM correction WHERE relation = 'CLOSE_MATCH') c
         JOIN scenario s ON s.id = identifier('scenario', slug(key), part('Scenario') || part(key))
    """,
)
"""The scenarios that rejected matches name."""

CORRECTED_ROLE = """
    SELECT DISTINCT CASE WHEN g.in_step THEN s.id ELSE t.id END AS id, g.correction
    FROM given_role g JOIN named_step s ON s.step = g.start JOIN tool t ON t.tool = g."end"
"""
"""The steps and tools whose roles are corrected."""


_PROPERTIES = {
    "HAS_SUB_EVENT": """, (SELECT position FROM step_rank k WHERE k.step = x."end") AS mean_position""",
    "USES": ", coalesce(x.role, 'instrument') AS role, false AS predicted, false AS inferred",
    "CHANGES": ", 'certain' AS level",
    "PRECEDES": ", 0.0 AS lower, true AS required",
    "NEEDS": """
        , CASE WHEN e.tool IS NOT NULL THEN coalesce(x.role, 'instrument') END AS role, 0 AS declared, 0 AS used,
        true AS usual
    """,
}
"""SQL: the properties of an added relation that no text tells, apart from its numbers."""


def added(relation: Relation, counted: str, made: str) -> list[Step]:
    """The table `made`: the rows of the table `counted` and the relations that corrections add.

    Numbers count texts only: a relation that no text tells has the support and the probability 0, and keeps them as
    long as none does. The mark `added` keeps it in the graph.
    """
    told = f"added_{relation.table}"
    role = ", arg_max(nullif(role, ''), correction) AS role" if relation.name in ("USES", "NEEDS") else ""
    usual = ", (c.usual OR x.start IS NOT NULL) AS usual" if relation.name == "NEEDS" else ""
    # Where few sources name a tool, it can be counted and predicted.
    once = 'QUALIFY NOT added OR row_number() OVER (PARTITION BY start, "end" ORDER BY predicted) = 1'
    query = f"""
        WITH told AS (SELECT start, "end"{role} FROM {told} GROUP BY start, "end")
        FROM (SELECT c.* REPLACE (x.start IS NOT NULL AS added{usual})
              FROM {counted} c LEFT JOIN told x ON x.start = c.start AND x."end" = c."end")
        {once if relation.name == "USES" else ""}
        UNION ALL BY NAME
        SELECT s.scenario, x.start, x."end", 0 AS support, 0.0 AS probability, true AS added,
               statement_hash('{relation.name}', s.id, e.id, coalesce(n.id, '')) AS statement
               {_PROPERTIES.get(relation.name, "")}
        FROM (FROM told x ANTI JOIN {counted} c ON c.start = x.start AND c."end" = x."end") x
             JOIN {relation.start} s ON s.{relation.start} = x.start
             JOIN {relation.end} e ON e.{relation.end} = x."end" LEFT JOIN scenario n ON n.scenario = s.scenario
    """
    return [made_by(Rule(made, query))]


def statements_of(relation: Relation) -> str:
    """SQL: the statements that corrections add, also those that texts tell."""
    return f"""
        SELECT '{relation.statement_prefix}' || digits(r.statement) AS id, x.correction
        FROM added_{relation.table} x JOIN {relation.table} r ON r.start = x.start AND r."end" = x."end"
    """


def rejected(relation: Relation, counted: str, made: str, *, is_added: bool = False) -> list[Step]:
    """The table `made`: the rows of the table `counted` without those that corrections reject.

    With `is_added`, rows that a later correction adds are kept. A relation of a step ends at another step of its
    scenario or at a thing with a name. A CLOSE_MATCH is named by the other scenario. Symmetric relations are found from
    both ends.
    """
    if relation.name == NEEDS:
        query = f"""
            SELECT x.correction, r.start AS step, r.start, r."end"
            FROM {counted} r JOIN named_needs x ON x.start = r.start AND x."end" = r."end"
            WHERE x.kind = 'reject' AND x.latest = 'reject'
        """
        return _without(relation, query, counted, made)
    ways = [("start", "end"), ("end", "start")] if relation.name in _BOTH_WAYS else [("start", "end")]
    not_added = f'ANTI JOIN added_{relation.table} a ON a.start = r.start AND a."end" = r."end"' if is_added else ""
    query = " UNION ".join(
        f"""
        SELECT c.correction, s.step, r.start, r."end"
        FROM {counted} r
             JOIN corrected_step s ON s.step = r."{own}" AND s.side = 1
             JOIN correction c ON c.correction = s.correction AND c.kind = 'reject' AND c.relation = '{relation.name}'
             {_other_end(relation, other)}
             {not_added}
        """
        for own, other in ways
    )
    of_matches = [made_by(_CORRECTED_MATCH)] if relation.name == "CLOSE_MATCH" else []
    return [*of_matches, *_without(relation, query, counted, made)]


def _without(relation: Relation, query: str, counted: str, made: str) -> list[Step]:
    """The steps that keep the rejected relations that `query` selects, and leave them out of `made`."""
    table = f"rejected_{relation.table}"
    return [
        made_by(Rule(table, query)),
        made_by(Rule(made, f'FROM {counted} r ANTI JOIN {table} x ON x.start = r.start AND x."end" = r."end"')),
    ]


def corrected_by_rejection(relation: Relation) -> str:
    """SQL: the steps or scenarios whose relation is rejected."""
    if relation.name == NEEDS:
        return "SELECT DISTINCT s.id, x.correction FROM rejected_needs x JOIN scenario s ON s.scenario = x.start"
    return f"SELECT DISTINCT t.id, x.correction FROM rejected_{relation.table} x JOIN named_step t USING (step)"


def _other_end(relation: Relation, other: str) -> str:
    """SQL: the join with the end that a correction names."""
    if relation.name == "CLOSE_MATCH":
        return f"""
            JOIN named_step e ON e.step = r."{other}"
            JOIN corrected_match m ON m.correction = c.correction AND m.scenario = e.scenario
        """
    if relation.end == "step":
        return f'JOIN corrected_step o ON o.correction = c.correction AND o.side = 2 AND o.step = r."{other}"'
    return f'JOIN {relation.end} e ON e.{relation.end} = r."end" AND lower(e.label) = lower(thing(c.other))'


def given_roles_of_needs(counted: str, made: str) -> list[Step]:
    """The table `made`: the rows of NEEDS in the table `counted` with the roles that tools are given everywhere."""
    query = f"""
        SELECT u.* REPLACE (coalesce(g.role, u.role) AS role)
        FROM {counted} u
             LEFT JOIN (SELECT n.needed, arg_max(c.role, c.correction) AS role
                        FROM correction c JOIN needed n ON n.tool IS NOT NULL AND lower(thing(c.thing)) = lower(n.label)
                        WHERE c.kind = 'tool role' AND c.step = '' GROUP BY n.needed) g ON g.needed = u."end"
    """
    return [made_by(Rule(made, query))]


def given_roles(counted: str, made: str) -> list[Step]:
    """The table `made`: the rows of USES in the table `counted` with the roles that corrections give tools.

    The latest correction of a tool's role in the step counts; without one, the latest of its role everywhere.
    """
    given = f"""
        SELECT u.start, u."end", c.correction, c.step <> '' AS in_step, c.role
        FROM {counted} u JOIN tool t ON t.tool = u."end"
             JOIN correction c ON c.kind = 'tool role' AND lower(thing(c.thing)) = lower(t.label)
             LEFT JOIN corrected_step s ON s.correction = c.correction AND s.side = 1 AND s.step = u.start
        WHERE c.step = '' OR s.step IS NOT NULL
    """
    roles = f"""
        SELECT u.* REPLACE (coalesce(g.role, u.role) AS role)
        FROM {counted} u
             LEFT JOIN (SELECT start, "end", arg_max(role, row(in_step, correction)) AS role FROM given_role
                        GROUP BY start, "end") g ON g.start = u.start AND g."end" = u."end"
    """
    return [made_by(Rule("given_role", given)), made_by(Rule(made, roles))]


_Revision = tuple[str, Callable[[str, str], list[Step]]]
"""A suffix of the relation's name, and the function that gives the steps which make the second table from the first."""


def revised(
    relations: Iterable[Relation],
    enrichers: Mapping[int, Enricher],
    without: Collection[Relation],
    additions: Collection[Relation],
    *,
    has_roles: bool,
) -> list[Step]:
    """The tables of relations that are written.

    `enrichers` are numbered as readers, `without` are the relations that corrections reject, `additions` those to which
    they add, and `has_roles` says whether corrections set roles of tools.
    """
    result: list[Step] = []
    for relation in relations:
        revisions: list[_Revision] = []
        for number, enricher in enrichers.items():
            if query := enricher.reader_of.get(relation.name):
                revisions.append((f"read_by_{number}", partial(_read, number, query)))
            if query := enricher.predicts.get(relation.name):
                revisions.append((f"with_predicted_{number}", partial(_with_predicted, relation, number, query)))
        if relation.name == "NEEDS":
            revisions.append(("without_repetitions", once_by_head))
        if relation in without:
            revisions.append(("not_rejected", partial(rejected, relation, is_added=relation in additions)))
        if relation in additions:
            revisions.append(("with_added", partial(added, relation)))
        if relation.name == "USES" and has_roles:
            revisions.append(("with_roles", given_roles))
        if relation.name == "NEEDS" and has_roles:
            revisions.append(("with_roles", given_roles_of_needs))
        result += _chain(relation.table, revisions)
    return result


def _chain(table: str, revisions: list[_Revision]) -> list[Step]:
    before = f"{table}_counted"
    if not revisions:
        return [view(table, f"FROM {before}")]
    result: list[Step] = []
    for place, (name, steps) in enumerate(revisions, 1):
        made = table if place == len(revisions) else f"{table}_{name}"
        result += steps(before, made)
        before = made
    return result


def _read(number: int, query: str, before: str, made: str) -> list[Step]:
    """An enricher as a reader: `query` selects ``start``, ``"end"`` and ``score`` of the relations that it has read."""
    joined = f"""
        SELECT c.*, r.score::DOUBLE AS reader_{number}
        FROM {before} c LEFT JOIN ({query}) r ON r.start = c.start AND r."end" = c."end"
    """
    return [made_by(Rule(made, joined))]


def _with_predicted(relation: Relation, number: int, query: str, before: str, made: str) -> list[Step]:
    """An enricher that predicts: `query` selects ``start``, ``"end"``, ``probability`` and further properties."""
    predicted = f"""
        SELECT s.scenario, r.*, 0 AS support, true AS predicted, false AS inferred, false AS added,
               r.probability AS reader_{number},
               statement_hash('{relation.name}', s.id, e.id, coalesce(n.id, '')) AS statement
        FROM ({query}) r {relation.ends} LEFT JOIN scenario n ON n.scenario = s.scenario
    """
    return [made_by(Rule(made, f"FROM {before} UNION ALL BY NAME {predicted}"))]
