"""The code of docs/extending.md runs as it is printed there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schemas.script_graph
import schemas.tables
from exports.targets import ExportOptions
from kgscripts.assembly.rules import relations as rules
from kgscripts.enrichers.protocol import enrich
from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.sentence_vectors import SCALE
from kgscripts.pipeline import build_graph
from kgscripts.records import RecordStore
from lightning_modules.hardware import Hardware
from lightning_modules.training import train
from schemas import graph_types
from schemas.graph_directory import locked
from schemas.script_graph import ScriptGraph
from tests.assembly.built import graph_rows, labels
from tests.assembly.tiny_reader import tiny, tiny_document
from tests.exports.compliance import Content, expected
from tests.graphs import odd_graph

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
BLOCKS = dict(
    re.findall(r"^`([\w./]+)`\n```\w+\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
)
"""The code on the page, by file name."""


def _run(name: str, **names: Any) -> dict[str, Any]:
    """The names that a block defines."""
    namespace = {"__name__": name} | names
    exec(compile(BLOCKS[name], name, "exec"), namespace)
    return namespace


@pytest.mark.parametrize("name", BLOCKS)
def test_every_addition_takes_less_than_40_lines(name: str) -> None:
    code = [line for line in BLOCKS[name].splitlines() if line.strip() and not line.startswith(("import ", "from "))]
    assert len(code) < 40


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which pip installed the package of the page."""
    package = tmp_path_factory.mktemp("ovens")
    for name in ("pyproject.toml", "oven_records.py", "oven_extractor.py"):
        (package / name).write_text(BLOCKS[name], encoding="utf-8")
    target = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", target, package], check=True)
    return target


BUILD = """
import json, sys
import kgscripts
from kgscripts.records import RecordStore
from schemas.script_graph import ScriptGraph
from oven_records import OvenTemperature

without = sys.argv[1:]
text = "How to bake bread\\n\\nOven: 220 °C\\nKnead the dough. Bake the bread."
left_out = ["state-changes", "scenarios", "steps", *without]
run = kgscripts.build_graph(output="graph", texts=[text], without=left_out, jobs=2).run
graph = ScriptGraph.open("graph")
with RecordStore(graph.directory / "records") as store:
    temperatures = store.read(OvenTemperature, store.inputs.documents()["digest"].to_pylist())
print(json.dumps({
    "build": graph.build_id,
    "read": run.sources_read,
    "temperatures": [record.degrees for records in temperatures.values() for record in records],
    "rows": {name: list(graph.rows(name)) for name in ("SubEvent", "Statement", "READ_BY", "Model", "Passage")},
}))
"""


def test_a_package_with_an_extractor(installed: Path, tmp_path: Path) -> None:
    def build(*without: str) -> dict[str, Any]:
        command = [sys.executable, "-c", BUILD, *without]
        environment = os.environ | {"PYTHONPATH": str(installed)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    first = build()
    rows = first["rows"]
    (model,) = [row for row in rows["Model"] if row["name"] == "ovens"]
    assert (model["version"], model["task"], model["licence"]) == ("1", "temperatures of ovens", "MIT")
    (step,) = [row for row in rows["SubEvent"] if row["label"] == "preheat oven"]
    about_step = {row["id"] for row in rows["Statement"] if step["id"] in (row["subject"], row["object"])}
    assert {row["from_id"] for row in rows["READ_BY"] if row["to_id"] == model["id"]} == about_step
    assert {row["relation"] for row in rows["Statement"] if row["id"] in about_step} == {
        "HAS_SUB_EVENT",
        "EXPRESSED_AS",
        "HAS_PARTICIPANT",
        "PRECEDES",
    }
    assert {"Oven: 220 °C", "Knead the dough"} <= {row["text"] for row in rows["Passage"] if row["kind"] == "mention"}
    assert (first["read"], first["temperatures"]) == (1, [220])

    without = build("ovens")
    assert not [row for row in without["rows"]["Model"] if row["name"] == "ovens"]
    assert not [row for row in without["rows"]["SubEvent"] if row["label"] == "preheat oven"]
    assert (without["read"], without["temperatures"]) == (0, [220]), "its records are kept"

    again = build()
    assert (again["read"], again["build"]) == (0, first["build"])


def test_the_package_is_listed(installed: Path) -> None:
    command = [sys.executable, "-m", "cli", "extractors", "list"]
    environment = os.environ | {"PYTHONPATH": str(installed)}
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "ovens: temperatures of ovens\n  gives     event_mention, oven_temperature\n" in shown


@pytest.fixture
def relation_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """NEEDS as a type of relations."""
    found = _run("schemas/graph_types.py", **vars(graph_types))["NEEDS"]
    monkeypatch.setitem(graph_types.RELATION_TYPES, found.name, found)
    for module in (schemas.tables, schemas.script_graph):
        monkeypatch.setattr(module, "TABLE_NAMES", (*schemas.tables.TABLE_NAMES, found.name))


@pytest.mark.usefixtures("relation_type")
def test_a_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs = _run("kgscripts/assembly/rules/relations.py", **vars(rules))["needs"]
    monkeypatch.setattr(rules, "RELATIONS", (*rules.RELATIONS, needs))
    texts = [
        tiny_document("boil the water in the pot with the kettle. drain the pasta with the sieve.", scenario="cooking"),
        tiny_document("drain the rice with the sieve. stir the rice with the sieve.", scenario="cooking"),
        tiny_document("boil the water with the kettle.", scenario="making tea"),
        tiny_document("boil the water with the spoon."),
    ]
    build_graph(output=tmp_path / "graph", texts=texts, extractors=tiny())
    rows = graph_rows(tmp_path / "graph")
    rows["NEEDS"] = list(ScriptGraph.open(tmp_path / "graph").rows("NEEDS"))
    scenarios, tools = labels(rows, "Scenario"), labels(rows, "Tool")
    assert {
        (scenarios[row["from_id"]], tools[row["to_id"]]): (row["support"], row["probability"]) for row in rows["NEEDS"]
    } == {
        ("cooking", "kettle"): (1, 0.5),
        ("cooking", "sieve"): (2, 1.0),
        ("making tea", "kettle"): (1, 1.0),
    }
    statements = {row["statement"] for row in rows["NEEDS"]}
    assert statements == {row["id"] for row in rows["Statement"] if row["relation"] == "NEEDS"}
    evidence = [row["from_id"] for row in rows["EVIDENCED_BY"] if row["from_id"] in statements]
    assert len(evidence) == 5
    assert statements <= {row["from_id"] for row in rows["READ_BY"]}


def test_an_enricher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = _run("kgscripts/tool_vectors.py")
    rows = pa.table({"target": [3, 1, 2], "content": [["rolling pin"], ["sieve"], ["rolling pin"]]})
    with locked(tmp_path / "graph"), RecordStore(tmp_path / "graph" / "records") as store:
        subjects = enrich(store, names["ToolVectors"](), rows, [])["subject"].to_pylist()
        assert subjects[0] == subjects[2] != subjects[1]
        found = store.read(names["ToolVector"], subjects)
        assert len(found) == 2
        for (vector,) in found.values():
            assert sum(value**2 for value in vector.values) == pytest.approx(SCALE**2, rel=0.05)
        monkeypatch.setattr(names["ToolVectors"], "enrich", None)
        assert enrich(store, names["ToolVectors"](), rows, [])["subject"].to_pylist() == subjects, "kept from before"


def test_an_exporter(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    report = _run("exports/json_lines.py")["export"](graph, str(tmp_path / "graph.jsonl"), ExportOptions())
    rows = [json.loads(line) for line in (tmp_path / "graph.jsonl").read_text(encoding="utf-8").splitlines()]
    nodes = [row for row in rows if "iri" in row]
    relations = [row for row in rows if "iri" not in row]
    assert Content.of(nodes, relations) == expected(graph)
    assert (report.nodes, report.relations) == (len(nodes), len(relations))


def test_a_training_task(tmp_path: Path) -> None:
    names = _run("lightning_modules/knives.py")
    texts = [
        (f"cut the {word} with a knife" if number % 2 else f"boil {number} eggs", number % 2)
        for number, word in enumerate(["bread", "cake", "onion", "rope", "leek"] * 20)
    ]
    task, settings = names["KnifeTask"](texts), names["KnifeSettings"]()
    outcome = train(task, settings, tmp_path / "knives", hardware=Hardware(accelerator="cpu"))
    assert (outcome.epochs, outcome.is_finished) == (3, True)
    checkpoint = load_checkpoint(tmp_path / "knives")
    assert (checkpoint.kind, checkpoint.card.task) == ("knives", "whether a text needs a knife")
