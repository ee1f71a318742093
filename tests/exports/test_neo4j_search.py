"""Neo4j: indexes of names and of vectors, and the queries of the guide over them."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports.cypher import run_query
from exports.neo4j_search import NAMES, vector_index
from exports.targets import ExportOptions, export
from kgscripts.finding.searching import question_vector, vectors_of
from schemas.errors import ModelError
from schemas.found import Kind
from schemas.script_graph import ScriptGraph
from tests.exports.kitchen import kitchen_graph
from tests.exports.neo4j_server import BoltServer

pytestmark = pytest.mark.servers
INDEXES = ExportOptions(indexes=True)


@pytest.fixture
def kitchen(tmp_path: Path) -> ScriptGraph:
    return kitchen_graph(tmp_path / "kitchen")


def wait(server: BoltServer) -> None:
    server.ask("CALL db.awaitIndexes(60)")


def test_names_are_found_by_full_text(
    neo4j_server: BoltServer, kitchen: ScriptGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(kitchen, neo4j_server.uri, INDEXES)
    wait(neo4j_server)
    query = f"CALL db.index.fulltext.queryNodes('{NAMES}', 'drain') YIELD node, score RETURN node.label, score"
    assert neo4j_server.ask(query)[0][0] == "drain pasta"
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.user)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.password)
    assert run_query(neo4j_server.uri, query).rows[0][0] == "drain pasta"


def test_steps_are_found_by_meaning(neo4j_server: BoltServer, kitchen: ScriptGraph) -> None:
    assert export(kitchen, neo4j_server.uri, INDEXES).details["vectors"] == len(list(vectors_of(kitchen)))
    wait(neo4j_server)
    vector = question_vector("dish out the meal")
    found = neo4j_server.ask(
        f"CALL db.index.vector.queryNodes('{vector_index(Kind.STEP)}', 1, {vector}) YIELD node RETURN node.label"
    )
    assert found == [["serve pasta"]]


def test_a_second_export_writes_the_same(neo4j_server: BoltServer, kitchen: ScriptGraph) -> None:
    counts = []
    for _ in range(2):
        export(kitchen, neo4j_server.uri, INDEXES)
        indexes = neo4j_server.ask("SHOW INDEXES YIELD name WHERE name STARTS WITH 'kgscripts' RETURN count(*)")
        counts.append([indexes, neo4j_server.ask("MATCH (n) WHERE n.vector IS NOT NULL RETURN count(n)")])
    assert counts[0] == counts[1]


def test_without_minilm_the_export_says_so(
    neo4j_server: BoltServer, kitchen: ScriptGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ModelError("MiniLM is nowhere")

    monkeypatch.setattr("kgscripts.models.sentence_vectors.shared_minilm", missing)
    with pytest.raises(ModelError, match="MiniLM is nowhere"):
        export(kitchen, neo4j_server.uri, INDEXES)
