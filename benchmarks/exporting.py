"""Exports of a generated graph, beside the plain way: rdflib's own serialiser, one quad or one MERGE a row.

The plain way is measured on a smaller graph, since on the whole one it takes an hour; rates are in relations a second.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Measurement, Row, measure, ratio
from benchmarks.servers import neo4j
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from schemas.graph_types import RELATION_TYPES
from schemas.tables import TABLE_NAMES
from schemas.vocabulary import ONTOLOGY_IRI

RELATIONS = 1_000_000
PLAIN_RELATIONS = 20_000
_LEAST = 10
_MERGE_NODE = "MERGE (n:Passage {id: $id}) SET n.text = $text"
_MERGE_RELATION = "MATCH (a:Passage {id: $from_id}), (b:Passage {id: $to_id}) MERGE (a)-[:NEXT]->(b)"


def generate(directory: Path, relations: int) -> Callable[[], int]:
    """Generate a graph (in a process of its own: the generator holds it in memory)."""
    from tests.graphs import generated_graph

    def call() -> int:
        graph = generated_graph(directory, relations)
        return sum(graph.manifest.rows(name) for name in RELATION_TYPES)

    return call


def export_to(directory: Path, target: str) -> Callable[[], int]:
    """Export the graph in `directory` to `target`; the number of relations."""
    graph = ScriptGraph.open(directory)
    return lambda: export(graph, target, ExportOptions()).relations


def rdflib_way(directory: Path, target: Path) -> Callable[[], int]:
    """The plain way to N-Quads: every row into an rdflib Dataset, written by its own serialiser."""
    from rdflib import Dataset, Literal, URIRef

    graph = ScriptGraph.open(directory)

    def call() -> int:
        dataset, rows = Dataset(), 0
        for name in TABLE_NAMES:
            for row in graph.rows(name):
                subject = URIRef(graph.iri(row.get("id") or row["from_id"]))
                if "to_id" in row:
                    rows += 1
                    dataset.add((subject, URIRef(ONTOLOGY_IRI + name), URIRef(graph.iri(row["to_id"]))))
                for key, value in row.items():
                    if value is not None and not key.endswith("id"):
                        dataset.add((subject, URIRef(ONTOLOGY_IRI + key), Literal(value)))
        dataset.serialize(target, format="nquads", encoding="utf-8")
        return rows

    return call


def add_a_quad(quads: Path, target: Path) -> Callable[[], None]:
    """The plain way into Oxigraph: one `add` a quad."""
    from pyoxigraph import RdfFormat, Store, parse

    def call() -> None:
        store = Store(target)
        for quad in parse(path=quads, format=RdfFormat.N_QUADS):
            store.add(quad)
        store.flush()

    return call


def merge_a_row(directory: Path, target: str) -> Callable[[], int]:
    """The plain way to Neo4j, or into a file of Ladybug: nodes and relations by one MERGE a row."""
    import ladybug
    from neo4j import GraphDatabase

    graph = ScriptGraph.open(directory)

    def call() -> int:
        if "://" not in target:
            run = ladybug.Connection(ladybug.Database(target)).execute
            run("CREATE NODE TABLE Passage(id STRING PRIMARY KEY, text STRING)")
            run("CREATE REL TABLE NEXT(FROM Passage TO Passage)")
            return merge(run)
        auth = os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"]
        with GraphDatabase.driver(target, auth=auth) as driver, driver.session() as session:
            session.run("CREATE CONSTRAINT plain IF NOT EXISTS FOR (n:Passage) REQUIRE n.id IS UNIQUE").consume()
            return merge(lambda query, row: session.run(query, row).consume())

    def merge(run: Callable[..., object]) -> int:
        for row in graph.rows("Passage"):
            run(_MERGE_NODE, {"id": row["id"], "text": row["text"]})
        relations = list(graph.rows("NEXT"))
        for row in relations:
            run(_MERGE_RELATION, row)
        return len(relations)

    return call


def rows() -> Iterator[Row]:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large, small, quads = folder / "large", folder / "small", folder / "small.nq"
        count, few = (measure(generate, *of).value for of in ((large, RELATIONS), (small, PLAIN_RELATIONS)))
        measure(export_to, small, str(quads))

        def row(what: str, target: str, plain: Measurement, relations: int) -> Row:
            measured = measure(export_to, large, target)
            return ratio(what, count / measured.seconds, relations / plain.seconds, "relations/s", least=_LEAST)

        plain = measure(rdflib_way, small, folder / "plain.nq")
        yield row("N-Quads against rdflib, its own serialiser", str(folder / "graph.nq"), plain, few)
        plain = measure(add_a_quad, quads, folder / "plain.oxigraph")
        yield row("Oxigraph against one quad at a time", f"oxigraph:{folder / 'store'}", plain, few)
        plain = measure(merge_a_row, small, str(folder / "plain.lbug"))
        yield row("Ladybug against one MERGE a row", str(folder / "graph.lbug"), plain, plain.value)
        with neo4j() as address:
            if address is None:
                yield Row("Neo4j", "no server at hand")
                return
            plain = measure(merge_a_row, small, address)
            yield row("Neo4j against one MERGE a row", address, plain, plain.value)
