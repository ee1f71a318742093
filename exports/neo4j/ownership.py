"""Which nodes of a Neo4j database belong to a graph, and how an export removes outdated ones.

Every node of an export carries `kgscripts_graph` (the graph's id) and `kgscripts_build`, every relation
`kgscripts_build`. Nodes of another graph are in the way if their IRIs have the form of this graph's: its base IRI and
an id. Older versions wrote base IRIs instead of graph ids, so what they exported counts as another graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pyarrow as pa
from attrs import frozen

from exports.neo4j.connection import Database
from exports.neo4j.property_graph import ENDS, KEY, node_batches, portions, quoted, relation_batches
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import StoredGraph
from schemas.vocabulary import ID_PREFIXES

GRAPH, BUILD = "kgscripts_graph", "kgscripts_build"
_ROWS = 10_000
"""Nodes or relations in a transaction that changes or counts them."""
_BYTES = 4 << 20
_TYPES, _LABELS = ("|".join(map(quoted, names)) for names in (RELATION_TYPES, NODE_TYPES))
"""Any type, for one query of all: a server takes longer to plan a query for each than to answer."""


@frozen
class Ownership:
    """The part of a database that belongs to one graph."""

    database: Database
    graph: StoredGraph
    graph_id: str

    def others(self) -> int:
        """The number of nodes of another graph under the base IRI of this one."""
        return sum(self._count(f"{_others(label)} RETURN count(n)") for label in NODE_TYPES)

    def take_over(self) -> None:
        """Make another graph under the base IRI an earlier build of this graph, for `prune` to remove."""
        take = f"UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id SET n.{GRAPH} = $graph RETURN count(*)"
        for label in NODE_TYPES:
            self._change(f"{_others(label)} RETURN elementId(n)", take)

    def prune(self) -> dict[str, int]:
        """Remove what earlier builds of this graph left, except nodes with relations that others added."""
        delete = "UNWIND $ids AS id MATCH ()-[r]->() WHERE elementId(r) = id DELETE r RETURN count(*)"
        find = f"MATCH (a)-[r:{_TYPES}]->(b) WHERE {_is_old_relation(_is_ours)} RETURN elementId(r)"
        relations = self._change(find, delete)
        delete = (
            "UNWIND $ids AS id MATCH (n) WHERE elementId(n) = id AND NOT EXISTS { (n)--() } DELETE n RETURN count(*)"
        )
        find = f"MATCH (n:{_LABELS}) WHERE n.{BUILD} <> $build AND {_is_ours('n')} RETURN elementId(n)"
        return {"removed_relations": relations, "removed_nodes": self._change(find, delete)}

    def prunable(self) -> dict[str, int]:
        """What `prune` would remove after an export: what is old now, without what the export would write again."""
        is_old = _is_old_relation(_will_be_ours)
        old = f"MATCH (a)-[r:{_TYPES}]->(b) WHERE {is_old}"
        relations = self._count(f"{old} RETURN count(r)")
        for name in self._names(f"{old} RETURN DISTINCT type(r)", RELATION_TYPES) if relations else ():
            for ends in RELATION_TYPES[name].ends:
                start, end = (f"{quoted(label)} {{{KEY}: row[{i}]}}" for i, label in enumerate(ends))
                written = f"MATCH (a:{start})-[r:{quoted(name)}]->(b:{end}) WHERE {is_old}"
                relations -= self._count_rows(written, "r", relation_batches(self.graph, name, ends), len(ENDS))
        stays = f"NOT (type(r) IN $types AND coalesce(r.{BUILD}, $build) <> $build AND {_will_be_ours('m')})"
        is_old = f"n.{BUILD} <> $build AND {_will_be_ours('n')} AND NOT EXISTS {{ MATCH (n)-[r]-(m) WHERE {stays} }}"
        old = f"MATCH (n:{_LABELS}) WHERE {is_old}"
        nodes = self._count(f"{old} RETURN count(n)")
        labels = f"{old} UNWIND labels(n) AS label RETURN DISTINCT label"
        for label in self._names(labels, NODE_TYPES) if nodes else ():
            written = f"MATCH (n:{quoted(label)} {{{KEY}: row[0]}}) WHERE {is_old}"
            nodes -= self._count_rows(written, "n", node_batches(self.graph, label), 1)
        return {"removed_relations": relations, "removed_nodes": nodes}

    def _names(self, find: str, known: Iterable[str]) -> set[str]:
        """The known names among those that `find` returns."""
        pages = self.database.pages(find, self._parameters(), _ROWS)
        return {name for page in pages for name in known if name in page}

    def _change(self, find: str, change: str) -> int:
        """Change the nodes or relations whose ids `find` returns, page by page, so that neither side holds all of
        them."""
        parameters = self._parameters()
        pages = self.database.pages(find, parameters, _ROWS)
        return sum(self.database.write(change, parameters | {"ids": ids}) for ids in pages)

    def _count(self, query: str, **parameters: object) -> int:
        return self.database.read(query, self._parameters() | parameters)

    def _count_rows(self, match: str, variable: str, batches: Iterable[pa.RecordBatch], keys: int) -> int:
        """Sum what the rows of a table match; a row is the list of its first `keys` columns."""
        query = f"UNWIND $rows AS row {match} RETURN count({variable})"
        return sum(
            self._count(query, rows=list(zip(*(column.to_pylist() for column in portion.columns[:keys]), strict=True)))
            for batch in batches
            for portion in portions(batch, _ROWS, _BYTES)
        )

    def _parameters(self) -> dict[str, object]:
        base_iri = self.graph.manifest.base_iri
        return {
            "graph": self.graph_id,
            "build": self.graph.build_id,
            "base": base_iri,
            "form": rf"\Q{base_iri}\E({'|'.join(ID_PREFIXES.values())})/[0-9A-Za-z-]+",
            "types": list(RELATION_TYPES),
        }


def _others(label: str) -> str:
    return f"MATCH (n:{quoted(label)}) WHERE n.{KEY} STARTS WITH $base AND {_is_other('n')}"


def _is_other(node: str) -> str:
    is_exported = f"{node}.{BUILD} IS NOT NULL AND coalesce({node}.{GRAPH}, '') <> $graph"
    return f"{is_exported} AND coalesce({node}.{KEY}, '') =~ $form"


def _is_ours(node: str) -> str:
    return f"coalesce({node}.{GRAPH}, '') = $graph"


def _will_be_ours(node: str) -> str:
    """Whether the node is this graph's after another graph under the base IRI was taken over."""
    return f"({_is_ours(node)} OR {_is_other(node)})"


def _is_old_relation(belongs: Callable[[str], str]) -> str:
    return f"r.{BUILD} <> $build AND {belongs('a')} AND {belongs('b')}"
