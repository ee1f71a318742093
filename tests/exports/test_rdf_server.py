"""A SPARQL server: only this graph's data is replaced, and whatever stops an export, the next one completes it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from exports.rdf import graph_store, sparql_client
from exports.rdf.sparql_client import PASSWORD, USER
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError, KGScriptsError, StoreError
from tests.exports.compliance import expected
from tests.exports.fuseki_server import FusekiServer, fuseki_process
from tests.exports.neo4j_server import free_port
from tests.exports.rdf_content import oxigraph_triples, read_rdf
from tests.graphs import generated_graph, odd_graph, odd_rows, write_graph

servers = pytest.mark.servers
FOREIGN = """INSERT DATA {
  <https://other.example/a> <https://other.example/p> "theirs" .
  <https://other.example/a> <https://other.example/p> <https://w3id.org/kgscripts/data/tool/theirs> .
  GRAPH <https://other.example/graph> { <https://w3id.org/kgscripts/data/tool/theirs> <https://other.example/p> 1 }
  GRAPH <https://w3id.org/kgscripts/data2/graph> { <https://other.example/a> <https://other.example/p> 2 }
}"""


@pytest.fixture
def graph(tmp_path: Path) -> ScriptGraph:
    return odd_graph(tmp_path / "graph")


@servers
def test_what_others_keep_on_the_server_stays(fuseki_server: FusekiServer, graph: ScriptGraph) -> None:
    fuseki_server.update(FOREIGN)
    foreign = set(fuseki_server.quads())
    assert len(foreign) == 4
    export(graph, fuseki_server.target)
    assert foreign < set(fuseki_server.quads())
    export(write_graph(graph.directory, {}), fuseki_server.target)
    left = oxigraph_triples(set(fuseki_server.quads()) - foreign)
    assert {subject.rpartition("/")[0] for subject, _, _ in left} == {"https://w3id.org/kgscripts/data/dataset"}


@servers
def test_two_graphs_with_their_own_base_iris_share_a_server(
    fuseki_server: FusekiServer, graph: ScriptGraph, tmp_path: Path
) -> None:
    export(graph, fuseki_server.target)
    ours = set(fuseki_server.quads())
    other = write_graph(tmp_path / "other", odd_rows(3), "https://example.org/other/")
    export(other, fuseki_server.target)
    export(other, fuseki_server.target)
    theirs = set(fuseki_server.quads()) - ours
    assert read_rdf(oxigraph_triples(theirs)) == expected(other)


@servers
def test_the_same_build_is_sent_once(
    fuseki_server: FusekiServer, graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = export(graph, fuseki_server.target)
    assert first.details["state"] == "written"
    assert first.details["triples"] == len(fuseki_server.quads()) - 1, "and the graph's id"
    monkeypatch.setattr(graph_store, "portions", None)
    assert export(graph, fuseki_server.target).details["state"] == "the server has this build"


@servers
def test_a_dry_run_says_what_it_would_replace(fuseki_server: FusekiServer, graph: ScriptGraph) -> None:
    export(graph, fuseki_server.target)
    before = fuseki_server.quads()
    triples = len(before) - 1
    other = generated_graph(graph.directory, 100)
    report = export(other, fuseki_server.target, ExportOptions(dry_run=True))
    assert report.details == {"replaced": triples, "state": "would be written"}
    assert set(fuseki_server.quads()) == set(before)
    assert export(other, fuseki_server.target).details["replaced"] == triples


@servers
def test_much_is_sent_and_removed_in_many_requests(
    fuseki_server: FusekiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_store, "_PORTION", 20_000)
    monkeypatch.setattr(graph_store, "_TRIPLES_A_REQUEST", 700)
    monkeypatch.setattr(graph_store, "_GRAPHS_A_REQUEST", 3)
    large = generated_graph(tmp_path, 600)
    export(large, fuseki_server.target)
    assert read_rdf(oxigraph_triples(fuseki_server.quads())) == expected(large)
    small = generated_graph(tmp_path, 100)
    export(small, fuseki_server.target)
    assert read_rdf(oxigraph_triples(fuseki_server.quads())) == expected(small)


@servers
@pytest.mark.parametrize("service", ["data", "update", "query"])
def test_an_export_that_was_stopped_anywhere_is_completed_by_the_next(
    fuseki_server: FusekiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str
) -> None:
    export(generated_graph(tmp_path, 300), fuseki_server.target)
    graph = odd_graph(tmp_path)
    monkeypatch.setattr(graph_store, "_PORTION", 100_000)
    post = sparql_client.SparqlClient.post
    for stop_at in range(1, 4):
        calls = 0

        def stopping(self: Any, url: str, *rest: Any, stop_at: int = stop_at) -> Any:
            nonlocal calls
            calls += url.endswith(service)
            if calls == stop_at and url.endswith(service):
                raise StoreError("stopped")
            return post(self, url, *rest)

        with monkeypatch.context() as patch:
            patch.setattr(sparql_client.SparqlClient, "post", stopping)
            with pytest.raises(StoreError, match="stopped"):
                export(graph, fuseki_server.target)
    export(graph, fuseki_server.target)
    assert read_rdf(oxigraph_triples(fuseki_server.quads())) == expected(graph)


@servers
def test_a_server_that_is_killed_in_the_middle_loses_nothing_on_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_store, "_PORTION", 200_000)
    graph = generated_graph(tmp_path / "graph", 1_000)
    process = fuseki_process(tmp_path / "home", "secret")
    server = FusekiServer(f"http://127.0.0.1:{process.port}/kg", "kgscripts", "secret", process)
    server.use(monkeypatch)
    process.start()
    rows = 0

    def kill_later(done: int) -> None:
        nonlocal rows
        rows += done
        if rows > 900:
            process.kill()

    try:
        monkeypatch.setattr(sparql_client, "_WAITS", (0.05,))
        with pytest.raises(StoreError, match="went away"):
            export(graph, server.target, ExportOptions(progress=kill_later))
        # The next run begins before the server answers again, and waits for it.
        monkeypatch.setattr(sparql_client, "_WAITS", (0.2,) * 300)
        starting = threading.Thread(target=process.start)
        starting.start()
        report = export(graph, server.target)
        starting.join()
        assert report.details["replaced"] > 0, "it was stopped in the middle"  # type: ignore[operator]
        assert read_rdf(oxigraph_triples(server.quads())) == expected(graph)
    finally:
        process.stop()


@servers
def test_a_wrong_password_is_said(
    fuseki_server: FusekiServer, graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, "wrong")
    with pytest.raises(StoreError, match="refuses the user") as caught:
        export(graph, fuseki_server.target)
    assert "wrong" not in str(caught.value)
    assert fuseki_server.quads() == []


@servers
def test_without_a_user_in_the_environment_one_is_asked_for(
    fuseki_server: FusekiServer, graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(USER)
    with pytest.raises(StoreError, match=f"set {USER}"):
        export(graph, fuseki_server.target)
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return fuseki_server.user if prompt.startswith("User") else fuseki_server.password

    export(graph, fuseki_server.target, ExportOptions(ask=ask))
    assert len(prompts) == 2
    assert fuseki_server.quads()


@servers
def test_an_address_without_a_data_set_is_said(fuseki_server: FusekiServer, graph: ScriptGraph) -> None:
    with pytest.raises(StoreError, match="no such service"):
        export(graph, fuseki_server.target + "-of-somebody-else")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("sparql+http://user:secret@127.0.0.1/kg", "holds a user name"),
        ("sparql+http://", "not the address"),
        ("sparql+https:relative", "not the address"),
        ("sparql+http://127.0.0.1:notaport/kg", "not the address"),
    ],
)
def test_addresses_that_are_none_are_refused(graph: ScriptGraph, target: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        export(graph, target)
    assert "secret" not in str(caught.value)


def test_a_server_that_is_not_there_is_said(graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparql_client, "_WAITS", (0.01, 0.01))
    with pytest.raises(StoreError, match="cannot be reached"):
        export(graph, f"sparql+http://127.0.0.1:{free_port()}/kg")


@contextmanager
def answering(*statuses: int, body: bytes = b"") -> Iterator[tuple[str, list[str]]]:
    """A server that answers with `statuses`, the last one again and again; its address and the paths it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.path)
            self.send_response(statuses[min(len(asked), len(statuses)) - 1])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"sparql+http://127.0.0.1:{server.server_address[1]}/kg", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("status", [500, 413, 301])
def test_what_a_server_refuses_is_said(graph: ScriptGraph, status: int) -> None:
    with answering(status, body=b"no, never\nand more") as (target, asked):
        with pytest.raises(StoreError, match=rf"{status} \(no, never\)"):
            export(graph, target)
        assert len(asked) == 1


@pytest.mark.parametrize("status", [404, 405])
def test_an_address_without_services_says_what_is_needed(graph: ScriptGraph, status: int) -> None:
    with answering(status) as (target, _), pytest.raises(StoreError, match="has /query, /update and /data below it"):
        export(graph, target)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_fails_in_passing_is_tried_again(graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setattr(sparql_client, "_WAITS", (0.01, 0.01, 0.01))
    with answering(status, status, 400, body=b"bad request") as (target, asked):
        with pytest.raises(StoreError, match="bad request"):
            export(graph, target)
        assert len(asked) == 3


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"results": {}}', b'{"results": {"bindings": 3}}'])
def test_an_answer_that_is_none_is_said(graph: ScriptGraph, body: bytes) -> None:
    with answering(200, body=body) as (target, _), pytest.raises(KGScriptsError, match="not a SPARQL result"):
        export(graph, target)
