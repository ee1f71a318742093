"""Revisions of counted relations before they are written: readings and predictions of enrichers, corrections by people.

A relation is counted in ``<relation>_counted``. Each revision makes a new table of the one before; the last one is
``<relation>``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from kgscripts.assembly.counting import Relation
from kgscripts.assembly.engine import Rule
from kgscripts.assembly.rules.corrected_relations import added, given_roles, given_roles_of_needs, rejected
from kgscripts.assembly.rules.needs import once_by_head
from kgscripts.assembly.step import Step, made_by, view
from kgscripts.enrichers.protocol import Enricher

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
    found: list[Step] = []
    for relation in relations:
        revisions: list[_Revision] = []
        for number, enricher in enrichers.items():
            if query := enricher.reader_of.get(relation.name):
                revisions.append((f"read_by_{number}", _read(number, query)))
            if query := enricher.predicts.get(relation.name):
                revisions.append((f"with_predicted_{number}", _with_predicted(relation, number, query)))
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
        found += _chain(relation.table, revisions)
    return found


def _chain(table: str, revisions: list[_Revision]) -> list[Step]:
    before = f"{table}_counted"
    if not revisions:
        return [view(table, f"FROM {before}")]
    found: list[Step] = []
    for place, (name, steps) in enumerate(revisions, 1):
        made = table if place == len(revisions) else f"{table}_{name}"
        found += steps(before, made)
        before = made
    return found


def _read(number: int, query: str) -> Callable[[str, str], list[Step]]:
    """An enricher as a reader: `query` selects ``start``, ``"end"`` and ``score`` of the relations that it has read."""

    def steps(before: str, made: str) -> list[Step]:
        joined = f"""
            SELECT c.*, r.score::DOUBLE AS reader_{number}
            FROM {before} c LEFT JOIN ({query}) r ON r.start = c.start AND r."end" = c."end"
        """
        return [made_by(Rule(made, "", joined))]

    return steps


def _with_predicted(relation: Relation, number: int, query: str) -> Callable[[str, str], list[Step]]:
    """An enricher that predicts: `query` selects ``start``, ``"end"``, ``probability`` and further properties."""

    def steps(before: str, made: str) -> list[Step]:
        predicted = f"""
            SELECT s.scenario, r.*, 0 AS support, true AS predicted, false AS inferred, false AS added,
                   r.probability AS reader_{number},
                   statement_hash('{relation.name}', s.id, e.id, coalesce(n.id, '')) AS statement
            FROM ({query}) r {relation.ends} LEFT JOIN scenario n ON n.scenario = s.scenario
        """
        return [made_by(Rule(made, "", f"FROM {before} UNION ALL BY NAME {predicted}"))]

    return steps
