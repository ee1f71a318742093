"""The code of the pages `docs/reference/extending*.md` runs as it is printed there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from exports.targets import ExportOptions
from kgscripts import ScriptGraph
from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.pipeline import build_graph, remove_source
from lightning_modules.settings import Hardware
from lightning_modules.training import train
from schemas.errors import KGScriptsError
from tests.assembly.tiny_reader import tiny, tiny_document
from tests.exports.compliance import Content, expected
from tests.graphs import odd_graph

PAGES = sorted((Path(__file__).parents[1] / "docs" / "reference").glob("extending*.md"))
BLOCKS = dict(
    block
    for page in PAGES
    for block in re.findall(r"^`([\w./]+)`\n```\w+\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.DOTALL)
)
"""The code on the pages, by file name."""


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
    for name in BLOCKS:
        if name == "pyproject.toml" or name.startswith("oven_"):
            (package / name).write_text(BLOCKS[name], encoding="utf-8")
    target = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", target, package], check=True)
    return target


PROGRAM = """
import json, os, shutil, sys
import pyshacl, rdflib
from typer.testing import CliRunner
import cli
import kgscripts
from exports.neo4j.property_graph import constraints_text
from exports.rdf.ontology import ontology_text
from exports.rdf.shapes import shapes_text
from exports.targets import export
from exports.validation import validate
from kgscripts.records.store import RecordStore
from oven_records import OvenTemperature
from schemas.corrections import Correction
from kgscripts import ScriptGraph

texts = [
    {"id": name, "scenario": "baking bread", "text": f"Oven: {degrees} °C\\nKnead the dough. Bake the bread."}
    for name, degrees in (("a", 220), ("b", 220), ("c", 900))
]
texts[1]["text"] += " Eat the bread."
names = ("SubEvent", "Statement", "EVIDENCED_BY", "READ_BY", "Model", "Passage", "Temperature", "NEEDS_TEMPERATURE")

def build(folder, without=(), settings=None):
    left_out = ["decompositions", "state-changes", "scenarios", "steps", *without]
    options = {"without": left_out, "settings": settings or {}, "jobs": 2 if folder == "built" else 1}
    run = kgscripts.build_graph(output=f"{folder}/graph", texts=texts, **options).run
    graph = ScriptGraph.open(f"{folder}/graph")
    with RecordStore(graph.directory / "records") as store:
        temperatures = store.read(OvenTemperature, store.inputs.documents()["digest"].to_pylist())
    return {
        "build": graph.build_id,
        "read": run.sources_read,
        "temperatures": sorted(record.degrees for records in temperatures.values() for record in records),
        "rows": {name: list(graph.rows(name)) for name in names},
    }

sparql = '''
    PREFIX kgs: <https://w3id.org/kgscripts/ontology#>
    PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
    PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
    SELECT ?step ?temperature ?probability WHERE {
        ?s kgs:needsTemperature ?t ; rdfs:label ?step . ?t a kgs:Temperature ; rdfs:label ?temperature .
        ?statement rdf:subject ?s ; rdf:predicate kgs:needsTemperature ; rdf:object ?t ; kgs:probability ?probability
    } ORDER BY ?temperature
'''
cypher = '''
    MATCH (s:SubEvent)-[r:NEEDS_TEMPERATURE]->(t:Temperature)
    RETURN s.label, t.degrees, r.probability ORDER BY t.degrees
'''

def ask(folder):
    graph = ScriptGraph.open(f"{folder}/graph")
    export(graph, f"{folder}/graph.ttl")
    export(graph, f"{folder}/graph.jsonld")
    shapes = rdflib.Graph().parse(data=shapes_text(closed=True), format="turtle")
    turtle = rdflib.Graph().parse(f"{folder}/graph.ttl", format="turtle")
    json_ld = rdflib.Dataset().parse(f"{folder}/graph.jsonld", format="json-ld")
    conforms, _, report = pyshacl.validate(turtle, shacl_graph=shapes)
    show = CliRunner().invoke(cli.app, ["show", f"{folder}/graph", "baking bread", "--json"])
    plain = CliRunner().invoke(cli.app, ["show", f"{folder}/graph", "baking bread"])
    found = {
        "sparql": [list(map(str, row)) for row in graph.query(sparql).rows],
        "cypher": [list(row) for row in graph.query(cypher=cypher).rows],
        "violations": len(validate(graph, closed=True).violations),
        "shacl": conforms or report,
        "json_ld": (None, None, rdflib.Literal("220 °C", lang="en"), None) in json_ld,
        "ontology": "kgs:needsTemperature a owl:ObjectProperty" in ontology_text(),
        "constraint": "(node:Temperature)" in constraints_text(),
        "show": json.loads(show.output),
        "plain": plain.output,
        "frames": sorted(name for name in graph.to_frames() if "TEMPERATURE" in name.upper()),
    }
    rdflib.Graph().parse(data=ontology_text(), format="turtle")
    rejection = Correction(
        kind="reject", scenario="baking bread", step="preheat oven", relation="NEEDS_TEMPERATURE", other="900 °C",
        author="Ada", time="2026-03-01",
    )
    kgscripts.correct_graph(f"{folder}/graph", [rejection])
    found["corrected"] = [row["support"] for row in ScriptGraph.open(f"{folder}/graph").rows("NEEDS_TEMPERATURE")]
    return found

def read(folder):
    graph = ScriptGraph.open(f"{folder}/graph")
    selected = graph.select("Temperature", ["id"], {"id": ["temperature/1"]})
    return [graph.table("Temperature").num_rows, selected.to_pylist(), len(validate(graph).violations)]

found = {"first": build("built")}
for name in ("asked", "without", "settings"):
    shutil.copytree("built/graph", f"{name}/graph")
found["asked"] = ask("asked")
found["without"] = [build("without", ["ovens"]), build("without")]
found["settings"] = build("settings", (), {"ovens": {"least_degrees": 221}, "plausible-ovens": {"hottest": 1000}})
found["listed"] = CliRunner().invoke(cli.app, ["extractors", "list"]).output
found["other"] = read("other")
evaluated = (kgscripts.evaluate("ovens", split=name) for name in ("development", "unseen"))
found["evaluated"] = [evaluation.systems[0]["accuracy"] for [evaluation] in evaluated]
with open("bread.oven", "w", encoding="utf-8") as file:
    file.write("baking bread\\nOven: 220 °C\\nKnead the dough.\\n")
lines = (
    ["build-graph", "bread.oven", "-o", "bread", "--extractors", "labels,ovens"],
    ["export", "bread", "bread.jsonl"],
    ["ovens", "bread"],
    ["--help"],
)
found["line"] = [CliRunner().invoke(cli.app, line, catch_exceptions=False).output for line in lines]
found["formats"] = [row["format"] for row in ScriptGraph.open("bread").rows("Source")]
print(json.dumps(found))
"""
"""All that is done with the package, in one process: to start one takes longer than most of it."""


@pytest.fixture(scope="module")
def done(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """The folder where the program ran, with the package, and what it printed."""
    folder = tmp_path_factory.mktemp("done")
    text = [tiny_document("bake the bread.", name="a")]
    build_graph(output=folder / "other" / "graph", texts=text, extractors=tiny())
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path}
    command = [sys.executable, "-c", PROGRAM]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return folder, json.loads(ran.stdout)


@pytest.fixture(scope="module")
def printed(done: tuple[Path, Any]) -> Any:
    """What the program printed, by part."""
    return done[1]


def test_a_package_the_whole_way(printed: Any) -> None:
    first = printed["first"]
    rows = first["rows"]
    models = {row["name"]: row for row in rows["Model"]}
    ovens = models["ovens"]
    assert (ovens["version"], ovens["task"], ovens["licence"]) == ("1", "temperatures of ovens", "MIT")
    (step,) = [row for row in rows["SubEvent"] if row["label"] == "preheat oven"]
    about_step = {row["id"]: row for row in rows["Statement"] if step["id"] in (row["subject"], row["object"])}
    assert {row["from_id"] for row in rows["READ_BY"] if row["to_id"] == ovens["id"]} == about_step.keys()
    assert {row["relation"] for row in about_step.values()} == {
        "HAS_SUB_EVENT",
        "EXPRESSED_AS",
        "HAS_PARTICIPANT",
        "PRECEDES",
        "NEEDS_TEMPERATURE",
    }
    assert {"Oven: 220 °C", "Knead the dough"} <= {row["text"] for row in rows["Passage"] if row["kind"] == "mention"}
    assert (first["read"], first["temperatures"]) == (3, [220, 220, 900])

    nodes = {row["id"]: row for row in rows["Temperature"]}
    assert {(row["label"], row["degrees"], row["support"]) for row in nodes.values()} == {
        ("220 °C", 220, 2),
        ("900 °C", 900, 1),
    }
    assert all(name.startswith("temperature/") for name in nodes)
    needs = {nodes[row["to_id"]]["degrees"]: row for row in rows["NEEDS_TEMPERATURE"]}
    assert {degrees: (row["from_id"], row["support"], row["probability"]) for degrees, row in needs.items()} == {
        220: (step["id"], 2, 0.6667),
        900: (step["id"], 1, 0.3333),
    }
    plausible = models["plausible"]["id"]
    scores = {row["from_id"]: row["score"] for row in rows["READ_BY"] if row["to_id"] == plausible}
    assert scores == {needs[220]["statement"]: 0.9, needs[900]["statement"]: 0.1}
    evidence = {row["to_id"] for row in rows["EVIDENCED_BY"] if row["from_id"] == needs[900]["statement"]}
    assert [row["text"] for row in rows["Passage"] if row["id"] in evidence] == ["Oven: 900 °C"]

    found = printed["asked"]
    assert found["sparql"] == [["preheat oven", "220 °C", "0.6667"], ["preheat oven", "900 °C", "0.3333"]]
    assert found["cypher"] == [["preheat oven", 220, 0.6667], ["preheat oven", 900, 0.3333]]
    assert (found["violations"], found["shacl"]) == (0, True)
    assert (found["json_ld"], found["ontology"], found["constraint"]) == (True, True, True)
    (shown,) = [item for item in found["show"]["steps"] if item["label"] == "preheat oven"]
    parts = [(item["label"], item["support"]) for item in shown["further"]["NEEDS_TEMPERATURE"]]
    assert parts == [("220 °C", 2), ("900 °C", 1)]
    assert "needs temperature: 220 °C (67%), 900 °C (33%)" in found["plain"]
    assert found["frames"] == ["NEEDS_TEMPERATURE", "Temperature"]
    assert found["corrected"] == [2]


def test_without_an_extractor_its_records_are_kept(printed: Any) -> None:
    first, (without, again) = printed["first"], printed["without"]
    assert not [row for row in without["rows"]["Model"] if row["name"] == "ovens"]
    assert not [row for row in without["rows"]["SubEvent"] if row["label"] == "preheat oven"]
    assert without["rows"]["NEEDS_TEMPERATURE"] == []
    assert (without["read"], without["temperatures"]) == (0, first["temperatures"]), "its records are kept"
    assert (again["read"], again["build"]) == (0, first["build"])


def test_settings_of_its_extractor_and_its_enricher(printed: Any) -> None:
    found = printed["settings"]
    assert (found["read"], found["temperatures"]) == (3, [900])
    (needs,) = found["rows"]["NEEDS_TEMPERATURE"]
    (model,) = [row["id"] for row in found["rows"]["Model"] if row["name"] == "plausible"]
    scores = {row["from_id"]: row["score"] for row in found["rows"]["READ_BY"] if row["to_id"] == model}
    assert scores == {needs["statement"]: 0.9}


def test_a_graph_of_a_package_that_is_not_installed_is_not_read_in_part(done: tuple[Path, Any]) -> None:
    graph = done[0] / "built" / "graph"
    for use in (ScriptGraph.open, lambda directory: remove_source(directory, "a")):
        with pytest.raises(KGScriptsError) as caught:
            use(graph)
        assert caught.value.message == "the graph has the type NEEDS_TEMPERATURE, which no installed package declares"
        assert str(caught.value.remedy).startswith("install the package that brings it")


def test_a_graph_that_was_made_without_the_package_is_read_with_it(printed: Any) -> None:
    assert printed["other"] == [0, [], 0]


def test_the_package_is_listed(printed: Any) -> None:
    shown = printed["listed"]
    assert "ovens: temperatures of ovens\n  gives     event_mention, oven_temperature\n" in shown
    assert "  settings  least_degrees = 0 (a whole number): Lower temperatures are not read.\n" in shown
    assert "plausible-ovens: plausibility of temperatures (enricher)\n" in shown


def test_a_format_an_exporter_and_a_command_of_a_package_on_the_command_line(done: tuple[Path, Any]) -> None:
    folder, printed = done
    built, exported, asked, listed = printed["line"]
    assert printed["formats"] == ["oven"]
    assert "1 source, 6 words" in built
    assert "bread.jsonl" in exported
    rows = [json.loads(line) for line in (folder / "bread.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["label"] for row in rows if row["type"] == "Temperature"] == ["220 °C"]
    assert asked == "220 °C  sources 1\n"
    assert "Print the temperatures of a graph." in listed


def test_an_exporter(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    report = _run("oven_exporter.py")["export"](graph, str(tmp_path / "graph.jsonl"), ExportOptions())
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


def test_its_evaluation_is_a_task(printed: Any) -> None:
    assert printed["evaluated"] == [1, 0]
