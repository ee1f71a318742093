"""Indexes of a Neo4j database for searches: full text over names, and vectors of steps, tools and scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from operator import itemgetter

from exports.neo4j.connection import Database
from exports.neo4j.ownership import GRAPH
from exports.neo4j.property_graph import KEY, quoted
from kgscripts.search.entries import Kind
from kgscripts.search.searching import vectors_of
from schemas.script_graph import StoredGraph

NAMES = "kgscripts_names"
"""The full-text index of labels."""
VECTOR = "vector"
"""The property of a node's vector."""
_LABELS = {Kind.STEP: "SubEvent", Kind.TOOL: "Tool", Kind.SCENARIO: "Scenario"}
_ROWS = 500


def vector_index(kind: Kind) -> str:
    """The name of the index of the vectors of a kind."""
    return f"kgscripts_{kind}_vectors"


def write_indexes(database: Database, graph: StoredGraph, graph_id: str) -> int:
    """Give the nodes of a graph their vectors, and create the indexes; the number of vectors.

    Raises
    ------
    ModelError
        If MiniLM, which makes the vectors, cannot be found.
    StoreError
        If the server fails or has no such indexes.
    """
    written, size = 0, 0
    for label, rows in groupby(node_vectors(graph), key=itemgetter(0)):
        query = (
            f"UNWIND $rows AS row MATCH (n:{quoted(label)} {{{KEY}: row[0]}}) WHERE n.{GRAPH} = $graph "
            f"SET n.{VECTOR} = row[1] RETURN count(*)"
        )
        while batch := [(iri, vector) for _, iri, vector in islice(rows, _ROWS)]:
            size = len(batch[0][1])
            written += database.write(query, {"rows": batch, "graph": graph_id})
    for statement in index_statements(size):
        database.run(statement)
    return written


def node_vectors(graph: StoredGraph) -> Iterator[tuple[str, str, list[float]]]:
    """The label, the IRI and the vector of each node that has one: label by label, each in the order of its table.

    Raises
    ------
    ModelError
        If MiniLM, which makes the vectors, cannot be found.
    """
    return ((_LABELS[kind], iri, vector) for kind, iri, vector in vectors_of(graph))


def index_statements(size: int) -> Iterator[str]:
    """A Cypher statement for each index; those of vectors, of `size` numbers, are left out if it is 0."""
    labels = "|".join(_LABELS.values())
    yield f"CREATE FULLTEXT INDEX {NAMES} IF NOT EXISTS FOR (n:{labels}) ON EACH [n.label, n.label_text]"
    if size:
        for kind, label in _LABELS.items():
            yield (
                f"CREATE VECTOR INDEX {vector_index(kind)} IF NOT EXISTS FOR (n:{label}) ON (n.{VECTOR}) OPTIONS "
                f"{{indexConfig: {{`vector.dimensions`: {size}, `vector.similarity_function`: 'cosine'}}}}"
            )
