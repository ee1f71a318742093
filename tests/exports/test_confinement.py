"""The child process of embedded queries: what it refuses although no guard judges the query, and its limits."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyoxigraph
import pytest

import cli
from exports.cypher import cypher
from exports.cypher.ladybug_store import embedded_store as ladybug_store
from exports.query import confined, engine_process, sparql
from exports.query.confined import ask
from exports.query.engine_process import EngineError, Limits
from exports.query.sparql import embedded_store as oxigraph_store
from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError, QueryError
from schemas.results import ResultFormat, Table
from tests.graphs import odd_graph

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the limits")

ENDLESS_SPARQL = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
ENDLESS_CYPHER = "".join(f"UNWIND range(1, 1000) AS {name} " for name in "abcde") + "RETURN sum((a * b + c * d) % e)"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("confinement") / "graph")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that may use no more than 256 MiB."""
    monkeypatch.setattr(confined, "_children", [])
    monkeypatch.setattr(engine_process, "MEMORY", 256 << 20)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A port that others can connect to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server


def unjudged(graph: ScriptGraph, engine: str, text: str, *, timeout: float = 60, **limits: Any) -> Table:
    """The answer of an engine without the guard in front of it."""
    store = oxigraph_store(graph) if engine == "oxigraph" else ladybug_store(graph)
    request = {"text": text, "parameters": {}, "prefixes": {}, "union": True}
    return ask(engine, store, request, Limits(timeout=timeout, **limits))


def process_ids() -> list[int]:
    return [child._child.process.pid for _, child in confined._children if child._child]


@pytest.mark.parametrize("engine", ["oxigraph", "ladybug"])
def test_an_engine_can_do_nothing_but_read_its_store(
    graph: ScriptGraph, engine: str, tmp_path: Path, listener: socket.socket
) -> None:
    (tmp_path / "secret").write_text("a,b\n")
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    hostile = {
        "ladybug": (
            f"UNWIND [1] AS x LOAD FROM '{tmp_path}/secret' (file_format='csv', header=false) RETURN *",
            f"COPY (RETURN 1) TO '{tmp_path}/stolen.csv'",
            f"RETURN 1 /***/ '*/ ; COPY (RETURN 1) TO '{tmp_path}/stolen.csv' //'",
            f"EXPORT DATABASE '{tmp_path}/stolen'",
            f"ATTACH '{tmp_path}/stolen.lbug' AS other",
            f"LOAD FROM '{url}data.csv' RETURN *",
            f"INSTALL httpfs FROM '{url}'",
            f"LOAD EXTENSION '{tmp_path}/native.so'",
            "CREATE (t:Tool {iri: 'x'})",
        ),
        "oxigraph": (
            f"SELECT * {{ SERVICE <{url}> {{ ?s ?p ?o }} }}",
            f"SELECT * {{ SERVICE <http://localhost:{listener.getsockname()[1]}/> {{ ?s ?p ?o }} }}",
        ),
    }
    unjudged(graph, engine, "ASK {}" if engine == "oxigraph" else "RETURN 1")
    processes = process_ids()
    for text in hostile[engine]:
        with pytest.raises(EngineError):
            unjudged(graph, engine, text)
    if engine == "oxigraph":
        silent = f"SELECT (COUNT(*) AS ?n) {{ ?s ?p ?o OPTIONAL {{ ?s ?p 1 }} SERVICE SILENT <{url}> {{ ?s ?p ?o }} }}"
        unjudged(graph, engine, silent)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret"]
    with pytest.raises(TimeoutError):
        listener.accept()
    unjudged(graph, engine, "ASK {}" if engine == "oxigraph" else "RETURN 1")
    assert process_ids() == processes


def test_a_store_of_many_files_is_read(tmp_path: Path) -> None:
    """RocksDB opens sixteen files with the store and the others when they are needed."""
    store = pyoxigraph.Store(str(tmp_path))
    for i in range(10):
        quads = "".join(f'<u:{i}.{j}> <u:p{j}> "a literal {i} {j}" <u:g{i}> .\n' for j in range(9))
        store.bulk_load(quads.encode(), pyoxigraph.RdfFormat.N_QUADS)
    store.flush()
    assert len(list(tmp_path.glob("*.sst"))) > 16
    request = {"text": "SELECT ?o { GRAPH ?g { ?s ?p ?o } }", "prefixes": {}, "union": False}
    assert len(ask("oxigraph", tmp_path, request, Limits(timeout=20)).rows) == 90


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("ladybug", "RETURN size(range(1, 1000000000))"),
        ("ladybug", "RETURN repeat('abcdefgh', 100000000)"),
        ("oxigraph", "SELECT (COUNT(*) AS ?n) { " + "{" * 100_000 + "}" * 100_001),
        ("oxigraph", "SELECT (" + "(" * 100_000 + "1" + ")" * 100_000 + " AS ?x) {}"),
        ("oxigraph", "SELECT DISTINCT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?z LIMIT 1"),
    ],
)
def test_memory_is_limited(graph: ScriptGraph, engine: str, text: str) -> None:
    with pytest.raises(QueryError, match=r"needs more than 0\.25 GiB of memory"):
        unjudged(graph, engine, text)
    unjudged(graph, engine, "ASK {}" if engine == "oxigraph" else "RETURN 1")


def test_time_is_limited(graph: ScriptGraph) -> None:
    for run_query, text, harmless in (
        (sparql.run_query, ENDLESS_SPARQL, "ASK {}"),
        (cypher.run_query, ENDLESS_CYPHER, "RETURN 1"),
    ):
        run_query(graph, harmless)
        with pytest.raises(QueryError, match=r"takes more than 0\.5 seconds\n.*--timeout"):
            run_query(graph, text, timeout=0.5)
        assert len(run_query(graph, harmless).rows) == 1
    with pytest.raises(QueryError, match="takes more"):
        unjudged(graph, "ladybug", "RETURN " + "(" * 3000 + "1" + ")" * 3000, timeout=0.5)


def test_only_the_query_that_takes_too_long_is_ended(graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "_children", [])
    sparql.run_query(graph, "ASK {}")
    problems: list[QueryError] = []

    def ask_for_too_much() -> None:
        try:
            sparql.run_query(graph, ENDLESS_SPARQL, timeout=0.5)
        except QueryError as error:
            problems.append(error)

    late = threading.Thread(target=ask_for_too_much)
    late.start()
    while late.is_alive():
        assert sparql.run_query(graph, "ASK {}", timeout=60).rows == ((True,),)
    assert "takes more than 0.5 seconds" in str(problems[0])
    assert sparql.run_query(graph, "ASK {}").rows == ((True,),)


def test_the_size_of_a_result_is_limited(graph: ScriptGraph) -> None:
    many = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
    for run_query, text in ((sparql.run_query, many), (cypher.run_query, "UNWIND range(1, 5000) AS x RETURN x")):
        with pytest.raises(QueryError, match=r"more than 4,000 rows\n.*LIMIT.*--max-rows"):
            run_query(graph, text, max_rows=4000)
    assert len(cypher.run_query(graph, "UNWIND range(1, 4000) AS x RETURN x", max_rows=4000).rows) == 4000
    for engine, text in (("oxigraph", many), ("ladybug", "RETURN repeat('abcd', 300000)")):
        with pytest.raises(QueryError, match="more than 1 MiB"):
            unjudged(graph, engine, text, max_bytes=1 << 20)
    assert cypher.run_query(graph, "RETURN repeat('abcd', 3) AS x").rows == (("abcdabcdabcd",),)


@pytest.mark.parametrize("text", ["RETURN '\ud800'", "RETURN $a", "RETURN $b", "RETURN $c", "RETURN $d"])
def test_text_that_is_not_unicode_and_other_odd_values_are_refused(graph: ScriptGraph, text: str) -> None:
    odd = {"a": "\udcff", "b": object(), "c": 10**40, "d": b"bytes"}
    with pytest.raises(QueryError):
        cypher.run_query(graph, text, parameters=odd)
    if "ud800" in ascii(text):
        with pytest.raises(QueryError):
            sparql.run_query(graph, "SELECT ('\ud800' AS ?x) {}")
    assert cypher.run_query(graph, "RETURN $x AS x", parameters={"x": [1, "é🍝", None, {"a": 1.5}]}).rows


@pytest.mark.parametrize(("depth", "problem"), [(100, ""), (400, "nested more than 100 deep"), (5000, "10,000 tokens")])
def test_deep_values_are_read_or_refused(graph: ScriptGraph, depth: int, problem: str) -> None:
    query = "RETURN " + "[" * depth + "]" * depth
    if not problem:
        assert len(cypher.run_query(graph, query).rows) == 1
        return
    with pytest.raises(QueryError, match=problem):
        cypher.run_query(graph, query)


def test_json_has_no_numbers_that_json_lacks(graph: ScriptGraph) -> None:
    text = 'SELECT ("NaN"^^xsd:double AS ?a) ("INF"^^xsd:double AS ?b) ("-INF"^^xsd:double AS ?c) {}'
    table = sparql.run_query(graph, text)
    assert table.rows[0][1] == float("inf")
    rows = json.loads(table.render(ResultFormat.JSON), parse_constant=lambda name: pytest.fail(name))["rows"]
    assert rows == [["NaN", "Infinity", "-Infinity"]]
    assert table.render(ResultFormat.CSV) == "a,b,c\nNaN,Infinity,-Infinity\n"
    nested = Table(columns=("x",), rows=[([float("nan"), {"a": float("inf")}],)])
    assert nested.render(ResultFormat.CSV) == 'x\n"[""NaN"", {""a"": ""Infinity""}]"\n'


def test_one_process_a_store_that_ends_with_the_store(
    graph: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confined, "_children", [])
    stores = [tmp_path / f"{i}.lbug" for i in range(confined._KEPT + 1)]
    for store in stores:
        shutil.copy(ladybug_store(graph), store)
        cypher.run_query(store, "RETURN 1")
    processes = process_ids()
    assert len(processes) == confined._KEPT
    cypher.run_query(stores[-1], "RETURN 1")
    assert process_ids() == processes
    stores[-2].unlink()
    cypher.run_query(stores[-1], "RETURN 1")
    assert len(process_ids()) == confined._KEPT - 1
    os.kill(process_ids()[-1], signal.SIGKILL)
    os.waitid(os.P_PID, process_ids()[-1], os.WEXITED | os.WNOWAIT)
    assert cypher.run_query(stores[-1], "RETURN 1").rows == ((1,),)


def test_a_query_does_not_wait_for_another_one_of_its_store(
    graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confined, "_children", [])
    cypher.run_query(graph, "RETURN 1")
    (busy,) = (child for _, child in confined._children)
    assert busy.take()
    assert cypher.run_query(graph, "RETURN 2 AS x").rows == ((2,),)
    assert len(process_ids()) == 2
    assert not busy.close_if_idle()
    others = [child for _, child in confined._children if child is not busy]
    while len(others) < confined._KEPT - 1:
        assert others[-1].take()
        assert cypher.run_query(graph, "RETURN 3 AS x").rows == ((3,),)
        others = [child for _, child in confined._children if child is not busy]
    assert others[-1].take()
    waiting = threading.Thread(target=cypher.run_query, args=(graph, "RETURN 4"))
    waiting.start()
    for child in (busy, *others):
        child._lock.release()
    waiting.join()
    assert len(process_ids()) == confined._KEPT


def test_threads_and_forks_share_a_store(graph: ScriptGraph) -> None:
    answers: dict[int, object] = {}

    def count(number: int) -> None:
        answers[number] = cypher.run_query(graph, f"UNWIND range(1, {1000 + number}) AS x RETURN x").rows[-1]

    threads = [threading.Thread(target=count, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: (1000 + number,) for number in range(6)}
    before = process_ids()
    assert len(before) <= confined._KEPT
    fork = os.fork()
    if fork == 0:
        os._exit(0 if cypher.run_query(graph, "RETURN 7 AS x").rows == ((7,),) else 1)
    assert os.waitpid(fork, 0)[1] == 0
    assert cypher.run_query(graph, "RETURN 1 AS x").rows == ((1,),)
    assert process_ids() == before


WAITING = """
import os, signal, sys, threading
from exports.cypher import cypher
from exports.query import sparql
from kgscripts import ScriptGraph
graph = ScriptGraph.open(sys.argv[1])
try:
    sparql.run_query(graph, "ASK {}")
    print("ready", flush=True)
    if sys.argv[2] == "sparql":
        sparql.run_query(graph, sys.argv[3])
    else:
        cypher.run_query(graph, sys.argv[3])
except KeyboardInterrupt:
    print("interrupted", sparql.run_query(graph, "ASK {}").rows, flush=True)
"""


@pytest.mark.parametrize(
    ("number", "language", "query"),
    [
        (signal.SIGINT, "sparql", ENDLESS_SPARQL),
        (signal.SIGINT, "cypher", ENDLESS_CYPHER),
        (signal.SIGKILL, "sparql", ENDLESS_SPARQL),
        (signal.SIGTERM, "cypher", ENDLESS_CYPHER),
    ],
)
def test_a_query_ends_with_its_caller(graph: ScriptGraph, number: signal.Signals, language: str, query: str) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WAITING, str(graph.directory), language, query]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == "ready\n"
        children = busy_children(caller.pid)
        caller.send_signal(number)
        if number is signal.SIGINT:
            assert caller.stdout.readline() == "interrupted ((True,),)\n"
        caller.wait(timeout=60)
        assert not running(children)


def test_ctrl_c_ends_the_command(graph: ScriptGraph) -> None:
    command = [sys.executable, "-m", "cli", "query", str(graph.directory), "--cypher", ENDLESS_CYPHER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as caller:
        children = busy_children(caller.pid)
        caller.send_signal(signal.SIGINT)
        _, errors = caller.communicate(timeout=60)
    assert caller.returncode == -signal.SIGINT
    assert "Traceback" not in errors
    assert not running(children)


def running(children: list[psutil.Process]) -> list[psutil.Process]:
    """Those that go on running for half a minute; a zombie, whose parent is gone, does not."""
    deadline = time.monotonic() + 30
    while (left := [child for child in children if _runs(child)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


def _runs(child: psutil.Process) -> bool:
    try:
        return bool(child.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def busy_children(parent: int) -> list[psutil.Process]:
    """The children of a process, once one of them has worked for a while after it was started."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        children = psutil.Process(parent).children()
        if any(sum(child.cpu_times()[:2]) > 0.7 for child in children):
            return children
        time.sleep(0.05)
    pytest.fail("no query is running")


def test_where_the_platform_cannot_confine_one_has_to_ask_for_less(
    graph: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "child.py"
    child = str(engine_process._CHILD)
    other.write_text(f"import sys, runpy\nsys.platform = 'other'\nrunpy.run_path({child!r}, run_name='__main__')\n")
    monkeypatch.setattr(engine_process, "_CHILD", other)
    monkeypatch.setattr(confined, "_children", [])
    with pytest.raises(ConfigurationError, match=r"(?s)cannot be confined on this platform.*--unconfined"):
        cypher.run_query(graph, "RETURN 1")
    assert cypher.run_query(graph, "RETURN 1", confined=False).rows == ((1,),)
    assert sparql.run_query(graph, "ASK {}", confined=False).rows == ((True,),)
    query = ["kgscripts", "query", str(graph.directory), "--sparql", "ASK {}", "--format", "csv"]
    monkeypatch.setattr(sys, "argv", query)
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert "--unconfined" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", [*query, "--unconfined"])
    with suppress(SystemExit):
        cli.main()
    assert capsys.readouterr().out == "answer\ntrue\n"
