"""A server keeps graphs apart: an export replaces or removes earlier builds of its own graph and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from attrs import evolve

import cli
from exports.neo4j.ownership import Ownership
from exports.rdf import graph_store
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from schemas.errors import StoreError
from schemas.graph_directory import ID
from schemas.vocabulary import DEFAULT_BASE_IRI
from tests.exports.adapters_property_graph import ADAPTERS as PROPERTY_GRAPH
from tests.exports.adapters_rdf import ADAPTERS as RDF
from tests.exports.compliance import Adapter, Content, expected
from tests.exports.fuseki_server import FusekiServer
from tests.exports.neo4j_server import BoltServer
from tests.exports.rdf_content import oxigraph_triples, read_rdf
from tests.graphs import Rows, generated_graph, odd_graph, odd_rows, write_graph

pytestmark = pytest.mark.servers
SERVERS = {"fuseki": RDF["fuseki"]} | {name: PROPERTY_GRAPH[name] for name in ("neo4j", "arcadedb")}
TYPES = ("Scenario", "SubEvent", "Tool", "Source", "Passage", "HAS_SUB_EVENT", "USES", "WITHIN", "REALIZES")
PRUNE = ExportOptions(prune=True)
REPLACE = ExportOptions(replace_graph=True)
BASES = (
    "https://example.org/kg/",
    "https://example.org/kg/two/",
    "https://example.org/kg/tool/",
    "urn:kg:",
    "urn:kg:a/",
)


def some_rows(a_type: int = 10) -> Rows:
    """The odd rows of some types: a server takes longer to plan the queries of a type than to answer them."""
    rows = odd_rows(a_type)
    statements = [row for row in rows["Statement"] if row["relation"] in TYPES]
    return {name: rows[name] for name in TYPES} | {"Statement": statements}


@pytest.fixture(params=SERVERS)
def adapter(request: pytest.FixtureRequest, tmp_path: Path) -> Adapter:
    return SERVERS[request.param](request, tmp_path)


def together(*graphs: ScriptGraph) -> Content:
    contents = [expected(graph) for graph in graphs]
    return Content(
        {iri: row for content in contents for iri, row in content.nodes.items()},
        {ends: row for content in contents for ends, row in content.relations.items()},
    )


def renamed(graph: ScriptGraph) -> ScriptGraph:
    """The same graph with another id."""
    (graph.directory / ID).unlink()
    return graph


def test_another_graph_under_the_same_base_iri_is_left_alone_until_it_is_replaced(
    adapter: Adapter, tmp_path: Path
) -> None:
    theirs, ours = write_graph(tmp_path / "theirs", some_rows()), generated_graph(tmp_path / "ours", 100)
    elsewhere = write_graph(tmp_path / "elsewhere", some_rows(3), f"{DEFAULT_BASE_IRI}tool/")
    for graph in (theirs, elsewhere):
        export(graph, adapter.target)
    for options in (ExportOptions(), ExportOptions(prune=True, dry_run=True)):
        with pytest.raises(StoreError, match="another graph") as caught:
            export(ours, adapter.target, options)
        assert "--replace-graph" in str(caught.value.remedy)
        assert "--base-iri" in str(caught.value.remedy)
    export(ours, adapter.target, evolve(REPLACE, dry_run=True))
    assert adapter.read() == together(theirs, elsewhere)

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(ours, adapter.target, evolve(REPLACE, progress=stop))
    foreseen = export(ours, adapter.target, evolve(REPLACE, dry_run=True)).details
    done = export(ours, adapter.target, REPLACE).details
    counts = {"removed_relations", "removed_nodes", "replaced"} & done.keys()
    assert {name: foreseen[name] for name in counts} == {name: done[name] for name in counts}
    assert adapter.read() == together(ours, elsewhere)
    for graph, what in ((theirs, "other"), (renamed(ours), "the same")):
        with pytest.raises(StoreError, match="another graph"):
            export(graph, adapter.target)
        assert adapter.read() == together(ours, elsewhere), f"refused: a graph of {what} content"


def test_base_iris_that_begin_with_each_other_are_kept_apart(fuseki_server: FusekiServer, tmp_path: Path) -> None:
    graphs = [write_graph(tmp_path / str(i), some_rows(4), base) for i, base in enumerate(BASES)]
    for graph in graphs:
        export(graph, fuseki_server.target)
    graphs[0] = write_graph(graphs[0].directory, some_rows(3), BASES[0])
    export(graphs[0], fuseki_server.target)
    assert read_rdf(oxigraph_triples(fuseki_server.quads())) == together(*graphs)


def test_two_first_exports_at_once_do_not_share_a_base_iri(
    fuseki_server: FusekiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other export claims the base IRI after this one has seen that nobody has it."""
    theirs, ours = odd_graph(tmp_path / "theirs"), generated_graph(tmp_path / "ours", 100)
    take = graph_store._ServerDataset.take

    def late(dataset: graph_store._ServerDataset) -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(graph_store._ServerDataset, "take", take)
            export(theirs, fuseki_server.target)
        return take(dataset)

    monkeypatch.setattr(graph_store._ServerDataset, "take", late)
    with pytest.raises(StoreError, match="another graph"):
        export(ours, fuseki_server.target)
    assert read_rdf(oxigraph_triples(fuseki_server.quads())) == expected(theirs)


@pytest.mark.parametrize("name", ["neo4j", "arcadedb"])
def test_two_first_exports_at_once_do_not_overwrite_each_others_nodes(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other export writes its nodes after this one has seen that there are none."""
    adapter = SERVERS[name](request, tmp_path)
    theirs, ours = write_graph(tmp_path / "theirs", some_rows()), write_graph(tmp_path / "ours", some_rows(3))

    others = Ownership.others

    def late(ownership: Ownership) -> int:
        found = others(ownership)
        with monkeypatch.context() as patch:
            patch.setattr(Ownership, "others", others)
            export(theirs, adapter.target)
        return found

    monkeypatch.setattr(Ownership, "others", late)
    with pytest.raises(StoreError, match="another graph"):
        export(ours, adapter.target)
    assert adapter.read() == expected(theirs)


def test_what_an_older_version_exported_is_another_graph(fuseki_server: FusekiServer, tmp_path: Path) -> None:
    """Whole, and interrupted: then it has no build id, and nothing says whose it is."""
    graph = odd_graph(tmp_path)
    export(graph, fuseki_server.target)
    for pattern in ("?d dcterms:isVersionOf ?g", "?d dcterms:identifier ?i"):
        fuseki_server.update(f"PREFIX dcterms: <http://purl.org/dc/terms/> DELETE WHERE {{ {pattern} }}")
        with pytest.raises(StoreError, match="another graph"):
            export(graph, fuseki_server.target)
    export(graph, fuseki_server.target, REPLACE)
    export(graph, fuseki_server.target)


def changed(rows: Rows) -> Rows:
    """The rows of a later build, which lacks nodes of several types."""
    gone = {rows["Source"][0]["id"], *(row["id"] for row in rows["Passage"][::3] + rows["Model"])}
    gone |= {row["id"] for name in ("SubEvent", "Tool", "Statement") for row in rows[name][1::2]}
    return {
        name: [row for row in table if not gone & {row.get(column) for column in ("id", "from_id", "to_id")}]
        for name, table in rows.items()
    }


@pytest.mark.parametrize("change", ["nodes removed", "another base IRI"])
def test_a_dry_run_counts_exactly_what_the_run_removes(neo4j_server: BoltServer, tmp_path: Path, change: str) -> None:
    """The run itself is the oracle. Relations that others added keep some nodes, and a third build is there too."""
    rows = odd_rows()
    graph = write_graph(tmp_path, rows)
    export(generated_graph(tmp_path, 60), neo4j_server.uri)
    export(write_graph(tmp_path, rows), neo4j_server.uri)
    new = (
        write_graph(tmp_path, rows, "https://example.org/new/")
        if change == "another base IRI"
        else write_graph(tmp_path, changed(rows))
    )
    tools = [graph.iri(row["id"]) for row in rows["Tool"]]
    for query in (
        "CREATE (:Person {name: 'Ada'})-[:OWNS]->(:Tool {iri: 'urn:mine', label: 'mine'})",
        "MATCH (p:Person), (t:Tool {iri: $tool}) CREATE (p)-[:OWNS]->(t)",
        "MATCH (t:Tool {iri: $tool}), (s:Scenario) WITH t, s ORDER BY s.iri LIMIT 1 CREATE (s)-[:USES]->(t)",
        "MATCH (p:Person), (m:Model) WITH p, m ORDER BY m.iri LIMIT 2 CREATE (m)-[:OF]->(p)",
        "MATCH (p:Passage) WITH p ORDER BY p.iri LIMIT 1 CREATE (p)-[:NEXT]->(p)",
    ):
        neo4j_server.ask(query, tool=tools[1])
    everything = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN properties(n), properties(r), elementId(r)"
    before = sorted(map(repr, neo4j_server.ask(everything)))
    foreseen = export(new, neo4j_server.uri, evolve(PRUNE, dry_run=True)).details
    assert sorted(map(repr, neo4j_server.ask(everything))) == before
    assert export(new, neo4j_server.uri, PRUNE).details == foreseen
    assert int(foreseen["removed_nodes"]) > 60
    old = "MATCH (n) WHERE n.kgscripts_build <> $build"
    for_others = "EXISTS { MATCH (n)-[r]-() WHERE r.kgscripts_build IS NULL }"
    kept = neo4j_server.ask(f"{old} RETURN count(n), sum(CASE WHEN {for_others} THEN 1 ELSE 0 END)", build=new.build_id)
    assert kept[0][0] == kept[0][1] >= 1
    assert export(new, neo4j_server.uri, evolve(PRUNE, dry_run=True)).details["removed_nodes"] == 0


def test_the_command_refuses_and_replaces(
    fuseki_server: FusekiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    export(odd_graph(tmp_path / "theirs"), fuseki_server.target)
    ours = generated_graph(tmp_path / "ours", 100)
    for flags, code in (([], 2), (["--replace-graph"], 0)):
        monkeypatch.setattr(sys, "argv", ["kgscripts", "export", str(ours.directory), fuseki_server.target, *flags])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == code
        assert ("--replace-graph" in capsys.readouterr().err) == bool(code)
