"""What is read in one text: its items, things that it tells apart, and labels as a person would write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from kgscripts import Script, ScriptGraph, build_graph
from kgscripts.planning.pddl import pddl_domain
from kgscripts.planning.scripts import plan_of_script

BULB = """# Changing a light bulb

1. Let the old bulb cool. Unscrew the old bulb.
2. Screw in the new one.
3. This is not easy.
4. Wipe the left mirror with a cloth. Wipe the right mirror with a cloth.
"""
PROSE = """How to hang a lamp

Undo the knob, it goes to the left. Switch the light off and leave it off. Take hold of the old lamp. Let the glue get
tacky. Clip the ends of the cord into the hooks. Pour the rest of the water out. Wrap a strap around the tree.
Sing a song.
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    folder = tmp_path_factory.mktemp("one")
    (folder / "bulb.md").write_text(BULB)
    (folder / "lamp.txt").write_text(PROSE)
    build_graph([folder / "bulb.md", folder / "lamp.txt"], folder / "graph", without=["state-changes"])
    return ScriptGraph.open(folder / "graph")


@pytest.fixture(scope="module")
def bulb(graph: ScriptGraph) -> Script:
    return graph.script("changing a light bulb")


def test_items_stand_in_the_words_and_the_order_of_the_text(bulb: Script) -> None:
    assert [item.text for item in bulb.items] == [line.split(" ", 1)[1] for line in BULB.splitlines()[2:]]
    labels = {step.iri: step.label_text for step in bulb.steps}
    told = [[labels[iri] for iri in item.steps] for item in bulb.items]
    assert told[:2] == [["let the old bulb cool", "unscrew the old bulb"], ["screw in the new bulb"]]
    assert told[2:] == [[], ["wipe the left mirror with a cloth", "wipe the right mirror with a cloth"]]
    assert all(item.text == BULB[item.start : item.end] for item in bulb.items)


def test_show_prints_items_with_their_steps_below(graph: ScriptGraph) -> None:
    printed = CliRunner().invoke(cli.app, ["show", str(graph.directory), "changing a light bulb"]).output.splitlines()
    place = printed.index("├── Screw in the new one.")
    assert printed[place + 1].startswith("│   └── 3. screw in the new bulb")
    assert "├── This is not easy." in printed, "nothing that the text says as an item is hidden"


def test_json_and_plans_know_the_items(graph: ScriptGraph, bulb: Script) -> None:
    printed = CliRunner().invoke(cli.app, ["show", str(graph.directory), "changing a light bulb", "--json"]).output
    assert [item["text"] for item in json.loads(printed)["items"]] == [item.text for item in bulb.items]
    domain = pddl_domain(plan_of_script(bulb))
    place = domain.index("(:action do-3-screw-in-the-new-bulb")
    assert domain[:place].rstrip().endswith('; item: "Screw in the new one."')


def test_a_text_of_prose_has_no_items(graph: ScriptGraph) -> None:
    assert not graph.script("hanging a lamp").items


def test_things_that_a_text_contrasts_have_two_names(bulb: Script) -> None:
    things = {part.label for step in bulb.steps for part in step.participants}
    assert {"old bulb", "new bulb", "left mirror", "right mirror"} <= things
    assert "bulb" not in things
    needs = {need.label for need in bulb.needs}
    assert "new bulb" in needs
    assert "old bulb" not in needs, "what is replaced is there already"


def test_one_text_makes_no_step_unusual_essential_or_optional(bulb: Script) -> None:
    assert all(step.usual and not step.essential and not step.optional for step in bulb.steps)


@pytest.mark.parametrize(
    "label",
    [
        "switch the light off",
        "leave the light off",
        "take hold of the lamp",
        "sing a song",
        "let the glue get tacky",
        "clip the ends of the cord into the hooks",
        "pour the rest of the water out",
        "wrap a strap around the tree",
    ],
)
def test_labels_have_what_the_words_need(graph: ScriptGraph, label: str) -> None:
    assert label in [step.label_text for step in graph.script("hanging a lamp").steps]


def test_what_goes_is_no_object(graph: ScriptGraph) -> None:
    labels = [step.label_text for step in graph.script("hanging a lamp").steps]
    assert not [label for label in labels if label.startswith("go the")]


def test_a_graph_of_one_scenario_shows_its_script(tmp_path: Path) -> None:
    (tmp_path / "bulb.md").write_text(BULB)
    build_graph([tmp_path / "bulb.md"], tmp_path / "graph", without=["state-changes"])
    printed = CliRunner().invoke(cli.app, ["show", str(tmp_path / "graph")]).output
    assert printed.startswith("changing a light bulb")
    assert "3. screw in the new bulb" in printed
