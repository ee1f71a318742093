"""The SPARQL 1.1 Protocol over raw sockets, and how the type of an answer is chosen.

The W3C has 34 tests of the protocol (sparql11/protocol of https://github.com/w3c/rdf-tests). The 27 that a server can
pass that only reads are here by their names: 20 of queries, and 7 of updates that must be refused. Two requests differ
from those of the W3C: they go to ``/sparql``, not to ``/sparql/``, and `query_multiple_dataset` names two graphs, which
the W3C's address contains as one, since it encodes the ``&`` between them.

The other 7 must write. This server refuses them, and they would need:

| test                            | what it would need                                                       |
|---------------------------------|--------------------------------------------------------------------------|
| `update_post_form`              | updates in the parameter ``update`` of a form                            |
| `update_post_direct`            | updates as the body, of the type ``application/sparql-update``           |
| `update_dataset_default_graph`  | the parameter ``using-graph-uri``                                        |
| `update_dataset_default_graphs` | that parameter more than once                                            |
| `update_dataset_named_graphs`   | the parameter ``using-named-graph-uri``                                  |
| `update_dataset_full`           | both parameters at once                                                  |
| `update_base_uri`               | updates with relative IRIs, which the address of the service completes   |
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote, urlencode

import pyoxigraph
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response as HTTPResponse
from starlette.routing import Route

from exports.serve.limits import ServerLimits, Turns
from exports.serve.protocol import ProtocolRequest
from exports.serve.sparql import SPARQL_METHODS, answer, sparql_endpoint
from tests.exports.serve.conftest import Response, Server, in_thread

SELECT = "SELECT ?s { ?s ?p ?o } LIMIT 1"
FORM, DIRECT = "application/x-www-form-urlencoded", "application/sparql-query"
UPDATE = "application/sparql-update"
JSON, XML, TURTLE = "application/sparql-results+json", "application/sparql-results+xml", "text/turtle"
TABLES = (JSON, XML, "text/csv", "text/tab-separated-values")
TRIPLES = (TURTLE, "application/n-triples", "application/rdf+xml", "application/ld+json")
D0, D1, D2, D3 = (f"http://kasei.us/2009/09/sparql/data/data{number}.rdf" for number in range(4))
DOCUMENT = "http://xmlns.com/foaf/0.1/Document"

Graphs = Sequence[tuple[str, str]]
Sent = tuple[str, str, dict[str, str], bytes]
"""Method, target, headers and body of a request."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service over the graphs of the W3C: each says of the document that it is named by that it is one."""
    path = tmp_path_factory.mktemp("protocol") / "store"
    store = pyoxigraph.Store(str(path))
    for name in map(pyoxigraph.NamedNode, (D1, D2, D3)):
        is_a = pyoxigraph.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
        store.add(pyoxigraph.Quad(name, is_a, pyoxigraph.NamedNode(DOCUMENT), name))
    store.flush()
    del store
    limits = ServerLimits()
    turns = Turns(limits.running, limits.waiting)

    async def answered(query: ProtocolRequest, request: Request) -> HTTPResponse:
        accept = request.headers.get("accept")
        found = await turns.run(lambda: answer(path, query, accept, {}, limits), request.receive)
        return HTTPResponse(found.content, media_type=found.media_type)

    endpoint = sparql_endpoint(answered, limits)
    with in_thread(Starlette(routes=[Route("/sparql", endpoint, methods=[*SPARQL_METHODS])])) as found:
        yield found


def default(*graphs: str) -> Graphs:
    return [("default-graph-uri", graph) for graph in graphs]


def named(*graphs: str) -> Graphs:
    return [("named-graph-uri", graph) for graph in graphs]


def target(parameters: Graphs) -> str:
    return f"/sparql?{urlencode(parameters, quote_via=quote)}"


def by_get(query: str, graphs: Graphs) -> Sent:
    return "GET", target([("query", query), *graphs]), {}, b""


def by_form(query: str, graphs: Graphs) -> Sent:
    return "POST", target(graphs), {"Content-Type": FORM}, urlencode({"query": query}).encode()


def directly(query: str, graphs: Graphs) -> Sent:
    return "POST", target(graphs), {"Content-Type": DIRECT}, query.encode()


def update(text: str, graphs: Graphs = (), content_type: str = UPDATE) -> Sent:
    return "POST", target(graphs), {"Content-Type": content_type}, text.encode()


def media_type(found: Response) -> str:
    return found.headers["content-type"].partition(";")[0]


DEFAULTS = f"ASK {{ <{D1}> a ?type . <{D2}> a ?type }}"
NAMED = f"{{ GRAPH ?g1 {{ <{D1}> a ?type }} GRAPH ?g2 {{ <{D2}> a ?type }} }}"
FULL = f"ASK {{ <{D3}> a ?type {NAMED} }}"

DATASETS: dict[str, tuple[Callable[[str, Graphs], Sent], str, Graphs]] = {
    "query_dataset_default_graphs_get": (by_get, DEFAULTS, default(D1, D2)),
    "query_dataset_default_graphs_post": (directly, DEFAULTS, default(D1, D2)),
    "query_dataset_named_graphs_get": (by_get, f"ASK {NAMED}", named(D1, D2)),
    "query_dataset_named_graphs_post": (directly, f"ASK {NAMED}", named(D1, D2)),
    "query_dataset_full": (directly, FULL, [*default(D3), *named(D1, D2)]),
    "query_multiple_dataset": (directly, f"ASK FROM <{D3}> {NAMED}", named(D1, D2)),
}


@pytest.mark.parametrize("name", DATASETS)
def test_the_data_set_of_a_request(service: Server, name: str) -> None:
    send, query, graphs = DATASETS[name]
    for left_out in (None, *graphs):
        found = service.ask(*send(query, [graph for graph in graphs if graph != left_out]))
        assert (found.status, media_type(found)) == (200, JSON), found.text
        assert json.loads(found.body)["boolean"] is (left_out is None)


ANSWERS: dict[str, tuple[Sent, tuple[str, ...]]] = {
    "query_get": (by_get("ASK {}", default(D0)), (JSON, XML)),
    "query_post_form": (by_form("ASK {}", default(D0)), (JSON, XML)),
    "query_post_direct": (directly("ASK {}", []), (JSON, XML)),
    "query_content_type_select": (directly("SELECT (1 AS ?value) {}", default(D0)), TABLES),
    "query_content_type_ask": (directly("ASK {}", default(D0)), (JSON, XML)),
    "query_content_type_describe": (directly("DESCRIBE <http://example.org/>", default(D0)), TRIPLES),
    "query_content_type_construct": (directly("CONSTRUCT { <s> <p> 1 } WHERE {}", default(D0)), TRIPLES),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_and_its_type(service: Server, name: str) -> None:
    sent, types = ANSWERS[name]
    found = service.ask(*sent)
    assert found.status == 200, found.text
    assert media_type(found) in types
    if types == (JSON, XML):
        assert json.loads(found.body)["boolean"] is True


BAD: dict[str, Sent] = {
    "bad_query_method": ("PUT", target([("query", "ASK {}"), *default(D0)]), {"Content-Type": FORM}, b""),
    "bad_multiple_queries": ("GET", target([("query", "ASK {}"), ("query", "SELECT * {}")]), {}, b""),
    "bad_query_wrong_media_type": ("POST", "/sparql", {"Content-Type": "text/plain"}, b"ASK {}"),
    "bad_query_missing_form_type": ("POST", "/sparql", {}, b"query=ASK%20%7B%7D"),
    "bad_query_missing_direct_type": ("POST", "/sparql", {}, b"ASK {}"),
    "bad_query_non_utf8": ("POST", "/sparql", {"Content-Type": f"{DIRECT}; charset=UTF-16"}, "ASK {}".encode("utf-16")),
    "bad_query_syntax": by_get("ASK {", []),
    "bad_update_get": ("GET", target([("update", "CLEAR ALL")]), {}, b""),
    "bad_multiple_updates": update("update=CLEAR%20NAMED&update=CLEAR%20DEFAULT", content_type=FORM),
    "bad_update_wrong_media_type": update("CLEAR NAMED", content_type="text/plain"),
    "bad_update_missing_form_type": ("POST", "/sparql", {}, b"update=CLEAR%20NAMED"),
    "bad_update_non_utf8": (
        *("POST", "/sparql", {"Content-Type": f"{UPDATE}; charset=UTF-16"}),
        "CLEAR NAMED".encode("utf-16"),
    ),
    "bad_update_syntax": update("update=CLEAR%20XYZ", content_type=FORM),
    "bad_update_dataset_conflict": update(
        "WITH <http://example/a> DELETE { ?s ?p 1 } INSERT { ?s ?p 2 } WHERE { ?s ?p 1 }",
        [("using-named-graph-uri", "http://example/b")],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_requests_are_refused(service: Server, name: str) -> None:
    found = service.ask(*BAD[name])
    assert 400 <= found.status < 500
    assert found.text.strip() or found.headers["allow"] == "HEAD, GET, POST, OPTIONS"


INSERT = "INSERT { GRAPH <http://example.org/new> { ?s a 1 } } WHERE { ?s ?p ?o }"
UPDATES: dict[str, Sent] = {
    "update_post_form": update("update=CLEAR%20ALL", content_type=FORM),
    "update_post_direct": update("CLEAR ALL"),
    "update_dataset_default_graph": update(INSERT, [("using-graph-uri", D1)]),
    "update_dataset_default_graphs": update(INSERT, [("using-graph-uri", D1), ("using-graph-uri", D2)]),
    "update_dataset_named_graphs": update(INSERT, [("using-named-graph-uri", D1), ("using-named-graph-uri", D2)]),
    "update_dataset_full": update(INSERT, [("using-graph-uri", D1), ("using-named-graph-uri", D2)]),
    "update_base_uri": update("INSERT DATA { GRAPH <http://example.org/new> { <s> <p> <test> } }"),
}


@pytest.mark.parametrize("name", UPDATES)
def test_good_updates_are_refused_too(service: Server, name: str) -> None:
    found = service.ask(*UPDATES[name])
    assert found.status == 400
    assert "only reads" in found.text
    assert service.ask(*by_get("SELECT (count(*) AS ?n) { ?s ?p ?o }", [])).text.count('"3"') == 1


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


@pytest.mark.parametrize("accept", TRIPLES)
def test_triples_have_the_type_that_the_client_prefers(server: Server, accept: str) -> None:
    query = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 3"
    found = server.ask("GET", f"/sparql?query={quote(query)}", {"Accept": accept})
    assert (found.status, media_type(found)) == (200, accept)


@pytest.mark.parametrize("accept", ["image/png", f"{JSON};q=0, image/png", TURTLE])
def test_a_client_that_takes_nothing_of_it_is_told(server: Server, accept: str) -> None:
    found = server.ask("GET", f"/sparql?query={quote(SELECT)}", {"Accept": accept})
    assert found.status == 406
    assert JSON in found.text


def test_head_has_no_body_and_get_without_a_query_describes_the_service(server: Server) -> None:
    found = server.ask("HEAD", f"/sparql?query={quote('ASK {}')}")
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
