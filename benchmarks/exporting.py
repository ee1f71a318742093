"""Exports of a generated graph, beside the plain way: rdflib's own serialiser, one quad or one MERGE a row.

The plain way is measured on a smaller graph, since on the whole one it takes an hour; rates are in relations a second.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Measurement, Row, at_least, at_most, measure
from benchmarks.neo4j_server import Server, neo4j_server
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.tables import TABLE_NAMES
from schemas.vocabulary import ONTOLOGY_IRI

RELATIONS = 1_000_000
PLAIN_RELATIONS = 20_000
FILES = {"N-Quads": "graph.nq", "Oxigraph": "oxigraph:store", "Ladybug": "graph.lbug"}

_PLAIN = {"N-Quads": "rdflib, its own serialiser", "Oxigraph": "one quad at a time", "Ladybug": "one MERGE a row"}


def generate(directory: Path, relations: int) -> Callable[[], int]:
    """Generate a graph (in a process of its own: the generator holds it in memory)."""
    from tests.graphs import generated_graph

    def call() -> int:
        graph = generated_graph(directory, relations)
        return sum(graph.manifest.rows(name) for name in RELATION_TYPES)

    return call


def export_to(directory: Path, target: str) -> Callable[[], int]:
    """Export the graph in `directory` to `target`."""
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


def add_a_quad(quads: Path, target: Path) -> Callable[[], int]:
    """The plain way into Oxigraph: one `add` a quad."""
    from pyoxigraph import RdfFormat, Store, parse

    def call() -> int:
        store = Store(target)
        for quad in parse(path=quads, format=RdfFormat.N_QUADS):
            store.add(quad)
        store.flush()
        return 0

    return call


def merge_a_ladybug_row(directory: Path, target: Path) -> Callable[[], int]:
    """The plain way into Ladybug: one MERGE a row."""
    import ladybug

    graph = ScriptGraph.open(directory)

    def call() -> int:
        connection = ladybug.Connection(ladybug.Database(str(target)))
        connection.execute("CREATE NODE TABLE Passage(id STRING PRIMARY KEY, text STRING)")
        connection.execute("CREATE REL TABLE NEXT(FROM Passage TO Passage)")
        for row in graph.rows("Passage"):
            node = {"id": row["id"], "text": row["text"]}
            connection.execute("MERGE (n:Passage {id: $id}) SET n.text = $text", node)
        rows = 0
        for row in graph.rows("NEXT"):
            connection.execute("MATCH (a:Passage {id: $from_id}), (b:Passage {id: $to_id}) MERGE (a)-[:NEXT]->(b)", row)
            rows += 1
        return rows

    return call


def merge_a_row(directory: Path, uri: str, password: str) -> Callable[[], int]:
    """The plain way to Neo4j: nodes and relations by one MERGE a row, each its own transaction."""
    from neo4j import GraphDatabase

    graph = ScriptGraph.open(directory)

    def call() -> int:
        rows = 0
        with GraphDatabase.driver(uri, auth=("neo4j", password)) as driver, driver.session() as session:
            session.run("CREATE CONSTRAINT plain IF NOT EXISTS FOR (n:Passage) REQUIRE n.id IS UNIQUE").consume()
            for row in graph.rows("Passage"):
                session.run("MERGE (n:Passage {id: $id}) SET n.text = $text", id=row["id"], text=row["text"]).consume()
            for row in graph.rows("NEXT"):
                session.run(
                    "MATCH (a:Passage {id: $from_id}), (b:Passage {id: $to_id}) MERGE (a)-[:NEXT]->(b)", row
                ).consume()
                rows += 1
        return rows

    return call


def _rate(measurement: Measurement, relations: int) -> float:
    return relations / measurement.seconds


def rows() -> Iterator[Row]:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large, tenth, small = folder / "large", folder / "tenth", folder / "small"
        count = int(measure(generate, large, RELATIONS).value)
        measure(generate, tenth, RELATIONS // 10)
        small_count = int(measure(generate, small, PLAIN_RELATIONS).value)
        plain_quads = folder / "small.nq"
        measure(export_to, small, str(plain_quads))
        merged = measure(merge_a_ladybug_row, small, folder / "plain.lbug")
        plain = {
            "N-Quads": _rate(measure(rdflib_way, small, folder / "plain.nq"), small_count),
            "Oxigraph": _rate(measure(add_a_quad, plain_quads, folder / "plain.oxigraph"), small_count),
            "Ladybug": _rate(merged, int(merged.value)),
        }
        for what, target in FILES.items():
            scheme, colon, path = target.rpartition(":")
            whole = measure(export_to, large, f"{scheme}{colon}{folder / path}")
            part = measure(export_to, tenth, f"{scheme}{colon}{folder / ('tenth-' + path)}")
            yield from _file_rows(what, whole, part, count, plain[what])
        yield from _neo4j_rows(large, count, small)


def _file_rows(what: str, whole: Measurement, part: Measurement, count: int, plain: float) -> Iterator[Row]:
    yield at_most(f"{what}: {count:,} relations", whole.seconds, 60, "s")
    growth, peak = whole.peak_mib / part.peak_mib, f"{whole.peak_mib:.0f} MiB"
    yield at_most(f"{what}: memory, ten times the graph", growth, 1.5, "x", peak)
    yield at_least(f"{what}: against {_PLAIN[what]}", _rate(whole, count) / plain, 10, "x")


def _neo4j_rows(graph: Path, count: int, small: Path) -> Iterator[Row]:
    with neo4j_server() as server:
        if server is None:
            yield Row("Neo4j", "no server at hand", "10,000 relations/s")
            return
        plain: Any = measure(merge_a_row, small, server.uri, server.password)
        plain_rate = plain.value / plain.seconds
        whole = measure(export_to, graph, server.uri)
        again = measure(export_to, graph, server.uri)
        rate = _rate(whole, count)
        _check_counts(graph, server)
        what, peak = f"Neo4j: {count:,} relations and their nodes", f"{whole.peak_mib:.0f} MiB"
        yield at_least(what, rate, 10_000, "relations/s", peak)
        yield at_least("Neo4j: the same again, nothing twice", _rate(again, count), 10_000, "relations/s")
        yield at_least("Neo4j: against one MERGE a row", rate / plain_rate, 10, "x")


def _check_counts(directory: Path, server: Server) -> None:
    """Every node and relation of the graph is on the server, and once.

    Raises
    ------
    RuntimeError
        If the counts differ.
    """
    from neo4j import GraphDatabase

    rows = ScriptGraph.open(directory).manifest.rows
    with GraphDatabase.driver(server.uri, auth=("neo4j", server.password)) as driver, driver.session() as session:
        for query, names in (
            ("MATCH (n) WHERE n.iri IS NOT NULL UNWIND labels(n) AS name RETURN name, count(*)", NODE_TYPES),
            ("MATCH (a)-[r]->() WHERE a.iri IS NOT NULL RETURN type(r) AS name, count(*)", RELATION_TYPES),
        ):
            found = dict(session.run(query).values())
            expected = {name: rows(name) for name in names if rows(name)}
            if {name: found.get(name) for name in expected} != expected:
                raise RuntimeError(f"Neo4j holds {found} instead of {expected}")
