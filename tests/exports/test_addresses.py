"""No password is printed, wherever an address is given and however it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cli import app
from exports.rdf.sparql_client import PASSWORD, USER, SparqlClient
from exports.targets import export
from kgscripts import ScriptGraph
from schemas.addresses import without_user
from schemas.errors import ConfigurationError, KGScriptsError
from tests.graphs import write_graph

SECRET = "S3cR3t"
_SCHEMES = st.sampled_from(
    ["http", "https", "sparql+http", "sparql+https", "bolt", "neo4j", "neo4j+s", "HTTP", "Bolt", "postgres", "x", ""]
)
_COLONS = st.sampled_from(["://", ":", ":/", ":///", "://\\", "//", ":\\\\", ": //", "::", ""])
_NOISE = st.text(st.sampled_from("ab1:/\\?#%@[] \t\n.;&=é"), max_size=4)
_USERS = st.builds(
    lambda before, between, after: f"{before}{SECRET}{between}{SECRET}{after}",
    _NOISE,
    st.sampled_from(":/?#@ "),
    _NOISE,
)
_HOSTS = st.sampled_from(["host", "127.0.0.1:1", "[::1", "[::1]:x", "", "host/kg", "host:7687?access_token=x"])
_ADDRESSES = st.builds(
    lambda scheme, colon, user, at, host: f"{scheme}{colon}{user}{at}{host}",
    _SCHEMES,
    _COLONS,
    _USERS,
    st.sampled_from(["@", "@@", "%40@", "\uff20"]),
    _HOSTS,
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_graph(tmp_path_factory.mktemp("addresses") / "graph", {}).directory


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(address=_ADDRESSES)
@example(address=f"bolt:neo4j:{SECRET}@host")
@example(address=f"bolt:///neo4j:{SECRET}@host")
@example(address=f"http:u:{SECRET}@host")
@example(address=f"sparql+http:u:{SECRET}@h")
@example(address=f"neo4j://u:S%40{SECRET}@h")
@example(address=f"https://u:{SECRET}@[::1")
@example(address=f"https://u:{SECRET}@host/graph.ttl")
@example(address=f"http:u:{SECRET}@host.ttl")
@example(address=f"//u:{SECRET}@host")
def test_no_password_of_an_address_is_printed(
    graph: Path, address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(graph.parent)
    commands = (
        ["export", str(graph), address],
        ["query", "--sparql", "ASK {}", "--endpoint", address],
        ["query", "--cypher", "RETURN 1", "--uri", address],
        ["build-graph", "story.txt", "-o", "new", "--base-iri", address],
        ["corpora", "fetch", "inscript", "--into", "corpora", "--base-url", address],
    )
    for command in commands:
        with pytest.raises(KGScriptsError) as caught:
            typer.main.get_command(app)(command, standalone_mode=False)
        printed = capsys.readouterr()
        assert SECRET not in str(caught.value) + printed.out + printed.err, command
    assert not list(graph.parent.rglob(f"*{SECRET}*"))


@pytest.mark.parametrize("address", ["http://u:p@h", "http:u", "http://h:99999/x", "http://h\n/", "bolt://", "h", ""])
def test_what_is_no_address_is_not_shown(address: str) -> None:
    assert without_user(address) in ("http://...", "bolt://...", "...")


@pytest.mark.parametrize(
    "address", ["http://h", "https://[::1]:3030/kg/query", "bolt://é.example:7687", "neo4j+s://h/"]
)
def test_an_address_is_shown_without_query_and_fragment(address: str) -> None:
    assert without_user(f"{address}?access_token=secret#secret") == without_user(address) == address


@pytest.mark.parametrize("end", ["#f", "?x=1#f", "#?x=1"])
@pytest.mark.parametrize(
    "command",
    [
        ["export", "graph", "sparql+http://127.0.0.1:1/kg"],
        ["export", "graph", "bolt://127.0.0.1:1"],
        ["query", "--sparql", "ASK {}", "--endpoint", "http://127.0.0.1:1/query"],
        ["query", "--cypher", "RETURN 1", "--uri", "neo4j://127.0.0.1:1"],
    ],
)
def test_an_address_with_a_fragment_is_refused(
    graph: Path, command: list[str], end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(graph.parent)
    with pytest.raises(ConfigurationError, match="fragment") as caught:
        typer.main.get_command(app)([*command[:-1], command[-1] + end], standalone_mode=False)
    assert command[-1].endswith(str(caught.value.where))


def test_a_data_set_with_a_query_string_is_refused(graph: Path) -> None:
    """The services of a data set are paths below its address."""
    with pytest.raises(ConfigurationError, match="query string") as caught:
        export(ScriptGraph.open(graph), f"sparql+http://127.0.0.1:1/kg?access_token={SECRET}")
    assert caught.value.where == "sparql+http://127.0.0.1:1/kg"
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("password", ["\udcff\udc00", "new\nline", "schön", "\x00", "x" * 100_000])
def test_odd_passwords_of_the_environment_are_not_printed(
    graph: Path, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from exports.cypher.cypher import run_query

    environment = {USER: "u" + password, PASSWORD: password, "NEO4J_USERNAME": "u", "NEO4J_PASSWORD": password}
    monkeypatch.setattr("os.environ", environment)
    monkeypatch.setattr("exports.rdf.sparql_client._WAITS", ())
    for call in (
        lambda: export(ScriptGraph.open(graph), "sparql+http://127.0.0.1:1/kg"),
        lambda: run_query("bolt://127.0.0.1:1", "RETURN 1"),
    ):
        with pytest.raises(KGScriptsError) as caught:
            call()
        assert password not in str(caught.value)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "SSL_CERT_FILE"])
def test_a_password_of_a_proxy_is_not_printed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f"ftp://u:{SECRET}@proxy")
    with pytest.raises(ConfigurationError) as caught:
        SparqlClient("http://host.invalid/query")
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
