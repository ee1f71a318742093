"""The SPARQL 1.1 Protocol over raw sockets: requests with queries, and updates that are refused.

The cases follow those of the W3C's protocol tests that a server can pass that only reads.
"""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

import pytest

from schemas.script_graph import ScriptGraph
from tests.exports.serve.conftest import Server

SELECT, ASK = "SELECT ?s { ?s ?p ?o } LIMIT 1", "ASK { ?s ?p ?o }"
FORM, DIRECT = "application/x-www-form-urlencoded", "application/sparql-query"
JSON, XML, TURTLE = "application/sparql-results+json", "application/sparql-results+xml", "text/turtle"
ONE, TWO = "http://example.org/one", "http://example.org/two"


def is_result(media_type: str) -> bool:
    return media_type.partition(";")[0] in (JSON, XML, "text/csv", "text/tab-separated-values")


def is_rdf(media_type: str) -> bool:
    return media_type.partition(";")[0] in (
        TURTLE,
        "application/n-triples",
        "application/rdf+xml",
        "application/ld+json",
    )


def test_a_query_by_get(server: Server) -> None:
    found = server.ask("GET", f"/sparql?query={quote(ASK)}")
    assert found.status == 200
    assert is_result(found.headers["content-type"])


def test_a_query_by_form(server: Server) -> None:
    found = server.ask("POST", "/sparql", {"Content-Type": FORM}, urlencode({"query": ASK}).encode())
    assert found.status == 200
    assert json.loads(found.body)["boolean"] is True


def test_a_query_as_the_body(server: Server) -> None:
    found = server.ask("POST", "/sparql", {"Content-Type": DIRECT}, ASK.encode())
    assert (found.status, json.loads(found.body)["boolean"]) == (200, True)


DATASETS = [
    ([("default-graph-uri", ONE)], "ASK { ?s ?p ?o }"),
    ([("named-graph-uri", ONE)], "ASK { GRAPH ?g { ?s ?p ?o } }"),
    ([("default-graph-uri", ONE), ("named-graph-uri", TWO)], "ASK { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"),
]


@pytest.mark.parametrize(("graphs", "query"), DATASETS)
def test_a_data_set_that_the_server_lacks_is_empty(server: Server, graphs: list[tuple[str, str]], query: str) -> None:
    for found in (
        server.ask("GET", f"/sparql?{urlencode([('query', query), *graphs])}"),
        server.ask("POST", f"/sparql?{urlencode(graphs)}", {"Content-Type": DIRECT}, query.encode()),
        server.ask("POST", "/sparql", {"Content-Type": FORM}, urlencode([("query", query), *graphs]).encode()),
    ):
        assert (found.status, json.loads(found.body)["boolean"]) == (200, False)


def test_the_data_set_of_the_request_replaces_that_of_the_query(server: Server, kitchen: ScriptGraph) -> None:
    source = next(kitchen.rows("Source", ("id",)))["id"]
    graph = json.loads(server.ask("GET", f"/sparql?query={quote('SELECT ?g { GRAPH ?g { ?s ?p ?o } } LIMIT 1')}").body)[
        "results"
    ]["bindings"][0]["g"]["value"]
    assert source
    query = f"ASK FROM <{ONE}> {{ ?s ?p ?o }}"
    for graphs, expected in (([], False), ([("default-graph-uri", graph)], True)):
        found = server.ask("GET", f"/sparql?{urlencode([('query', query), *graphs])}")
        assert json.loads(found.body)["boolean"] is expected


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        (SELECT, is_result),
        (ASK, is_result),
        ("DESCRIBE ?s WHERE { ?s ?p ?o } LIMIT 1", is_rdf),
        ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 1", is_rdf),
    ],
)
def test_the_type_of_an_answer_fits_the_query(server: Server, query: str, fits: object) -> None:
    found = server.ask("GET", f"/sparql?query={quote(query)}")
    assert found.status == 200
    assert callable(fits)
    assert fits(found.headers["content-type"])


BAD = {
    "the method PUT": ("PUT", f"/sparql?query={quote(ASK)}", {}, b""),
    "two queries": ("GET", f"/sparql?query={quote(ASK)}&query={quote(SELECT)}", {}, b""),
    "a body of another type": ("POST", "/sparql", {"Content-Type": "text/plain"}, ASK.encode()),
    "a form without its type": ("POST", "/sparql", {}, urlencode({"query": ASK}).encode()),
    "a query without its type": ("POST", "/sparql", {}, ASK.encode()),
    "no UTF-8": ("POST", "/sparql", {"Content-Type": f"{DIRECT}; charset=UTF-16"}, ASK.encode("utf-16")),
    "bytes that are no UTF-8": ("POST", "/sparql", {"Content-Type": DIRECT}, ASK.encode("utf-16")),
    "bad syntax": ("GET", f"/sparql?query={quote('ASK { ?s ?p }')}", {}, b""),
    "an update by GET": ("GET", f"/sparql?update={quote('CLEAR ALL')}", {}, b""),
    "two updates": ("POST", "/sparql", {"Content-Type": FORM}, b"update=CLEAR+NAMED&update=CLEAR+DEFAULT"),
    "an update of another type": ("POST", "/sparql", {"Content-Type": "text/plain"}, b"CLEAR NAMED"),
    "an update without its type": ("POST", "/sparql", {}, b"update=CLEAR+NAMED"),
    "an update that is no UTF-8": (
        *("POST", "/sparql"),
        {"Content-Type": "application/sparql-update; charset=UTF-16"},
        "CLEAR NAMED".encode("utf-16"),
    ),
    "an update with bad syntax": ("POST", "/sparql", {"Content-Type": FORM}, b"update=CLEAR+XYZ"),
    "an update with two data sets": (
        *("POST", f"/sparql?using-named-graph-uri={quote(ONE)}", {"Content-Type": "application/sparql-update"}),
        b"INSERT { ?s ?p ?o } USING <http://example.org/x> WHERE { ?s ?p ?o }",
    ),
    "an update as the body": ("POST", "/sparql", {"Content-Type": "application/sparql-update"}, b"CLEAR ALL"),
    "an update as a query": ("GET", f"/sparql?query={quote('DROP ALL')}", {}, b""),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_requests_are_refused(server: Server, what: str) -> None:
    method, target, headers, body = BAD[what]
    found = server.ask(method, target, headers, body)
    assert 400 <= found.status < 500
    assert found.text.strip() or found.headers["allow"] == "HEAD, GET, POST, OPTIONS"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (JSON, JSON),
        (XML, XML),
        ("text/csv", "text/csv; charset=utf-8"),
        ("text/tab-separated-values", "text/tab-separated-values; charset=utf-8"),
        ("application/json", JSON),
        (f"{XML};q=0.5, {JSON};q=0.4", XML),
        (f"text/html, */*;q=0.1, {XML};q=0.2", XML),
        ("*/*", JSON),
        ("text/*", "text/csv; charset=utf-8"),
    ],
)
def test_results_have_the_type_that_the_client_prefers(server: Server, accept: str, expected: str) -> None:
    found = server.ask("GET", f"/sparql?query={quote(SELECT)}", {"Accept": accept})
    assert (found.status, found.headers["content-type"]) == (200, expected)


@pytest.mark.parametrize("accept", [TURTLE, "application/n-triples", "application/rdf+xml", "application/ld+json"])
def test_triples_have_the_type_that_the_client_prefers(server: Server, accept: str) -> None:
    query = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 3"
    found = server.ask("GET", f"/sparql?query={quote(query)}", {"Accept": accept})
    assert (found.status, found.headers["content-type"].partition(";")[0]) == (200, accept)


@pytest.mark.parametrize("accept", ["image/png", f"{JSON};q=0, image/png", TURTLE])
def test_a_client_that_takes_nothing_of_it_is_told(server: Server, accept: str) -> None:
    found = server.ask("GET", f"/sparql?query={quote(SELECT)}", {"Accept": accept})
    assert found.status == 406
    assert JSON in found.text


def test_head_has_no_body_and_get_without_a_query_describes_the_service(server: Server) -> None:
    found = server.ask("HEAD", f"/sparql?query={quote(ASK)}")
    assert (found.status, found.body) == (200, b"")
    described = server.ask("GET", "/sparql")
    assert described.headers["content-type"].startswith(TURTLE)
    assert "sparql-service-description#" in described.text
    assert server.ask("GET", "/sparql", {"Accept": "image/png"}).status == 406


def test_options_say_what_is_allowed(server: Server) -> None:
    found = server.ask("OPTIONS", "/sparql")
    assert (found.status, found.headers["allow"]) == (204, "HEAD, GET, POST, OPTIONS")


def test_a_query_that_does_not_parse_has_its_line(server: Server) -> None:
    query = "SELECT *\n{ ?s ?p }"
    found = server.ask("GET", f"/sparql?query={quote(query)}")
    assert found.status == 400
    assert "line 2" in found.text
