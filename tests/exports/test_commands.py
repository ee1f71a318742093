"""`kgscripts export`, `query` and `validate` as a person calls them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import frozen

import cli
from schemas.graph_types import NODE_TYPES
from tests.exports.test_validation import sound_rows
from tests.graphs import write_graph

TOOLS = "SELECT ?label { ?tool a kgs:Tool ; rdfs:label ?label } ORDER BY ?label"


@frozen
class Result:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Result]


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls `kgscripts` in `folder` as the console script does, in this process."""
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: str, folder: Path = folder, stdin: str = "") -> Result:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["kgscripts", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code: object = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        output = capsys.readouterr()
        assert isinstance(code, int)
        return Result(code, output.out, output.err)

    return call


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("commands")
    write_graph(path / "graph", sound_rows(10))
    return path


def test_export_tells_what_it_wrote(run: Run, folder: Path) -> None:
    result = run("export", "graph", "graph.ttl")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"wrote {sum(len(sound_rows(10)[name]) for name in NODE_TYPES)} nodes and ")
    assert "triples: " in result.stdout
    assert result.stderr == "", "no bar where there is no terminal"
    report = json.loads(run("export", "graph", "graph.nq", "--json").stdout)
    assert report["target"] == "graph.nq"
    assert report["details"]["bytes"] == (folder / "graph.nq").stat().st_size


def test_a_dry_run_says_so(run: Run, folder: Path) -> None:
    result = run("export", "graph", "dry.trig", "--dry-run")
    assert result.stdout.startswith("would write")
    assert not (folder / "dry.trig").exists()


def test_a_query_is_a_text_a_file_or_standard_input(run: Run, folder: Path) -> None:
    (folder / "tools.rq").write_text(TOOLS, encoding="utf-8")
    (folder / "tools").write_text(TOOLS, encoding="utf-8")
    answers = [
        run("query", "graph", "--sparql", TOOLS, "--json"),
        run("query", "graph", "--sparql", "tools.rq", "--format", "json"),
        run("query", "graph", "--sparql", "tools", "-f", "json"),
        run("query", "graph", "--sparql", "-", "--json", stdin=TOOLS),
    ]
    assert {answer.stderr for answer in answers} == {""}
    assert len({answer.stdout for answer in answers}) == 1
    found = json.loads(answers[0].stdout)
    assert found["columns"] == ["label"]
    assert len(found["rows"]) == 10


def test_both_languages_and_all_formats(run: Run) -> None:
    cypher = "MATCH (t:Tool) RETURN count(t) AS tools"
    sparql = "SELECT (COUNT(?t) AS ?tools) { ?t a kgs:Tool }"
    for form, expected in (("csv", "tools\n10\n"), ("tsv", "tools\n10\n"), ("table", " tools\n ─────\n    10\n")):
        for language, query in (("--cypher", cypher), ("--sparql", sparql)):
            result = run("query", "graph", language, query, "--format", form)
            assert result.stdout == expected, result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["query", "graph"], "either --sparql or --cypher"),
        (["query", "graph", "--sparql", "ASK {}", "--cypher", "RETURN 1"], "either --sparql or --cypher"),
        (["query", "--sparql", "ASK {}"], "a graph directory or one server"),
        (["query", "graph", "--sparql", "ASK {}", "--endpoint", "http://x/"], "a graph directory or one server"),
        (["query", "--sparql", "ASK {}", "--uri", "bolt://x"], "a graph directory or one server"),
        (["query", "graph", "--sparql", "ASK {"], "line 1, column"),
        (["query", "graph", "--sparql", "missing.rq"], "missing.rq"),
        (["query", "graph", "--sparql", "latin.rq"], "not in UTF-8"),
        (["query", "nowhere", "--sparql", "ASK {}"], "there is no graph"),
        (["export", "graph", "graph.doc"], "has no known suffix or scheme"),
        (["export", "graph", "sparql+http://a:b@127.0.0.1/kg"], "holds a user name"),
        (["validate", "nowhere"], "there is no graph"),
    ],
)
def test_errors_exit_with_2_and_say_what_to_do(run: Run, folder: Path, arguments: list[str], message: str) -> None:
    (folder / "latin.rq").write_bytes("# é\nASK {}".encode("latin-1"))
    result = run(*arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_validate_says_what_it_checked(run: Run) -> None:
    result = run("validate", "graph")
    assert result.returncode == 0, result.stdout
    assert "references followed" in result.stdout
    assert result.stdout.endswith("conforms\n")


def test_validate_ends_with_2_where_something_is_wrong(run: Run, tmp_path: Path) -> None:
    rows = sound_rows()
    rows["Tool"][0]["support"] = -1
    write_graph(tmp_path / "graph", rows)
    result = run("validate", "graph", folder=tmp_path)
    assert result.returncode == 2
    assert "support" in result.stdout
    assert result.stdout.endswith("does not conform: 1 violation\n")
    report = json.loads(run("validate", "graph", "--all", "--json", folder=tmp_path).stdout)
    assert report["conforms"] is False
    assert len(report["violations"]) == 1


def test_validate_without_pyshacl_checks_the_rest_and_ends_with_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyshacl", None)
    result = run("validate", "graph")
    assert result.returncode == 2
    assert result.stdout.endswith("references followed\n")
    assert "error: the shapes were not checked: pyshacl is not installed\n" in result.stderr
    assert "pip install 'kgscripts[shacl]'" in result.stderr
    report = json.loads(run("validate", "graph", "--json").stdout)
    assert (report["conforms"], report["shapes"]) == (None, None)
    assert report["references"] > 0
