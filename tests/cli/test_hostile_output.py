"""Text of documents, file names and servers that would control a terminal goes through every output."""

from __future__ import annotations

import json
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import cli
from kgscripts import ScriptGraph
from tests.exports.kitchen import kitchen_rows
from tests.graphs import write_graph

HOSTILE = "[/b][link=http://x]y[/link] \x1b]8;;http://x\x07 \x9b31m \u202e\u2066 \u2028 \x7f :smile:"
"""Markup of rich, a hyperlink, a colour by a C1 control, direction overrides, a line separator, DEL, an emoji code."""
FOLDER = "[/b] \x1b]8;;x\x07 \u202e"
"""Names of two folders."""
NAME = "[b] \x1b]8;;x\x07 \u202e"
"""The name of a file."""
ARGUMENT = "[/b] \x1b[31m \x9b \udcff"
"""An argument, with a byte that is no UTF-8."""


def controls(text: str) -> list[str]:
    """The characters of a text that a terminal would obey."""
    harmless = "\n\t\u200c\u200d"
    return [char for char in text if unicodedata.category(char)[0] in "CZ" and char not in harmless and char != " "]


Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls `kgscripts` in this process; what it prints to both outputs has no character that controls a terminal."""

    def call(*arguments: object, code: int = 0, exact: bool = False) -> str:
        monkeypatch.setattr(sys, "argv", ["kgscripts", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        output = capsys.readouterr()
        assert ended.value.code == code, output
        assert controls(output.err) == []
        assert exact or controls(output.out) == []
        assert "Traceback" not in output.err
        assert "fault of kgscripts" not in output.err
        return output.out + output.err

    return call


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    """The kitchen with a hostile text in front of every label, sentence and name."""
    rows = kitchen_rows()
    texts = ("label", "text", "name", "pref_label", "title", "unit", "metric", "dataset")
    for table in rows.values():
        for row in table:
            for name in texts:
                if isinstance(row.get(name), str):
                    row[name] = HOSTILE + row[name]
    return write_graph(tmp_path_factory.mktemp("hostile") / FOLDER, rows)


LABEL = HOSTILE + "cooking pasta"
SPARQL = "SELECT DISTINCT ?label { ?s rdfs:label|skos:prefLabel ?label } ORDER BY ?label LIMIT 40"
CYPHER = "MATCH (s:Scenario) RETURN s, s.label AS `[/b]` LIMIT 5"


@pytest.mark.parametrize(
    "arguments",
    [
        ("show",),
        ("show", "--json"),
        ("show", LABEL),
        ("show", LABEL, "--json"),
        ("show", "--tool", HOSTILE + "strainer"),
        ("query", "--sparql", SPARQL),
        ("query", "--sparql", SPARQL, "--json"),
        ("query", "--cypher", CYPHER),
        ("query", "--cypher", CYPHER, "--json"),
    ],
    ids=" ".join,
)
def test_a_hostile_graph_is_shown(run: Run, graph: ScriptGraph, arguments: tuple[str, ...]) -> None:
    shown = run(arguments[0], graph.directory, *arguments[1:])
    assert "[/b][link=http://x]y[/link]" in shown
    assert ":smile:" in shown
    if "--json" in arguments:
        assert HOSTILE in str_values(json.loads(shown))
    else:
        assert "\\x1b]8;;http://x\\x07 \\x9b31m \\u202e\\u2066" in shown


def str_values(value: object) -> str:
    """All strings of a JSON value, one after the other."""
    if isinstance(value, dict):
        return "".join(map(str_values, value.values()))
    return "".join(map(str_values, value)) if isinstance(value, list) else str(value)


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_csv_is_exact_in_a_pipe_and_escaped_on_a_terminal(
    run: Run, graph: ScriptGraph, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = run("query", graph.directory, "--sparql", SPARQL, "--format", form, exact=True)
    assert HOSTILE in piped
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    shown = run("query", graph.directory, "--sparql", SPARQL, "--format", form)
    assert HOSTILE not in shown
    assert "\\x9b31m" in shown


@pytest.mark.parametrize("target", ["{}.ttl", "{}.graphml", "{}.nq.gz", "parquet:{}"])
def test_exports_name_hostile_targets(run: Run, graph: ScriptGraph, tmp_path: Path, target: str) -> None:
    file = target.format(tmp_path / FOLDER)
    assert "[/b] \\x1b]8;;x\\x07 \\u202e" in run("export", graph.directory, file)
    assert json.loads(run("export", graph.directory, file, "--json"))["target"] == file


def test_violations_are_shown(run: Run, tmp_path: Path) -> None:
    rows = kitchen_rows()
    for row in rows["SubEvent"]:
        row["label"] = HOSTILE
    for row in rows["BenchmarkScore"]:
        row["direction"] = HOSTILE
    directory = write_graph(tmp_path / FOLDER, rows).directory
    assert "[/b]" in run("validate", directory, "--sample", "2", code=2)
    damaged = directory / "nodes" / "Tool.parquet"
    damaged.write_bytes(b"x")
    run("validate", directory, code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        (ARGUMENT,),
        ("show", ARGUMENT),
        ("show", "--" + ARGUMENT),
        ("show", "--limit", ARGUMENT),
        ("show", "GRAPH", ARGUMENT),
        ("show", "GRAPH", "--tool", ARGUMENT),
        ("query", "GRAPH", "--sparql", ARGUMENT),
        ("query", "GRAPH", "--sparql", f"SELECT ?x {{ ?x <{ARGUMENT}> 1 }}"),
        ("query", "GRAPH", "--cypher", ARGUMENT),
        ("query", "GRAPH", "--cypher", f"MATCH (n:`{ARGUMENT}`) RETURN n"),
        ("query", "GRAPH", "--format", ARGUMENT, "--sparql", "ASK {}"),
        ("query", "--endpoint", ARGUMENT, "--sparql", "ASK {}"),
        ("query", "--endpoint", f"http://127.0.0.1:1/{ARGUMENT}", "--sparql", "ASK {}"),
        ("query", "--uri", ARGUMENT, "--cypher", "RETURN 1"),
        ("export", "GRAPH", ARGUMENT),
        ("export", "GRAPH", f"neo4j-csv:{ARGUMENT}/x/y"),
        ("validate", ARGUMENT),
        ("remove", ARGUMENT, "x"),
        ("remove", "GRAPH", ARGUMENT),
        ("build-graph", ARGUMENT, "-o", "new"),
        ("build-graph", "GRAPH", "-o", ARGUMENT + "/x"),
        ("build-graph", "GRAPH", "-o", "new", "--format", ARGUMENT),
        ("build-graph", "GRAPH", "-o", "new", "--memory", ARGUMENT),
        ("build-graph", "GRAPH", "-o", "new", "--extractors", ARGUMENT),
        ("build-graph", "GRAPH", "-o", "new", "--base-iri", ARGUMENT),
        ("build-graph", "GRAPH", "-o", "new", "--scenarios", ARGUMENT),
        ("tools", ARGUMENT),
        ("align", ARGUMENT),
        ("corpora", "fetch", ARGUMENT),
        ("evaluate", ARGUMENT),
        ("evaluate", "cloze", "--model", ARGUMENT, "--templates", ARGUMENT),
        ("evaluate", "text", ARGUMENT),
        ("evaluate", "scenario-mentions", "--gold", ARGUMENT),
        ("train", "masked", "--train", ARGUMENT, "--out", "new", "--max-time", ARGUMENT),
    ],
    ids=ascii,
)
def test_errors_show_hostile_arguments(
    run: Run, graph: ScriptGraph, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(*(str(graph.directory) if argument == "GRAPH" else argument for argument in arguments), code=2)


def test_a_hostile_corpus_from_build_to_removal(run: Run, tmp_path: Path) -> None:
    corpus = tmp_path / FOLDER
    corpus.mkdir(parents=True)
    word = "[b]\x1b[31mx\u202e\x9b"
    (corpus / f"{NAME}.md").write_text(f"# {HOSTILE} Cook pasta\n\n1. Boil the {word} water.\n2. Drain it.\n")
    record = {"id": HOSTILE, "scenario": HOSTILE, "text": f"We drained the pasta with a {word} strainer. {HOSTILE}"}
    odd = {**record, "id": "2", "text": [HOSTILE]}
    stories = "".join(json.dumps(each) + "\n" for each in (record, odd)) + f"no json {HOSTILE}\n"
    (corpus / "stories.jsonl").write_text(stories, encoding="utf-8")
    pairs = tmp_path / f"{NAME}.tsv"
    pairs.write_text(f"drain the {word} pasta .\tput a {word} colander into the {word} sink .\n", encoding="utf-8")
    built = tmp_path / "graph [/b]\x1b"
    report = run("build-graph", corpus, pairs, "-o", built)
    assert "graph [/b]\\x1b" in " ".join(report.split())
    assert "[/b][link=http://x]y[/link] \\x1b]8;;" in report
    assert max(map(len, report.splitlines())) <= 80
    assert controls(run("build-graph", corpus, pairs, "-o", built, "--json")) == []
    run("show", built)
    run("tools", f"drain the {word} pasta")
    run("align", pairs)
    run("align", pairs, "--json")
    templates = tmp_path / f"{NAME}.template.tsv"
    templates.write_text(f"drain the {word} pasta .\tuse a {word} colander .\t1 1 0 0 1\n", encoding="utf-8")
    cloze = ("evaluate", "cloze", "--model", "masked", "--templates", templates)
    scores = run(*cloze, "--examples", 1)
    assert "\\x1b[31mx" in scores
    assert max(map(len, scores.splitlines())) <= 80
    assert "removed" in run("remove", built, corpus / "stories.jsonl")
    run("remove", built, NAME, code=2)


def hostile_reply(path: str) -> tuple[int, str, str]:
    """Status, type and content of what the server answers: results for /results, else an error."""
    if "results" in path:
        rows = [{"x": {"type": "literal", "value": HOSTILE}}]
        content = {"head": {"vars": ["x"]}, "results": {"bindings": rows}}
        return 200, "application/sparql-results+json", json.dumps(content)
    kind = "text/html; charset=[/b]\x9b" if "html" in path else "text/plain"
    return 400 if "400" in path else 500, kind, HOSTILE * 20


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    class Hostile(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, kind, content = hostile_reply(self.path)
            self.send_response(status, "[/b]\x1b[31m \x9b")
            body = content.encode()
            self.send_header("Content-Type", kind)
            self.send_header("X-Hostile", "\x1b[31m\x9b")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """Silence."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


@pytest.mark.parametrize("kind", ["table", "json", "csv"])
def test_results_of_a_hostile_server(run: Run, server: str, kind: str) -> None:
    shown = run("query", "--endpoint", f"{server}/results", "--sparql", "ASK {}", "--format", kind, exact=kind == "csv")
    assert "[link=http://x]" in shown


@pytest.mark.parametrize("path", ["400", "500", "500html"])
def test_errors_of_a_hostile_server(run: Run, server: str, path: str, graph: ScriptGraph) -> None:
    query = "SELECT * { ?s ?p ?o } LIMIT 1"
    run("query", "--endpoint", f"{server}/{path}", "--sparql", query, code=2)
    run("export", graph.directory, f"sparql+{server}/{path}", code=2)
