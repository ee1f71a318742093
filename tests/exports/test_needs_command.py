"""`kgscripts needs`: what is printed, as a tree and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.scripts.types import script_schema
from tests.exports.kitchen import kitchen_graph
from tests.graphs import odd_graph, write_graph


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("kitchen"))


def needs(graph: ScriptGraph, *arguments: str) -> str:
    result = CliRunner().invoke(cli.app, ["needs", str(graph.directory), *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_tools_come_first_then_supplies_with_amounts(kitchen: ScriptGraph) -> None:
    assert needs(kitchen, "make spaghetti").splitlines() == [
        "cooking pasta  read in 3 sources",
        "├── tools",
        "│   ├── colander  instrument, 2 sources, 67%, used by 2",
        '│   │   └── "[Drain the pasta in a colander]."  how_to.md, characters 154 to 184',
        "│   ├── plate  support, 2 sources, 67%, used by 2",
        '│   │   └── "[Serve the pasta in deep plates]."  how_to.md, characters 185 to 216',
        "│   └── pot  container, 2 sources, 67%, used by 2",
        '│       └── "[Put the pasta in the pot]."  short.md, characters 67 to 92',
        "├── supplies",
        "│   ├── pasta  500 g, 3 sources, 100%, declared by 1, used by 3",
        '│   │   └── "[I added the pasta]."  story.txt, characters 33 to 51',
        "│   └── water  3 sources, 100%, used by 3",
        '│       └── "[Boil the water in the pot]."  short.md, characters 40 to 66',
        "└── 9 more: --all --min-support 1 shows all",
    ]


def test_all_of_them_and_none(kitchen: ScriptGraph, tmp_path: Path) -> None:
    everything = needs(kitchen, "cooking pasta", "--all", "--evidence", "0").splitlines()
    assert "│   └── strainer  instrument, 1 source, 33%, used by 1, unusual" in everything
    assert "more" not in everything[-1]
    row = {"id": "scenario/a", "label": "a", "alternative_labels": [], "listed": False, "support": 0}
    lonely = write_graph(tmp_path / "lonely", {"Scenario": [row]})
    assert needs(lonely, "a").splitlines()[1] == "└── no list names a need, and no usual step uses anything"


def test_json_has_the_form_of_the_schema(kitchen: ScriptGraph) -> None:
    content = json.loads(needs(kitchen, "cooking pasta", "--json", "--limit", "4"))
    schema = script_schema()
    for need in content["needs"]:
        jsonschema.validate(need, {"$ref": "#/$defs/Need", "$defs": schema["$defs"]})
    assert [need["label"] for need in content["needs"]] == ["colander", "plate", "pot", "pasta"]
    assert content["left_out"] == 10
    script = json.loads(CliRunner().invoke(cli.app, ["show", str(kitchen.directory), "cooking pasta", "--json"]).output)
    jsonschema.validate(script, schema)
    assert [need["label"] for need in script["needs"]][-1] == "water"
    assert script["needs_left_out"] == 9


def test_odd_texts_do_not_control_the_terminal(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "odd")
    for row in graph.rows("Scenario", ["id"]):
        assert not {"\x00", "\x07", "\x1b"} & set(needs(graph, graph.iri(row["id"]), "--all"))


def test_an_unknown_scenario_has_near_names(kitchen: ScriptGraph) -> None:
    result = CliRunner().invoke(cli.app, ["needs", str(kitchen.directory), "cooking paste"])
    assert result.exit_code != 0
    assert "cooking pasta" in str(result.exception) + str(getattr(result.exception, "remedy", ""))
