"""The JSON addresses, Cypher, the page, and what the server refuses."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from exports.serve.app import graph_names
from exports.serve.limits import limits_of
from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError
from tests.commands import run
from tests.exports.serve.conftest import AT_ONCE, Server, ServerProcess, responses, started
from tests.exports.serve.hostile_requests import sent
from tests.graphs import odd_graph

TOKEN = "a-token-of-the-tests-1234"


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/api/script?scenario=flying+to+the+moon", 404),
        ("/api/step?scenario=cooking+pasta&step=fly", 404),
        ("/api/tool?name=rocket", 404),
        ("/api/step?scenario=cooking+pasta&step=99", 404),
        ("/api/explore/script?scenario=rocket", 404),
        ("/api/explore/script", 400),
        ("/api/script?scenario=cooking+pasta&limit=0", 400),
        ("/api/script?scenario=cooking+pasta&limit=-1", 400),
        ("/api/script?scenario=cooking+pasta&limit=1e3", 400),
        ("/api/script?scenario=cooking+pasta&limit=99999999999999999999", 400),
        ("/api/script?scenario=cooking+pasta&limit=%D9%A3", 400),
        ("/api/script?scenario=a&scenario=b", 400),
        ("/api/script?scenario=cooking+pasta&depth=3", 400),
        ("/api/search?question=%3F%21", 400),
        ("/api/search?question=pasta&kind=verb", 400),
        ("/api/search?question=%00", 400),
        ("/api/nothing", 404),
        ("/api/script/../../etc/passwd", 404),
        ("/%2e%2e/%2e%2e/etc/passwd", 404),
    ],
)
def test_wrong_requests_are_told_what_is_wrong(server: Server, target: str, status: int) -> None:
    found = server.ask("GET", target)
    assert found.status == status
    assert found.text.strip()
    assert "Traceback" not in found.text


def test_the_same_again_is_not_sent_again(server: Server) -> None:
    target = "/api/script?scenario=cooking+pasta"
    first = server.ask("GET", target)
    again = server.ask("GET", target, {"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert server.ask("GET", target + "&limit=3", {"If-None-Match": first.headers["etag"]}).status == 200


def test_a_query_that_was_asked_before_is_answered_alike(server: Server) -> None:
    target = "/sparql?query=" + quote("SELECT ?s { ?s a kgs:Tool } ORDER BY ?s")
    first = server.ask("GET", target)
    assert set(first.headers["vary"].split(", ")) == {"Accept", "Accept-Encoding"}
    assert server.ask("GET", target).body == first.body
    tag = {"If-None-Match": first.headers["etag"]}
    assert (server.ask("GET", target, tag).status, server.ask("HEAD", target, tag).status) == (304, 304)
    table = server.ask("GET", target, {"Accept": "text/csv", **tag})
    assert (table.status, table.text.splitlines()[0]) == (200, "s")
    packed = server.ask("GET", target, {"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.body) == first.body
    form = {"Content-Type": "application/x-www-form-urlencoded", **tag}
    assert server.ask("POST", "/sparql", form, target.partition("?")[2].encode()).body == first.body


def test_a_query_whose_answer_differs_each_time_is_asked_each_time(server: Server) -> None:
    target = "/sparql?query=" + quote("SELECT (STRUUID() AS ?x) {}")
    assert server.ask("GET", target).body != server.ask("GET", target).body


def test_long_answers_are_packed(server: Server) -> None:
    target = "/api/script?scenario=cooking+pasta"
    packed = server.ask("GET", target, {"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == server.ask("GET", target).body


def test_what_is_said_of_a_node(server: Server, kitchen: ScriptGraph) -> None:
    tool = next(row for row in kitchen.rows("Tool", ("id", "label")) if row["label"] == "pot")
    for accept in ("text/turtle", "application/n-triples", "application/ld+json"):
        found = server.ask("GET", f"/data/{tool['id']}", {"Accept": accept})
        assert (found.status, found.headers["content-type"].partition(";")[0]) == (200, accept)
        assert kitchen.iri(tool["id"]) in found.text
    assert "void#Dataset" in server.ask("GET", "/.well-known/void").text
    for unknown in ("tool/rocket", "%22%3E", "%00", "..%2f..%2fetc%2fpasswd", "%C3%A9%20%7B"):
        assert server.ask("GET", f"/data/{unknown}").status == 404


def test_cypher(server: Server) -> None:
    query = {"query": "MATCH (t:Tool) WHERE t.label = $label RETURN t.label AS label", "parameters": {"label": "pot"}}
    found = server.ask("POST", "/cypher", body=json.dumps(query).encode())
    assert json.loads(found.body) == {"columns": ["label"], "rows": [["pot"]]}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"query": 3}',
        b'{"query": "MATCH (n) RETURN n", "parameters": []}',
        b'{"query": "MATCH (n) DELETE n"}',
        b'{"query": "CREATE (n)"}',
        b'{"query": "MATCH (n"}',
        b'{"query": "MATCH (n) RETURN n", "limit": 3}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_bad_cypher_is_refused(server: Server, body: bytes) -> None:
    assert server.ask("POST", "/cypher", body=body).status == 400


def test_a_body_that_is_too_large_is_refused(server: Server) -> None:
    head = b"POST /cypher HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 99999999\r\n\r\n"
    assert server.raw(head).startswith(b"HTTP/1.1 413")
    limits = json.loads(server.ask("GET", "/limits").body)
    found = server.ask(
        "POST", "/sparql", {"Content-Type": "application/sparql-query"}, b"#" * (limits["body_bytes"] + 1)
    )
    assert found.status == 413


def test_the_page_has_its_policy(server: Server) -> None:
    found = server.ask("GET", "/")
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    assert found.headers["content-security-policy"].startswith("default-src 'none'; script-src 'sha256-")


MALFORMED_HOSTS = (
    *("[::1].evil.example", "[::1]evil.example:80", "[::1", "::1", "[::1%25lo]", "[::1%lo]:80", "[]"),
    *("user@localhost", "user:pass@localhost:80", "localhost@evil.example", "localhost:x", "localhost:80:80"),
    *(
        "localhost:-1",
        "localhost:65536",
        "localhost:080808",
        "localhost:+80",
        "localhost/",
        "localhost?x",
        "localhost#",
    ),
    *("localhost, evil.example", "localhost evil.example", "localhost\\evil.example", ""),
)
OTHER_HOSTS = (
    *("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]", "localhost."),
)


@pytest.mark.parametrize("host", [*OTHER_HOSTS, *MALFORMED_HOSTS])
def test_requests_to_other_hosts_are_refused(server: Server, host: str) -> None:
    assert server.ask("GET", "/limits", host=host).status == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]", "[::1]:8080", "localhost:"])
def test_this_machine_has_several_names(server: Server, host: str) -> None:
    assert server.ask("GET", "/limits", host=host).status == 200


@pytest.mark.parametrize("host", MALFORMED_HOSTS)
def test_a_malformed_host_is_refused_with_the_token_too(guarded: Server, host: str) -> None:
    assert guarded.ask("GET", "/limits", {"Authorization": f"Bearer {TOKEN}"}, host=host).status == 400


@pytest.mark.parametrize("value", ["http://localhost", "http://evil.example", "null", ""])
def test_a_second_host_or_origin_is_refused(server: Server, guarded: Server, value: str) -> None:
    own, other = "Origin: http://localhost", f"oRIGIN: {value}"
    for headers in ((f"Host: {value}",), (own, other), (other, own)):
        for asked in (server, guarded):
            known = (f"Authorization: Bearer {TOKEN}", "Connection: close")
            (found,) = responses(asked.raw(sent("GET /limits HTTP/1.1", *known, *headers)))
            assert found.status == 400


@pytest.mark.parametrize(("origin", "status"), [("http://evil.example", 403), ("null", 403), ("http://localhost", 200)])
def test_pages_of_other_origins_are_refused(server: Server, origin: str, status: int) -> None:
    assert server.ask("GET", "/limits", {"Origin": origin}).status == status


def test_a_browser_gets_a_page_of_a_node(server: Server, kitchen: ScriptGraph) -> None:
    accept = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    tool = next(row for row in kitchen.rows("Tool", ("id", "label")) if row["label"] == "pot")
    found = server.ask("GET", f"/data/{tool['id']}", accept)
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    assert found.headers["content-security-policy"].startswith("default-src 'none'; script-src 'none';")
    assert "<h1>pot</h1>" in found.text
    links = re.findall(r'<a href="(/data/[^"]+)">', found.text)
    assert len(links) > 3
    assert server.ask("GET", links[0], accept).status == 200


def test_a_script_that_the_page_lacks_is_read_from_the_server(server: Server) -> None:
    found = json.loads(server.ask("GET", "/api/explore/script?scenario=cooking+pasta").body)
    assert found["label"] == "cooking pasta"
    assert {"contexts", "build", "steps"} <= found.keys()


def test_several_graphs_are_served_by_their_names(kitchen: ScriptGraph, tmp_path: Path) -> None:
    odd = odd_graph(tmp_path / "odd & strange")
    with started(kitchen.directory, str(odd.directory), says=AT_ONCE) as server:
        graphs = json.loads(server.ask("GET", "/").body)["graphs"]
        assert [each["address"] for each in graphs] == ["/g/kitchen/", "/g/odd-strange/"]
        page = server.ask("GET", "/", {"Accept": "text/html"})
        assert '<a href="/g/odd-strange/">' in page.text
        for graph, each in zip((kitchen, odd), graphs, strict=True):
            at = each["address"]
            described = json.loads(server.ask("GET", f"{at}api/openapi.json").body)
            assert described["servers"] == [{"url": at.rstrip("/")}]
            found = json.loads(server.ask("GET", f"{at}api/scenarios").body)
            assert len(found["scenarios"]) == graph.manifest.rows("Scenario")
            assert server.ask("GET", at).status == 200
            assert server.ask("GET", f"{at}sparql?query=ASK+%7B+%3Fs+%3Fp+%3Fo+%7D").status == 200
        assert server.ask("GET", "/api/scenarios").status == 404
        assert server.ask("GET", "/g/rocket/api/scenarios").status == 404


def test_two_graphs_of_one_name_are_refused(kitchen: ScriptGraph, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="would both be at /g/kitchen"):
        graph_names([kitchen.directory, tmp_path / "kitchen"])


@pytest.mark.parametrize("setting", ["speed=3", "rows", "rows=0", "rows=1.5", "query_seconds=nan", "query_seconds=1e9"])
def test_a_setting_that_is_none_is_refused(setting: str) -> None:
    with pytest.raises(ConfigurationError, match="--set"):
        limits_of([setting])


@pytest.fixture(scope="module")
def guarded(kitchen: ScriptGraph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that needs a token, and that pages of another origin may ask."""
    token = tmp_path_factory.mktemp("guarded") / "token"
    token.write_text(TOKEN + "\n", encoding="utf-8")
    options = ("--token-file", str(token), "--cors", "https://example.org", "--set", "query_seconds=7")
    with started(kitchen.directory, *options, says=AT_ONCE) as found:
        yield found


def test_a_person_enters_with_the_token(guarded: ServerProcess) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert guarded.ask("GET", "/health").status == 200
    asked = guarded.ask("GET", "/", {"Accept": "text/html"})
    assert (asked.status, asked.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "form-action 'self'" in asked.headers["content-security-policy"]
    assert guarded.ask("GET", "/login").status == 401
    wrong = guarded.ask("POST", "/login", form, urlencode({"token": TOKEN + "x"}).encode())
    assert (wrong.status, "set-cookie" in wrong.headers) == (401, False)
    assert "This is not the token" in wrong.text
    entered = guarded.ask("POST", "/login", form, urlencode({"token": TOKEN}).encode())
    assert (entered.status, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
    session = {"Cookie": cookie.partition(";")[0]}
    assert json.loads(guarded.ask("GET", "/limits", session).body)["query_seconds"] == 7
    assert guarded.ask("GET", "/limits", session | {"Origin": "http://evil.example"}).status == 403
    assert guarded.ask("GET", "/limits", {"Cookie": session["Cookie"][:-1]}).status == 401


def test_a_token_is_needed_where_there_is_one(guarded: ServerProcess) -> None:
    assert guarded.ask("GET", "/limits").status == 401
    for wrong in ("", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}"):
        assert guarded.ask("GET", "/limits", {"Authorization": wrong}).status == 401
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.ask("GET", "/limits", right, host="kg.example.org").status == 200
    origin = {"Origin": "https://example.org"}
    allowed = guarded.ask("GET", "/limits", right | origin)
    assert allowed.headers["access-control-allow-origin"] == "https://example.org"
    asked = origin | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    assert guarded.ask("OPTIONS", "/sparql", asked).status == 200
    assert guarded.ask("GET", "/limits", right | {"Origin": "https://evil.example"}).status == 403


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--host", "0.0.0.0"), "can be reached by others"),
        (("--token-file", "missing"), "no such file"),
        (("--token-file", "short"), "no token"),
        (("--token-file", "."), "folder"),
    ],
)
def test_a_server_that_would_be_open_or_has_no_token_is_none(
    kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_text("abc", encoding="utf-8")
    with pytest.raises(Exception, match=message):
        run("serve", kitchen.directory, *options)
