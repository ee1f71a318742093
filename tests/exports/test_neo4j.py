"""Neo4j: a later build changes what changed, pruning takes only what is ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from exports.cypher.cypher import run_query
from exports.neo4j.ownership import BUILD, GRAPH
from exports.targets import ExportOptions, export
from schemas.errors import ConfigurationError, QueryError, StoreError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from tests.exports.neo4j_server import BoltServer, free_port, sizes, totals
from tests.graphs import Rows, odd_graph, odd_rows, write_graph

pytestmark = pytest.mark.servers
PRUNE = ExportOptions(prune=True)


def without(rows: Rows, label: str) -> Rows:
    """`rows` without the nodes of one type and the relations that end there."""
    prefix = rows[label][0]["id"].partition("/")[0] + "/"
    return {
        name: [
            row
            for row in table
            if not any(str(row.get(column)).startswith(prefix) for column in ("id", "from_id", "to_id"))
        ]
        for name, table in rows.items()
    }


def test_every_node_type_has_a_constraint_and_all_carry_the_build(neo4j_server: BoltServer, tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    assert export(graph, neo4j_server.uri).details["build"] == graph.build_id
    found = neo4j_server.ask("SHOW CONSTRAINTS YIELD labelsOrTypes, properties, type")
    assert sorted(labels[0] for labels, *_ in found) == sorted(NODE_TYPES)
    assert all(properties == ["iri"] and kind == "UNIQUENESS" for _, properties, kind in found)

    nodes = f"MATCH (n) RETURN DISTINCT n.{GRAPH}, n.{BUILD}"
    assert neo4j_server.ask(nodes) == [[graph.graph_id, graph.build_id]]
    assert neo4j_server.ask(f"MATCH ()-[r]->() RETURN DISTINCT r.{BUILD}") == [[graph.build_id]]


def test_a_later_build_changes_what_changed_and_keeps_what_others_added(
    neo4j_server: BoltServer, tmp_path: Path
) -> None:
    rows = odd_rows()
    export(write_graph(tmp_path, rows), neo4j_server.uri)
    neo4j_server.ask("MATCH (n:Action) SET n.embedding = [0.5, 0.25]")
    for row in rows["Action"]:
        row |= {"support": 99, "particle": None}
    export(write_graph(tmp_path, rows), neo4j_server.uri)
    found = neo4j_server.ask("MATCH (n:Action) RETURN DISTINCT n.support, n.particle, n.embedding")
    assert found == [[99, None, [0.5, 0.25]]]


def test_pruning_removes_what_the_new_build_lacks_and_leaves_what_others_own(
    neo4j_server: BoltServer, tmp_path: Path
) -> None:
    rows = odd_rows()
    other = write_graph(tmp_path / "other", rows, "https://example.org/other/")
    export(other, neo4j_server.uri)
    export(write_graph(tmp_path / "a", rows), neo4j_server.uri)
    smaller = write_graph(tmp_path / "a", without(rows, "Tool") | {"NEXT": []})
    neo4j_server.ask("CREATE (:Tool {iri: 'urn:mine', label: 'mine'}), (:Person {name: 'Ada'})")
    iri = smaller.iri(rows["Tool"][0]["id"])
    neo4j_server.ask("MATCH (p:Person), (t:Tool {iri: $iri}) CREATE (p)-[:USES]->(t)", iri=iri)
    before = totals(neo4j_server)
    export(smaller, neo4j_server.uri)
    assert totals(neo4j_server) == before
    foreseen = export(smaller, neo4j_server.uri, ExportOptions(prune=True, dry_run=True)).details
    assert totals(neo4j_server) == before
    removed = export(smaller, neo4j_server.uri, PRUNE).details
    assert removed == foreseen
    assert removed["removed_nodes"] == len(rows["Tool"]) - 1
    ends = [(row["from_id"], row["to_id"]) for name in RELATION_TYPES for row in rows[name]]
    of_tools = sum(any(end.startswith("tool/") for end in own) for own in ends)
    assert removed["removed_relations"] == len(rows["NEXT"]) + of_tools
    assert neo4j_server.ask("MATCH (:Person)-[:USES]->(t:Tool) RETURN t.iri") == [[iri]]
    assert neo4j_server.ask("MATCH (t:Tool {iri: 'urn:mine'}) RETURN t.label") == [["mine"]]
    (ours, our_relations), (theirs, their_relations) = sizes(smaller), sizes(other)
    count = f"MATCH (n) WHERE n.{GRAPH} = $graph RETURN count(n)"
    assert neo4j_server.ask(count, graph=other.graph_id) == [[theirs]]
    assert totals(neo4j_server) == (ours + 1 + theirs + 2, our_relations + their_relations + 1)


def test_a_wrong_password_is_refused(neo4j_server: BoltServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "wrong-password")
    with pytest.raises(StoreError, match="refuses the user name or password") as caught:
        export(odd_graph(tmp_path), neo4j_server.uri)
    assert "wrong-password" not in str(caught.value)
    assert "NEO4J_PASSWORD" in str(caught.value)


def test_a_missing_database_is_named(neo4j_server: BoltServer, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="--database"):
        export(odd_graph(tmp_path), neo4j_server.uri, ExportOptions(database="nowhere"))
    with pytest.raises(StoreError, match="--database"):
        run_query(neo4j_server.uri, "RETURN 1", database="nowhere")


def test_nobody_at_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "some-password")
    with pytest.raises(StoreError, match="cannot be reached"):
        export(odd_graph(tmp_path), f"bolt://127.0.0.1:{free_port()}")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("bolt://neo4j:secret@127.0.0.1:7687", "holds a user name"),
        ("neo4j://127.0.0.1:port", "not the address"),
    ],
)
def test_addresses_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, message: str) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "some-password")
    with pytest.raises(ConfigurationError, match=message) as caught:
        export(odd_graph(tmp_path), target)
    assert "secret" not in str(caught.value)


def test_a_password_is_asked_for_where_none_is_set(
    neo4j_server: BoltServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = odd_graph(tmp_path)
    monkeypatch.delenv("NEO4J_PASSWORD")
    with pytest.raises(ConfigurationError, match="no password"):
        export(graph, neo4j_server.uri)
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return neo4j_server.password

    export(graph, neo4j_server.uri, ExportOptions(ask=ask, dry_run=True))
    assert prompts == [f"Password of neo4j at {neo4j_server.uri}: "]


@pytest.mark.parametrize("text", ["CREATE (n:Tool {iri: 'x'})", "MATCH (n) SET n.label = 'x' RETURN n"])
def test_queries_never_write(neo4j_server: BoltServer, text: str) -> None:
    neo4j_server.ask("CREATE (:Tool {iri: 'urn:a', label: 'a'})")
    with pytest.raises(QueryError, match="writes"):
        run_query(neo4j_server.uri, text)
    assert neo4j_server.ask("MATCH (n) RETURN n.label") == [["a"]]


def test_queries_never_write_on_servers_that_would_let_them(arcadedb_server: BoltServer) -> None:
    arcadedb_server.ask("CREATE (:Tool {iri: 'urn:a', label: 'a'})")
    with pytest.raises(QueryError, match="writes"):
        run_query(arcadedb_server.uri, "MATCH (n:Tool) SET n.label = 'x' RETURN n")
    assert arcadedb_server.ask("MATCH (n:Tool) RETURN n.label") == [["a"]]


def test_a_syntax_error_shows_the_place(neo4j_server: BoltServer) -> None:
    with pytest.raises(QueryError) as caught:
        run_query(neo4j_server.uri, "MATCH (n)\nWHERE '🍝' = = n.label RETURN n")
    assert str(caught.value).startswith("line 2, column 13: Invalid input '='")
    assert str(caught.value).split("\n")[-2:] == ["  WHERE '🍝' = = n.label RETURN n", "  " + " " * 12 + "^"]


def test_an_export_says_what_it_is_doing(neo4j_server: BoltServer, tmp_path: Path) -> None:
    """On standard error, also where that is no terminal; a bar would say nothing there."""
    graph = odd_graph(tmp_path)
    result = CliRunner().invoke(
        cli.app,
        ["export", str(graph.directory), neo4j_server.uri, "--prune"],
        env={"NEO4J_USERNAME": neo4j_server.user, "NEO4J_PASSWORD": neo4j_server.password},
    )
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines() == [
        "Neo4j server: looking for another graph",
        "Neo4j server: creating constraints",
        "Neo4j server: writing nodes",
        "Neo4j server: writing relations",
        "Neo4j server: removing outdated nodes",
    ]


# At the end, with what else changes the schema after them: the server then plans all queries anew.


def test_a_dry_run_writes_nothing(neo4j_server: BoltServer, tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    neo4j_server.ask("DROP CONSTRAINT kgscripts_tool_iri IF EXISTS")
    report = export(graph, neo4j_server.uri, ExportOptions(dry_run=True))
    assert (report.nodes, report.relations) == sizes(graph)
    assert totals(neo4j_server) == (0, 0)
    assert ["Tool"] not in [row[0] for row in neo4j_server.ask("SHOW CONSTRAINTS YIELD labelsOrTypes")]


def test_nodes_in_the_way_of_a_constraint_are_named(neo4j_server: BoltServer, tmp_path: Path) -> None:
    neo4j_server.ask("DROP CONSTRAINT kgscripts_tool_iri IF EXISTS")
    neo4j_server.ask("CREATE (:Tool {iri: 'urn:a'}), (:Tool {iri: 'urn:a'})")
    with pytest.raises(StoreError, match="same label and iri"):
        export(odd_graph(tmp_path), neo4j_server.uri)
