"""What of a graph can be found, and by which texts; and what a search finds."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import attrs
from attrs import frozen

from schemas.script_graph import StoredGraph
from schemas.tables import table_path

_WORDINGS = 10
"""The most wordings of a step, those of most sources."""
_STEPS = 12
"""The most steps by which a scenario or a tool is found."""
_TOLD = 3
"""The most passages by which a step is found, the first by id."""


class Kind(StrEnum):
    """What can be found."""

    STEP = "step"
    TOOL = "tool"
    SCENARIO = "scenario"


@frozen(kw_only=True)
class Found:
    """A step, a tool or a scenario that answers a question.

    `score` is the sum of its reciprocal ranks (`Answer`); `by_words` and `by_meaning` are the ranks, from 1, or None
    where it is not among the best.
    """

    kind: Kind
    iri: str
    label: str
    scenario: str
    """That of a step; "" for other kinds, and for a step without one."""
    support: int
    score: float
    by_words: int | None
    by_meaning: int | None


@frozen(kw_only=True)
class Answer:
    """What is found for a question: steps, tools, then scenarios, each best first.

    What has all words of the question comes first. The ranks by words and by meaning are joined by reciprocal rank
    fusion (Cormack et al. 2009).

    `meaning` is false if only words were compared: they filled the answer, or the vectors or MiniLM are missing.
    """

    question: str
    meaning: bool
    found: tuple[Found, ...]

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values, for JSON."""
        return attrs.asdict(self)


@frozen
class Entry:
    """A node that can be found: by its names, and by what it has to do with (the scenario of a step, the steps of a
    scenario, the steps in which a tool is used)."""

    kind: Kind
    id: str
    label: str
    scenario: str
    support: int
    names: tuple[str, ...]
    context: tuple[str, ...]
    told: tuple[str, ...] = ()
    """Of a step, passages of its sources that tell it: sentences, or steps of a list."""


_STEP_QUERY = f"""
    SELECT 'step', s.id, s.label_text, coalesce(c.label, ''), s.support,
        list_distinct([s.label_text] || w.names), if(c.label IS NULL, [], [c.label]), coalesce(t.passages, [])
    FROM SubEvent s
    LEFT JOIN Scenario c ON c.id = s.scenario
    LEFT JOIN (
        SELECT m.subject, list(p.text ORDER BY p.id) AS passages
        FROM (
            SELECT subject, unnest(min(to_id, {_TOLD})) AS passage
            FROM (
                SELECT DISTINCT s.subject, w.to_id
                FROM Statement s JOIN EVIDENCED_BY e ON e.from_id = s.id JOIN WITHIN w ON w.from_id = e.to_id
                WHERE s.relation = 'EXPRESSED_AS'
            ) GROUP BY subject
        ) m JOIN Passage p ON p.id = m.passage GROUP BY ALL
    ) t ON t.subject = s.id
    JOIN (
        SELECT e.from_id, list(a.label_text ORDER BY e.support DESC, a.id)[:{_WORDINGS}] AS names
        FROM EXPRESSED_AS e JOIN Action a ON a.id = e.to_id GROUP BY ALL
    ) w ON w.from_id = s.id
"""
_SCENARIO_QUERY = f"""
    SELECT 'scenario', c.id, c.label, '', c.support, list_distinct([c.label] || c.alternative_labels),
        coalesce((list(s.label_text ORDER BY h.salience_rank) FILTER (s.id IS NOT NULL))[:{_STEPS}], []), []
    FROM Scenario c
    LEFT JOIN HAS_SUB_EVENT h ON h.from_id = c.id
    LEFT JOIN SubEvent s ON s.id = h.to_id
    GROUP BY ALL
"""
_TOOL_QUERY = f"""
    SELECT 'tool', t.id, t.label, '', t.support, [t.label],
        coalesce((list(s.label_text ORDER BY u.support DESC, s.id) FILTER (s.id IS NOT NULL))[:{_STEPS}], []), []
    FROM Tool t
    LEFT JOIN USES u ON u.to_id = t.id AND NOT u.predicted
    LEFT JOIN SubEvent s ON s.id = u.from_id
    GROUP BY ALL
"""
_PASSAGE_QUERY = """
    WITH part AS (SELECT * FROM Passage WHERE kind NOT IN ('mention', 'paragraph', 'segment', 'section')),
    around AS (
        SELECT from_id, to_id FROM WITHIN
        UNION ALL SELECT w.from_id, v.to_id FROM WITHIN w JOIN WITHIN v ON v.from_id = w.to_id
    ),
    about AS (SELECT from_id, list(to_id) AS scenarios FROM ABOUT GROUP BY ALL),
    told AS (
        SELECT w.to_id AS passage, r.to_id AS node FROM REALIZES r JOIN around w ON w.from_id = r.from_id
        UNION SELECT w.to_id, s.object
        FROM Statement s JOIN EVIDENCED_BY e ON e.from_id = s.id JOIN around w ON w.from_id = e.to_id
        WHERE s.relation = 'USES'
        UNION SELECT p.id, unnest(coalesce(n.scenarios, t.scenarios))
        FROM part p
        LEFT JOIN WITHIN w ON w.from_id = p.id
        LEFT JOIN about n ON n.from_id = w.to_id
        LEFT JOIN about t ON t.from_id = p.source
    )
    SELECT p.text, list(t.node ORDER BY t.node) FROM part p JOIN told t ON t.passage = p.id GROUP BY p.id, p.text
"""
_TABLES = (
    *("Scenario", "SubEvent", "Action", "Tool", "Statement", "Passage"),
    *("HAS_SUB_EVENT", "EXPRESSED_AS", "USES", "EVIDENCED_BY", "WITHIN", "REALIZES", "ABOUT"),
)
_ROWS = 10_000


def entries(graph: StoredGraph) -> Iterator[Entry]:
    """All that can be found in a graph: scenarios, tools and steps, each kind in the order of ids."""
    for query in (_SCENARIO_QUERY, _TOOL_QUERY, _STEP_QUERY):
        for kind, node, label, scenario, support, names, context, told in _rows(graph, f"({query}) ORDER BY 2"):
            yield Entry(
                Kind(kind),
                node,
                label,
                scenario,
                support,
                names=_first(label, names),
                context=tuple(dict.fromkeys(context)),
                told=tuple(dict.fromkeys(told)),
            )


def passages(graph: StoredGraph) -> Iterator[tuple[str, list[str]]]:
    """The sentences of the texts, with the ids of the steps that they tell, of the tools that are used there, and of
    the scenarios that they are about."""
    yield from _rows(graph, f"({_PASSAGE_QUERY}) ORDER BY 1, 2")


def _rows(graph: StoredGraph, query: str) -> Iterator[Any]:
    import duckdb

    with duckdb.connect() as connection:
        for name in _TABLES:
            connection.register(name, connection.read_parquet(glob.escape(str(graph.directory / table_path(name)))))
        result = connection.execute(f"SELECT * FROM {query}")
        while rows := result.fetchmany(_ROWS):
            yield from rows


def _first(label: str, names: list[str]) -> tuple[str, ...]:
    return (label, *sorted({*names} - {label}))
