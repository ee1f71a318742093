"""SPARQL: over the union of graphs, reading only, never out to the network, errors at their place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from exports.query.sparql import embedded_store, run_query
from exports.rdf.sparql_client import PASSWORD
from exports.targets import export
from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError, QueryError, StoreError
from schemas.results import ResultFormat, Table
from tests.exports.fuseki_server import FusekiServer
from tests.exports.neo4j_server import free_port
from tests.graphs import generated_graph, odd_graph, odd_rows, write_graph

COUNT = "SELECT (COUNT(*) AS ?tools) { ?tool a kgs:Tool }"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("sparql") / "graph")


def test_a_query_sees_knowledge_and_texts_together(graph: ScriptGraph) -> None:
    query = """SELECT ?text ?label {
      ?passage kgs:realizes ?step ; kgs:text ?text . ?step a kgs:SubEvent ; rdfs:label ?label
    }"""
    texts = {row["id"]: row["text"] for row in graph.rows("Passage")}
    labels = {row["id"]: row["label"] for row in graph.rows("SubEvent")}
    expected = sorted((texts[row["from_id"]], labels[row["to_id"]]) for row in graph.rows("REALIZES"))
    assert sorted(run_query(graph, query).rows, key=str) == sorted(expected, key=str)


def test_a_query_can_name_the_graph_of_a_source(graph: ScriptGraph) -> None:
    source = next(graph.rows("Source"))
    query = f"SELECT ?name {{ GRAPH data:{source['id'].replace('/', chr(92) + '/')} {{ ?source kgs:name ?name }} }}"
    assert run_query(graph, query).rows == ((source["name"],),)


def test_a_query_can_choose_its_dataset(graph: ScriptGraph) -> None:
    source = graph.iri(next(graph.rows("Source"))["id"])
    passages = [row for row in graph.rows("Passage") if graph.iri(row["source"]) == source]
    query = f"SELECT (COUNT(?p) AS ?n) FROM <{source}> {{ ?p a kgs:Passage }}"
    assert run_query(graph, query).rows == ((len(passages),),)


def test_values_come_back_as_what_they_are(graph: ScriptGraph) -> None:
    query = """SELECT ?iri ?text ?integer ?decimal ?double ?yes ?date ?broken ?none {
      VALUES (?iri ?text ?integer ?decimal ?double ?yes ?date ?broken ?none) {
        (kgs:uses "a\\u0000b" 7 2.5 1e-3 true "2026-01-02"^^xsd:date "x"^^xsd:integer UNDEF) } }"""
    table = run_query(graph, query)
    assert table.columns == ("iri", "text", "integer", "decimal", "double", "yes", "date", "broken", "none")
    uses = "https://w3id.org/kgscripts/ontology#uses"
    assert table.rows == ((uses, "a\0b", 7, 2.5, 0.001, True, "2026-01-02", "x", None),)
    assert [type(value) for value in table.rows[0]][2:6] == [int, float, float, bool]


@pytest.mark.parametrize(("query", "answer"), [("ASK { ?t a kgs:Tool }", True), ("ASK { ?t a kgs:Tol }", False)])
def test_ask_answers_one_row(graph: ScriptGraph, query: str, answer: bool) -> None:
    assert run_query(graph, query) == Table(columns=("answer",), rows=((answer,),))


@pytest.mark.parametrize("query", ["CONSTRUCT { ?t kgs:label ?l } WHERE { ?t a kgs:Tool ; rdfs:label ?l }"])
def test_construct_answers_triples(graph: ScriptGraph, query: str) -> None:
    table = run_query(graph, query)
    assert table.columns == ("subject", "predicate", "object")
    assert {row[2] for row in table.rows} == {row["label"] for row in graph.rows("Tool")}


def test_describe_answers_triples(graph: ScriptGraph) -> None:
    tool = graph.iri(next(graph.rows("Tool"))["id"])
    assert {row[0] for row in run_query(graph, f"DESCRIBE <{tool}>").rows} == {tool}


@pytest.mark.parametrize(
    "query",
    [
        "INSERT DATA { <a:b> <a:c> 1 }",
        "PREFIX x: <a:> DELETE WHERE { ?s ?p ?o }",
        "# a comment: SELECT\nDROP ALL",
        "load <http://127.0.0.1/x>",
        "CLEAR ALL",
        "COPY DEFAULT TO <a:b>",
        "WITH <a:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "SELECT * { } ; INSERT DATA { <a:b> <a:c> 1 }",
    ],
)
def test_queries_only_read(graph: ScriptGraph, query: str) -> None:
    before = run_query(graph, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
    with pytest.raises(QueryError):
        run_query(graph, query)
    assert run_query(graph, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }") == before


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server that notes who calls; its address and the paths it was asked for."""
    called: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            called.append(self.path)
            self.send_response(200)
            self.end_headers()

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/", called
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { SERVICE <URL> { ?s ?p ?o } }",
        "SELECT * { service silent<URL>{ ?s ?p ?o } }",
        "SELECT * { ?s ?p 1.SERVICE<URL>{ ?x ?y ?z } }",
        "SELECT * { ?s ?p 1SERVICE <URL> { ?x ?y ?z } }",
        "SELECT * { ?s ?p trueSERVICE <URL> { ?x ?y ?z } }",
        'SELECT * { ?s ?p "\'"SERVICE<URL>{ ?x ?y ?z } }',
        "SELECT * { ?s ?p 'a\\'#'.#'\n SERVICE <URL> { ?x ?y ?z } }",
        'SELECT * { ?s ?p """a"b""" . SERVICE <URL> { ?x ?y ?z } }',
        "PREFIX : <URL> SELECT * { SERVICE:x { ?s ?p ?o } }",
        "PREFIX : <URL> SELECT * { ?s ?p ?o.SERVICE :x { ?s ?p ?o } }",
        "PREFIX SERVICE: <URL> SELECT * { SERVICE SERVICE:x { ?s ?p ?o } }",
        "SELECT * { VALUES ?g { <URL> } SERVICE ?g { ?s ?p ?o } }",
        "SELECT * { { SELECT * { SERVICE <URL> { ?s ?p ?o } } } }",
        "SELECT * { FILTER EXISTS { SERVICE <URL> { ?s ?p ?o } } }",
        "SELECT * { ?s ?p ?x FILTER(?x<3)SERVICE<URL>{ ?s ?p ?o } }",
        "SELECT * # <\n{ SERVICE <URL> { ?s ?p ?o } }",
        "SELECT * { \\u0053ERVICE <URL> { ?s ?p ?o } }",
        "SELECT * FROM <URL> { ?s ?p ?o }",
        "SELECT * FROM <URL> FROM NAMED <URL> { ?s ?p ?o }",
        "SELECT * FROM NAMED <URL> { GRAPH ?g { ?s ?p ?o } }",
        "LOAD <URL>",
    ],
)
def test_no_query_goes_out_to_the_network(graph: ScriptGraph, listener: tuple[str, list[str]], query: str) -> None:
    address, called = listener
    refused = "SERVICE" in query.upper() or "LOAD" in query or "u0053" in query
    if refused:
        with pytest.raises(QueryError):
            run_query(graph, query.replace("URL", address))
    else:
        assert run_query(graph, query.replace("URL", address)).rows == ()
    assert called == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?service { ?service a kgs:Tool }",
        "SELECT $service { $service a kgs:Tool } # SERVICE <x>",
        "SELECT ?t { ?t a kgs:Tool FILTER(?t != <http://x/SERVICE>) }",
        "SELECT ?t { ?t a kgs:Tool FILTER(STR(?t) != 'SERVICE <http://x>') }",
        "SELECT ?t { ?t a kgs:Tool FILTER NOT EXISTS { ?t kgs:service ?x } }",
        "SELECT ?t { ?t a kgs:Tool FILTER(STR(?t) != '''it's a SERVICE''') }",
    ],
)
def test_the_word_service_is_no_crime(graph: ScriptGraph, query: str) -> None:
    assert len(run_query(graph, query).rows) == graph.manifest.rows("Tool")


@pytest.mark.parametrize(
    ("query", "place", "shown"),
    [
        ("SELECT * {\n  ?s ?p }", "line 2, column 10", "  ?s ?p }\n           ^"),
        ("SELECT * { ?s ?p ?o", "line 1, column 20", "?s ?p ?o\n                     ^"),
        ("SELECT * { ?🍝", "line 1, column 14", "?🍝\n               ^"),
        ("SELECT * { SERVICE <http://x> {} }", "line 1, column 12", "             ^"),
        ("ASK {\n\n?s foo:bar 1 }", "line 3, column", "^"),
    ],
)
def test_a_syntax_error_shows_its_place(graph: ScriptGraph, query: str, place: str, shown: str) -> None:
    with pytest.raises(QueryError) as caught:
        run_query(graph, query)
    assert place in (caught.value.where or "")
    assert shown in str(caught.value)


@pytest.mark.parametrize("query", ["", "  \n", "# only a comment", "PREFIX", "selec", "{}", "\0", "SELECT", "?x", "<a"])
def test_what_is_no_query_is_said(graph: ScriptGraph, query: str) -> None:
    with pytest.raises(QueryError):
        run_query(graph, query)


def test_an_unknown_prefix_is_named_with_the_known_ones(graph: ScriptGraph) -> None:
    with pytest.raises(QueryError, match=r"(?s)prefix is not declared.*kgs:, rdf:"):
        run_query(graph, "ASK { ?s nope:x ?o }")


def test_ones_own_prefix_comes_before_the_known_one(graph: ScriptGraph) -> None:
    assert run_query(graph, f"PREFIX kgs: <a:> {COUNT}").rows == ((0,),)


def test_the_embedded_store_is_built_once_and_again_when_the_graph_changed(tmp_path: Path) -> None:
    rows = odd_rows()
    first = write_graph(tmp_path, rows)
    assert run_query(first, COUNT).rows == ((len(rows["Tool"]),),)
    store = embedded_store(first)
    before = {path: path.stat().st_mtime_ns for path in store.iterdir()}
    run_query(first, COUNT)
    assert {path: path.stat().st_mtime_ns for path in store.iterdir()} == before
    rows["Tool"], rows["USES"] = rows["Tool"][:3], []
    second = write_graph(tmp_path, rows)
    assert run_query(second, COUNT).rows == ((3,),)
    assert [path.name for path in (tmp_path / "stores").glob("oxi*")] == [f"oxigraph-{second.build_id}"]


def test_what_a_killed_build_of_the_store_left_goes(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    left = tmp_path / "stores" / f".oxigraph-{graph.build_id}.abc123" / "new"
    left.mkdir(parents=True)
    (left / "CURRENT").write_text("half a store")
    assert run_query(graph, COUNT).rows == ((10,),)
    assert not left.parent.exists()


def test_two_processes_ask_a_new_graph_at_once(tmp_path: Path) -> None:
    generated_graph(tmp_path, 2_000)
    code = (
        "import sys; from exports.query.sparql import run_query; from kgscripts import ScriptGraph; "
        f"print(run_query(ScriptGraph.open(sys.argv[1]), {COUNT!r}).rows)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(tmp_path)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) for _ in range(2)
    ]
    answers = [process.communicate(timeout=120) for process in running]
    assert [out for out, _ in answers] == [b"((200,),)\n"] * 2, answers


def test_an_exported_store_is_asked_by_its_path(graph: ScriptGraph, tmp_path: Path) -> None:
    export(graph, f"oxigraph:{tmp_path / 'store'}")
    assert run_query(tmp_path / "store", COUNT) == run_query(graph, COUNT)


def test_a_store_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not an Oxigraph store"):
        run_query(tmp_path / "nothing", COUNT)
    with pytest.raises(StoreError, match="is not an Oxigraph store"):
        run_query(tmp_path, COUNT)


def test_a_damaged_store_is_said(graph: ScriptGraph, tmp_path: Path) -> None:
    export(graph, str(tmp_path / "g.oxigraph"))
    (tmp_path / "g.oxigraph" / "CURRENT").write_text("MANIFEST-999999\n")
    with pytest.raises(StoreError, match="cannot be opened"):
        run_query(tmp_path / "g.oxigraph", COUNT)


def test_an_export_of_others_is_not_replaced(graph: ScriptGraph, tmp_path: Path) -> None:
    (tmp_path / "mine.oxigraph").mkdir()
    (tmp_path / "mine.oxigraph" / "notes").write_text("my notes")
    with pytest.raises(StoreError, match="not made by an export"):
        export(graph, str(tmp_path / "mine.oxigraph"))
    assert (tmp_path / "mine.oxigraph" / "notes").read_text() == "my notes"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.servers
def test_a_server_gives_the_same_answers(graph: ScriptGraph, fuseki_server: FusekiServer) -> None:
    export(graph, fuseki_server.target)
    address = f"{fuseki_server.address}/query"
    for query in (
        "SELECT ?label ?support { ?t a kgs:Tool ; rdfs:label ?label ; kgs:support ?support } ORDER BY ?t",
        "SELECT ?p { ?s rdf:predicate kgs:uses ; kgs:probability ?p } ORDER BY ?s",
        "SELECT ?text { GRAPH ?source { ?passage kgs:text ?text } } ORDER BY ?passage",
        "ASK { ?t a kgs:Tool }",
    ):
        assert run_query(address, query) == run_query(graph, query)
    construct = "CONSTRUCT { ?t rdfs:label ?label } WHERE { ?t a kgs:Tool ; rdfs:label ?label }"
    assert set(run_query(address, construct).rows) == set(run_query(graph, construct).rows)


@pytest.mark.servers
def test_a_servers_syntax_error_shows_its_place(fuseki_server: FusekiServer) -> None:
    with pytest.raises(QueryError) as caught:
        run_query(f"{fuseki_server.address}/query", "SELECT * {\n  ?s ?p }")
    assert caught.value.where == "line 2, column 9"
    assert "  ?s ?p }\n          ^" in str(caught.value)


@pytest.mark.servers
def test_a_server_that_refuses_is_said(fuseki_server: FusekiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreError, match="no such service"):
        run_query(f"{fuseki_server.address}-not/query", COUNT)
    monkeypatch.setenv(PASSWORD, "wrong")
    with pytest.raises(StoreError, match="refuses the user"):
        run_query(f"{fuseki_server.address}/query", COUNT)


def test_a_server_that_gives_no_result_is_said(listener: tuple[str, list[str]]) -> None:
    with pytest.raises(StoreError, match="not a SPARQL result"):
        run_query(listener[0], COUNT)


def test_a_server_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exports.rdf.sparql_client._WAITS", ())
    with pytest.raises(StoreError, match="cannot be reached"):
        run_query(f"http://127.0.0.1:{free_port()}/query", COUNT)
    with pytest.raises(ConfigurationError, match="holds a user name"):
        run_query("http://me:secret@127.0.0.1/query", COUNT)


ODD = Table(columns=("a", "b,c"), rows=[('quote " and, comma', None), ("new\nline \x1b[31m", [1, {"x": "é"}])])


def test_results_as_json_keep_their_values() -> None:
    assert json.loads(ODD.render(ResultFormat.JSON)) == {
        "columns": ["a", "b,c"],
        "rows": [['quote " and, comma', None], ["new\nline \x1b[31m", [1, {"x": "é"}]]],
    }


def test_results_as_csv_and_tsv_are_quoted() -> None:
    expected = '"quote "" and, comma",\n"new\nline \x1b[31m","[1, {""x"": ""é""}]"\n'
    assert ODD.render(ResultFormat.CSV) == 'a,"b,c"\n' + expected
    assert ODD.render(ResultFormat.TSV).startswith("a\tb,c\n")


def test_results_as_a_table_cannot_steer_the_terminal() -> None:
    text = ODD.render(ResultFormat.TABLE)
    assert "\x1b" not in text
    assert r"new\nline \x1b[31m" in text
    assert Table(columns=("n",), rows=()).render(ResultFormat.TABLE).split() == ["n", "─"]


def test_a_table_of_many_columns_is_whole_where_nothing_wraps_it() -> None:
    long = "x" * 3000
    assert long in Table(columns=("a", "b"), rows=[(long, long)]).render(ResultFormat.TABLE)
