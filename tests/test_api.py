"""What a person meets first in Python: the package, and a graph in a notebook."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

import kgscripts
from kgscripts import ScriptGraph
from kgscripts.models.installed import find_model
from kgscripts.models.registry import shipped_models
from lightning_modules.configuration import name_of_trained
from schemas.errors import ConfigurationError, GraphDirectoryError
from tests.cli.named_paths import write_inputs
from tests.graphs import odd_graph, write_graph
from tests.training import corpus

_TINY = {"network.embedding_size": 8, "network.hidden_size": 8, "network.emission_hidden": 8, "minimum_count": 1}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("[b]&odd") / "graph")


def test_the_package_names_its_parts() -> None:
    assert kgscripts.__version__ == metadata.version("kgscripts")
    assert kgscripts.ScriptGraph is ScriptGraph
    assert dir(kgscripts) == sorted(kgscripts.__all__)
    for name in kgscripts.__all__:
        assert getattr(kgscripts, name)
    with pytest.raises(AttributeError, match="no attribute 'build_'"):
        _ = kgscripts.build_


def test_torch_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys, kgscripts; [getattr(kgscripts, name) for name in ('evaluate', 'export', 'load_model', 'train')]; "
        "print(sorted({'torch', 'spacy', 'pytorch_lightning'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_export_writes_what_the_command_writes(graph: ScriptGraph, tmp_path: Path) -> None:
    report = kgscripts.export(graph, tmp_path / "graph.ttl")
    assert (report.nodes, report.target) == (graph.to_networkx().number_of_nodes(), str(tmp_path / "graph.ttl"))
    assert kgscripts.export(graph, tmp_path / "none.ttl", dry_run=True).nodes == report.nodes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.ttl"]


def test_evaluate_gives_what_the_command_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_inputs(tmp_path)
    files = {"gold": tmp_path / "aligned.jsonl", "templates": str(tmp_path / "valid.template.tsv")}
    (found,) = kgscripts.evaluate("alignments", **files, model=["diagonal"], output=tmp_path / "scores.json")
    assert capsys.readouterr().out == ""
    (written,) = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))["evaluations"]
    assert found.systems[0].figures[0].value == pytest.approx(written["systems"][0]["figures"][0]["value"], abs=1e-4)


def test_train_writes_a_model_with_a_name_of_its_own(tmp_path: Path) -> None:
    options = {"train": corpus.write(tmp_path), "epochs": 1, "accelerator": "cpu", "set": _TINY}
    for out, name in (("mine", "mine"), ("transducer", "own transducer")):
        assert kgscripts.train("transducer", out=tmp_path / out, **options) == tmp_path / out
        card = find_model(tmp_path / out).card
        assert card.name == name
        assert "--epochs 1" in card.command
    assert kgscripts.load_model(tmp_path / "mine").name == "mine"
    assert name_of_trained("scenarios", shipped_models()["scenarios"]) == "scenarios"
    assert name_of_trained("of-my-own", tmp_path / "model") == "of-my-own"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: kgscripts.train("cooking", out="model"), "there is no task 'cooking'"),
        (lambda: kgscripts.evaluate("cooking"), "there is no task 'cooking'"),
        (lambda: kgscripts.train("masked", out="model", training="x"), "masked has no option training"),
        (lambda: kgscripts.train("masked", out="model"), "masked: Missing option '--train'"),
        (lambda: kgscripts.evaluate("tools", split="all"), "tools: Invalid value for '--split'"),
        (lambda: kgscripts.export(None, "g.ttl", prunes=True), "export has no option prunes"),  # type: ignore[arg-type]
        (lambda: kgscripts.train("masked", out=3), "out is 3"),  # type: ignore[arg-type]
    ],
)
def test_what_a_command_does_not_take(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        call()


def test_the_repr_of_a_graph_is_one_line(graph: ScriptGraph) -> None:
    nodes, relations = graph.to_networkx().number_of_nodes(), graph.to_networkx().number_of_edges()
    assert repr(graph) == f"ScriptGraph({str(graph.directory)!r}: {nodes:,} nodes, {relations:,} relations)"


def test_a_notebook_shows_counts_and_a_script(graph: ScriptGraph) -> None:
    html = graph._repr_html_()
    assert "[b]&amp;odd" in html
    assert f"Scenario {graph.manifest.rows('Scenario'):,}" in html
    # The labels of the graph hold tags, quotes and control characters: none of them is one of the page's.
    assert set(re.findall(r"<(\w+)", html)) <= {"b", "i", "br", "small", "table", "tr", "th", "td"}
    assert html.count("<table>") == 1
    assert html.isprintable()


def test_an_empty_graph_shows_no_script(tmp_path: Path) -> None:
    assert "<table" not in write_graph(tmp_path / "graph", {})._repr_html_()


def test_frames_and_queries_have_the_same_rows(graph: ScriptGraph) -> None:
    frames = graph.to_frames()
    for table in (
        graph.query("SELECT ?tool { ?tool a kgs:Tool }"),
        graph.query(cypher="MATCH (tool:Tool) RETURN tool.iri"),
        graph.query(cypher="MATCH (tool:Tool) WHERE tool.support > $least RETURN tool.iri", parameters={"least": -99}),
    ):
        assert sorted(str(row[0]) for row in table.rows) == sorted(map(graph.iri, frames["Tool"]["id"]))


def test_a_result_is_a_frame_and_a_table_of_a_notebook(graph: ScriptGraph) -> None:
    table = graph.query(cypher="MATCH (t:Tool) RETURN t.label AS label, t.support AS support ORDER BY t.iri")
    assert repr(table) == f"Table('label', 'support': {len(table.rows)} rows)"
    assert list(table.to_frame().itertuples(index=False, name=None)) == list(table.rows)
    html = table._repr_html_()
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", html)
    assert set(re.findall(r"<(\w+)", html)) == {"table", "tr", "th", "td"}
    many = graph.query("SELECT ?s { ?s ?p ?o } LIMIT 60")
    assert "<small>10 more rows</small>" in many._repr_html_()


@pytest.mark.parametrize(
    "arguments",
    [{}, {"sparql": "ASK {}", "cypher": "RETURN 1"}, {"parameters": {}}],
    ids=str,
)
def test_one_query_at_a_time(arguments: dict[str, object], graph: ScriptGraph) -> None:
    with pytest.raises(ConfigurationError, match="either in SPARQL or in Cypher"):
        graph.query(**arguments)  # type: ignore[arg-type]


def test_a_damaged_table_is_said_so(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    (graph.directory / "nodes" / "Scenario.parquet").write_bytes(b"PAR1")
    with pytest.raises(GraphDirectoryError):
        graph._repr_html_()
