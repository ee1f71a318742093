"""A graph by itself: each metric on a graph written for it, counted by hand; and measurements that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.evaluation import graph_quality
from kgscripts.evaluation.graph_quality import Conformance, evaluate_graph
from kgscripts.pipeline import build_graph
from schemas.graph_directory import MEASUREMENTS
from schemas.provenance import Direction, Measurement, Unit, read_measurements, write_measurements

TEXTS: list[dict[str, Any]] = [
    {"id": "1", "scenario": "making tea", "steps": ["Boil the water.", "Wait.", "Pour the water into a cup."]},
    {
        "id": "2",
        "scenario": "making tea",
        "steps": ["Pour the water into a cup.", "Boil the water.", "Boil some water."],
    },
    {"id": "3", "text": "I was happy."},
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    folder = tmp_path_factory.mktemp("graph") / "tea"
    build_graph(output=folder, texts=TEXTS, extractors=["labels", "sentences", "events"])
    return ScriptGraph.open(folder)


def test_by_hand(graph: ScriptGraph) -> None:
    found = evaluate_graph(graph, Conformance(checked=8, conforming=6))
    (system,) = found.systems
    labels = sorted(row["label"] for row in graph.select("SubEvent", ["label"]).to_pylist())
    bare = [label for label in labels if " " not in label]
    orders = graph.select("PRECEDES", ["probability"])["probability"].to_pylist()
    assert bare
    assert system["nodes that conform to the shapes"] == 0.75
    assert system["statements with evidence"] == 1
    assert system["sources without a script"] == pytest.approx(1 / 3)
    assert system["orphans"] == 0
    assert system["order conflicts"] == 0
    assert system["contradicted orders"] == pytest.approx(sum(value < 1 for value in orders) / max(1, len(orders)))
    assert system["labels without an object"] == pytest.approx(len(bare) / len(labels))
    assert {example.text for example in found.examples if "object" in example.where} == set(bare)
    assert not found.notes
    assert "conform" not in [figure.metric for figure in evaluate_graph(graph, None).systems[0].figures]


def test_near_duplicates_are_steps_of_one_scenario(graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a cosine that all pairs have, every step has all others of its scenario."""
    monkeypatch.setattr(graph_quality, "NEAR_DUPLICATE", -1.0)
    monkeypatch.setattr(graph_quality, "_BLOCK", 2)
    found = evaluate_graph(graph, None)
    told = [row for row in graph.select("SubEvent", ["label", "scenario"]).to_pylist() if row["scenario"]]
    assert found.systems[0]["near-duplicate steps"] == pytest.approx(len(told) / graph.manifest.rows("SubEvent"))
    one = next(example for example in found.examples if "near-duplicates" in example.where)
    assert len(one.found) == len(told) - 1


MEASURED = [Measurement(metric="orphans", value=0.25, unit=Unit.SHARE, direction=Direction.LOWER)]


def test_measurements_are_of_one_build(tmp_path: Path) -> None:
    write_measurements(tmp_path, "abc", MEASURED)
    assert read_measurements(tmp_path, "abc") == tuple(MEASURED)
    assert read_measurements(tmp_path, "abd") == ()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"build": "abc"}', '{"build": "abc", "measurements": [{}]}'])
def test_damaged_measurements_are_none(tmp_path: Path, content: str) -> None:
    (tmp_path / MEASUREMENTS).write_text(content, encoding="utf-8")
    assert read_measurements(tmp_path, "abc") == ()


def test_attached_measurements_are_in_the_rdf_and_the_graph_conforms(graph: ScriptGraph) -> None:
    asked = """
        SELECT ?value { ?m dqv:isMeasurementOf/rdfs:label ?metric; dqv:computedOn ?set; dqv:value ?value .
        ?set a void:Dataset FILTER(str(?metric) = 'orphans') }
    """
    run = CliRunner()
    before = run.invoke(cli.app, ["query", str(graph.directory), "--sparql", asked, "--format", "json"])
    assert json.loads(before.stdout)["rows"] == []
    done = run.invoke(cli.app, ["evaluate", "graph", str(graph.directory), "--attach"])
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= 80
    after = run.invoke(cli.app, ["query", str(graph.directory), "--sparql", asked, "--format", "json"])
    assert json.loads(after.stdout)["rows"] == [["0"]] or json.loads(after.stdout)["rows"] == [[0]]
    checked = run.invoke(cli.app, ["validate", str(graph.directory), "--all"])
    assert checked.exit_code == 0, checked.output
