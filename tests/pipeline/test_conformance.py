"""Texts held against the written script of their scenario: `kgscripts compare`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph, build_graph
from kgscripts.analysis.conformance import Conformance, Disorder, conformance_of, conformance_schema
from schemas.errors import QueryError

STEPS = {
    "open-box": ("open the box", ["lift the lid of the box"]),
    "take-lamp": ("take the lamp out of the box", ["get the lamp from the box"]),
    "screw-bulb": ("screw the bulb into the lamp", ["put the bulb in the lamp"]),
    "plug-lamp": ("plug in the lamp", ["put the plug of the lamp in the socket"]),
}
SCRIPT = {
    "scenario": "setting up a lamp",
    "also": ["putting up a lamp"],
    "steps": [
        {"id": id, "name": name, "wordings": wordings, "importance": "essential"}
        for id, (name, wordings) in STEPS.items()
    ],
    "order": ["open-box < take-lamp < screw-bulb < plug-lamp"],
}
TEXTS = {
    "all.md": "# Setting up a lamp\n\n1. Open the box.\n2. Take the lamp out of the box.\n"
    "3. Screw the bulb into the lamp.\n4. Plug in the lamp.\n",
    "other.md": "# Putting up a lamp\n\n1. Plug in the lamp.\n2. Open the box.\n3. Sing a song.\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    folder = tmp_path_factory.mktemp("compared")
    (folder / "script.yaml").write_text(yaml.safe_dump(SCRIPT))
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    build_graph([folder], folder / "graph", without=["state-changes"])
    return ScriptGraph.open(folder / "graph")


@pytest.fixture(scope="module")
def compared(graph: ScriptGraph) -> Conformance:
    return conformance_of(graph, "setting up a lamp")


def test_a_text_that_tells_the_script_follows_it(compared: Conformance) -> None:
    whole, _ = compared.texts
    assert whole.source == "all.md"
    assert whole.told == tuple(name for name, _ in STEPS.values())
    assert (whole.left_out, whole.added, whole.out_of_order) == ((), (), ())
    assert (whole.fitness, whole.precision) == (1.0, 1.0)


def test_what_a_text_leaves_out_adds_and_turns_round(compared: Conformance) -> None:
    """The text names the activity by another name of the script."""
    _, other = compared.texts
    assert other.left_out == ("take the lamp out of the box", "screw the bulb into the lamp")
    assert other.added == ("sing a song",)
    assert other.out_of_order == (Disorder(told_first="plug in the lamp", should_precede="open the box"),)
    assert other.fitness == 2 / 4
    assert other.precision == 2 / 3


def test_steps_count_texts_and_not_the_script(compared: Conformance) -> None:
    texts = {step.label: step.texts for step in compared.steps}
    assert texts["open the box"] == 2
    assert texts["take the lamp out of the box"] == 1
    assert {step.label for step in compared.steps if not step.written} == {"sing a song"}
    assert compared.scripts == ("script.yaml",)


def test_the_command_prints_it_in_80_columns_and_as_json(graph: ScriptGraph, compared: Conformance) -> None:
    result = CliRunner().invoke(cli.app, ["compare", str(graph.directory), "setting up a lamp"])
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
    assert "order: plug in the lamp, before open the box" in result.output
    printed = json.loads(
        CliRunner().invoke(cli.app, ["compare", str(graph.directory), "setting up a lamp", "--json"]).output
    )
    assert printed == json.loads(json.dumps(compared.to_dict()))
    jsonschema.validate(printed, conformance_schema())
    told = CliRunner().invoke(cli.app, ["schema", "conformance"]).output
    assert json.loads(told) == conformance_schema()


def test_the_script_decides_the_order(graph: ScriptGraph) -> None:
    """A text that tells it the other way round changes nothing."""
    script = graph.script("setting up a lamp")
    written = [step.label_text for step in script.steps if step.written]
    assert written == [name for name, _ in STEPS.values()]


def test_show_marks_what_the_script_lacks(graph: ScriptGraph) -> None:
    printed = CliRunner().invoke(cli.app, ["show", str(graph.directory), "setting up a lamp"]).output
    marked = [line for line in printed.splitlines() if "(not in the script)" in line]
    assert len(marked) == 1
    assert "sing a song" in marked[0]


def test_without_a_script_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    build_graph(texts=[TEXTS["all.md"]], output=tmp_path / "graph", format="markdown", without=["state-changes"])
    with pytest.raises(QueryError, match="no written script") as error:
        conformance_of(ScriptGraph.open(tmp_path / "graph"), "setting up a lamp")
    assert "--also everyday" in (error.value.remedy or "")


def test_without_texts_there_is_nothing_to_compare(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(yaml.safe_dump(SCRIPT))
    build_graph([tmp_path / "script.yaml"], tmp_path / "graph")
    with pytest.raises(QueryError, match="no text"):
        conformance_of(ScriptGraph.open(tmp_path / "graph"), "setting up a lamp")
