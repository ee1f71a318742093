"""Neo4j: indexes of names and of vectors, and the queries of the guide over them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from exports.cypher.cypher import run_query
from exports.neo4j.search import NAMES, vector_index
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from kgscripts.search.entries import Kind
from kgscripts.search.searching import question_vector, vectors_of
from schemas.errors import ModelError
from tests.exports.kitchen import kitchen_graph
from tests.exports.neo4j_server import BoltServer

pytestmark = pytest.mark.servers
INDEXES = ExportOptions(indexes=True)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("search") / "kitchen")


@pytest.fixture(scope="module")
def server(neo4j_session: BoltServer, kitchen: ScriptGraph) -> Iterator[BoltServer]:
    """Neo4j with the kitchen and its indexes, its user in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        neo4j_session.use(patch)
        report = export(kitchen, neo4j_session.uri, INDEXES)
        assert report.details["vectors"] == len(list(vectors_of(kitchen)))
        neo4j_session.ask("CALL db.awaitIndexes(60)")
        yield neo4j_session
    neo4j_session.empty()


def test_names_are_found_by_full_text(server: BoltServer) -> None:
    query = f"CALL db.index.fulltext.queryNodes('{NAMES}', 'drain') YIELD node, score RETURN node.label, score"
    assert server.ask(query)[0][0] == "drain pasta"
    assert run_query(server.uri, query).rows[0][0] == "drain pasta"


def test_steps_are_found_by_meaning(server: BoltServer) -> None:
    vector = question_vector("dish out the meal")
    found = server.ask(
        f"CALL db.index.vector.queryNodes('{vector_index(Kind.STEP)}', 1, {vector}) YIELD node RETURN node.label"
    )
    assert found == [["serve pasta"]]


def test_a_second_export_writes_the_same(server: BoltServer, kitchen: ScriptGraph) -> None:
    def counts() -> list[list[list[int]]]:
        indexes = server.ask("SHOW INDEXES YIELD name WHERE name STARTS WITH 'kgscripts' RETURN count(*)")
        return [indexes, server.ask("MATCH (n) WHERE n.vector IS NOT NULL RETURN count(n)")]

    before = counts()
    export(kitchen, server.uri, INDEXES)
    assert counts() == before


def test_without_minilm_the_export_says_so(
    server: BoltServer, kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The graph keeps the vectors that it has.
    copy = copytree(kitchen.directory, tmp_path / "kitchen", ignore=ignore_patterns("stores"))

    def missing(*_: object) -> None:
        raise ModelError("MiniLM is nowhere")

    monkeypatch.setattr("kgscripts.models.sentence_vectors.shared_minilm", missing)
    with pytest.raises(ModelError, match="MiniLM is nowhere"):
        export(ScriptGraph.open(copy), server.uri, INDEXES)
