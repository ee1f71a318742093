"""How knowledge relations are counted: from cases, by document, to merged numbers.

A relation is counted from its *cases*, one row for each mention that supports it: `start` and `end` number the two
nodes, `scenario` is where it holds, `mention` and `document` are what is counted, `first` and `last` span the passage
in evidence, and `reader_N` is the confidence of reader N, NULL if it did not find the case. Cases and their counts go
by document; the counts are merged, in integers, by scenario (by step if there is none).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from kgscripts.assembly.engine import DocumentRule, Rule
from schemas.records import Record


@frozen
class Sum:
    """An additional number of a relation: how it is computed from the cases of one document, and merged over
    documents."""

    name: str
    aggregate: str
    merge: str = "sum"


@frozen
class Total:
    """Numbers of mentions and sources for each key, over the whole graph; probabilities and PMI are relative to them.

    `query` selects `key`, `document` and `mention` of the current partition by document, and `added` the column of a
    table with the keys that corrections add, which no source may have.
    """

    name: str
    query: str
    added: str = ""

    @property
    def by_document(self) -> Rule:
        """The rule that counts in each partition of documents."""
        return DocumentRule(
            f"{self.name}_part",
            "SELECT key, count(DISTINCT document) AS support, count(DISTINCT mention) AS mentions "
            f"FROM ({self.query}) GROUP BY key",
        )

    @property
    def merged(self) -> Rule:
        """The rule that adds up these counts."""
        table, _, column = self.added.partition(".")
        added = f" UNION ALL SELECT {column}, 0, 0, true FROM {table} WHERE {column} IS NOT NULL" if table else ""
        return Rule(
            self.name,
            "SELECT key, sum(support)::BIGINT AS support, sum(mentions)::BIGINT AS mentions, bool_or(added) AS added "
            f"FROM (SELECT key, support, mentions, false AS added FROM {self.name}_part{added}) "
            "GROUP BY key",
        )


@frozen
class Relation:
    """How a relation type is counted.

    `start` and `end` are the tables of its nodes, `cases` is the query of its cases, and `properties` are computed
    from the merged counts `c` (`support`, `mentions` and `sums`) and the tables of `joins`.
    """

    name: str
    start: str
    end: str
    cases: str
    properties: str
    joins: str = ""
    sums: tuple[Sum, ...] = ()
    totals: tuple[Total, ...] = field(default=())
    kinds: tuple[type[Record], ...] = ()
    """Kinds of records that the cases use in addition to mentions. Their spans become passages."""

    @property
    def table(self) -> str:
        """The table of the relation."""
        return self.name.lower()

    @property
    def ends(self) -> str:
        """SQL: the joins of its rows `r` with their nodes `s` and `e`."""
        return f'JOIN {self.start} s ON s.{self.start} = r.start JOIN {self.end} e ON e.{self.end} = r."end"'

    @property
    def statement_prefix(self) -> str:
        """The beginning of the ids of its statements."""
        return f"statement/{self.name.lower().replace('_', '-')}-"

    def by_document(self, readers: Sequence[int]) -> tuple[Rule, ...]:
        """Cases, their passages, their counts, and the totals over them."""
        sums = "".join(f", {item.aggregate} AS {item.name}" for item in self.sums)
        return (
            DocumentRule(f"{self.table}_case", self.cases, temporary=True),
            DocumentRule(
                f"{self.table}_evidence",
                f'SELECT DISTINCT start, "end", document, first, last FROM {self.table}_case',
            ),
            DocumentRule(
                f"{self.table}_part",
                f'SELECT scenario, start, "end", count(DISTINCT document) AS support, '
                f"count(DISTINCT mention) AS mentions{sums}{_highest(readers)} "
                f'FROM {self.table}_case GROUP BY scenario, start, "end"',
            ),
            *(total.by_document for total in self.totals),
        )

    def merged(self, readers: Sequence[int]) -> Rule:
        """The counted relation, with the hash of its statement."""
        sums = "".join(f", {item.merge}({item.name}) AS {item.name}" for item in self.sums)
        counts = (
            f'SELECT scenario, start, "end", sum(support)::BIGINT AS support, sum(mentions)::BIGINT AS mentions{sums}'
            f"{_highest(readers)} FROM {self.table}_part "
            'GROUP BY scenario, start, "end"'
        )
        statement = f"statement_hash('{self.name}', s.id, e.id, coalesce(n.id, ''))"
        return Rule(
            f"{self.table}_counted",
            f"""
            SELECT c.scenario, c.start, c."end", c.support, {self.properties},
                   {statement} AS statement, false AS added{reader_columns(readers, "c")}
            FROM ({counts}) c
                 JOIN {self.start} s ON s.{self.start} = c.start JOIN {self.end} e ON e.{self.end} = c."end"
                 {self.joins} LEFT JOIN scenario n ON n.scenario = c.scenario
            """,
        )


def reader_columns(readers: Sequence[int], table: str) -> str:
    """SQL: the columns of the readers of a table."""
    return "".join(f", {table}.reader_{reader}" for reader in readers)


def _highest(readers: Sequence[int]) -> str:
    return "".join(f", max(reader_{reader}) AS reader_{reader}" for reader in readers)


def confidence_of(readers: Sequence[int], table: str, confidence: str) -> str:
    """SQL: the columns of the readers for records of a table, each read by its `reader` with this confidence."""
    return "".join(
        f", CASE WHEN {table}.reader = {reader} THEN {confidence} END AS reader_{reader}" for reader in readers
    )
