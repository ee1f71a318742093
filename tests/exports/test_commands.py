"""`kgscripts export`, `query` and `validate` as a person calls them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.exports.test_validation import sound_rows
from tests.graphs import write_graph

TOOLS = "SELECT ?label { ?tool a kgs:Tool ; rdfs:label ?label } ORDER BY ?label"


def run(*arguments: str, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
    command = [sys.executable, "-c", "import cli; cli.main()", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, input=stdin, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("commands")
    write_graph(path / "graph", sound_rows())
    return path


def test_export_tells_what_it_wrote(folder: Path) -> None:
    result = run("export", "graph", "graph.ttl", folder=folder)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("wrote 180 nodes and ")
    assert "triples: " in result.stdout
    assert result.stderr == "", "no bar where there is no terminal"
    report = json.loads(run("export", "graph", "graph.nq", "--json", folder=folder).stdout)
    assert report["target"] == "graph.nq"
    assert report["details"]["bytes"] == (folder / "graph.nq").stat().st_size


def test_a_dry_run_says_so(folder: Path) -> None:
    result = run("export", "graph", "dry.trig", "--dry-run", folder=folder)
    assert result.stdout.startswith("would write")
    assert not (folder / "dry.trig").exists()


def test_a_query_is_a_text_a_file_or_standard_input(folder: Path) -> None:
    (folder / "tools.rq").write_text(TOOLS, encoding="utf-8")
    (folder / "tools").write_text(TOOLS, encoding="utf-8")
    answers = [
        run("query", "graph", "--sparql", TOOLS, "--json", folder=folder),
        run("query", "graph", "--sparql", "tools.rq", "--format", "json", folder=folder),
        run("query", "graph", "--sparql", "tools", "-f", "json", folder=folder),
        run("query", "graph", "--sparql", "-", "--json", folder=folder, stdin=TOOLS),
    ]
    assert {answer.stderr for answer in answers} == {""}
    assert len({answer.stdout for answer in answers}) == 1
    found = json.loads(answers[0].stdout)
    assert found["columns"] == ["label"]
    assert len(found["rows"]) == 10


def test_both_languages_and_all_formats(folder: Path) -> None:
    cypher = "MATCH (t:Tool) RETURN count(t) AS tools"
    sparql = "SELECT (COUNT(?t) AS ?tools) { ?t a kgs:Tool }"
    for form, expected in (("csv", "tools\n10\n"), ("tsv", "tools\n10\n"), ("table", " tools\n ─────\n    10\n")):
        for language, query in (("--cypher", cypher), ("--sparql", sparql)):
            result = run("query", "graph", language, query, "--format", form, folder=folder)
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
        (["export", "graph", "graph.doc"], "does not say what it is"),
        (["export", "graph", "sparql+http://a:b@127.0.0.1/kg"], "holds a user name"),
        (["validate", "nowhere"], "there is no graph"),
    ],
)
def test_errors_exit_with_2_and_say_what_to_do(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "latin.rq").write_bytes("# é\nASK {}".encode("latin-1"))
    result = run(*arguments, folder=folder)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_validate_says_what_it_checked(folder: Path) -> None:
    result = run("validate", "graph", folder=folder)
    assert result.returncode == 0, result.stdout
    assert "references followed" in result.stdout
    assert result.stdout.endswith("conforms\n")


def test_validate_ends_with_2_where_something_is_wrong(tmp_path: Path) -> None:
    rows = sound_rows()
    rows["Tool"][0]["support"] = -1
    write_graph(tmp_path / "graph", rows)
    result = run("validate", "graph", folder=tmp_path)
    assert result.returncode == 2
    assert "support" in result.stdout
    assert result.stdout.endswith("does not conform: 1 violations\n")
    report = json.loads(run("validate", "graph", "--all", "--json", folder=tmp_path).stdout)
    assert report["conforms"] is False
    assert len(report["violations"]) == 1
