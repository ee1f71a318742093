"""Scripts that an export writes: a build of them gives the same scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exports.files.scripts import scripts_of
from kgscripts import Script, ScriptGraph, build_graph, export
from kgscripts.corpora.scripts.format import plain
from kgscripts.corpora.scripts.reader import written_script

SCRIPT: dict[str, Any] = {
    "scenario": "going to work",
    "also": ["getting to the office"],
    "licence": "CC0-1.0",
    "generated": True,
    "needs": [
        {"thing": "bag", "kind": "tool", "instead": ["backpack", "briefcase"]},
        {"thing": "umbrella", "kind": "tool", "optional": True},
        {"thing": "packed lunch", "kind": "supply", "amount": "1"},
    ],
    "steps": [
        {
            "id": "pack-bag",
            "name": "pack the bag",
            "wordings": ["get your things together", "put lunch into the bag"],
            "tools": [{"thing": "bag", "role": "container"}],
            "participants": [{"thing": "packed lunch"}],
            "changes": [{"entity": "bag", "attribute": "fullness", "before": "empty", "after": "full"}],
            "duration": "5 minutes",
            "steps": ["open the bag", "put the lunch in"],
        },
        {"id": "take-umbrella", "name": "take the umbrella", "importance": "optional", "if": "it rains"},
        {"id": "lock-door", "name": "lock the door", "unless": "somebody stays", "importance": "essential"},
        {"id": "latch-door", "name": "latch the gate", "instead_of": "lock-door", "importance": "optional"},
        {"id": "get-into-car", "name": "get into the car", "participants": [{"thing": "car", "role": "place"}]},
        {"id": "drive-to-work", "name": "drive to the office", "importance": "essential"},
    ],
    "order": [
        "pack-bag < lock-door < get-into-car < drive-to-work",
        "take-umbrella < lock-door < walk-to-stop < ride-bus",
    ],
    "variants": [
        {
            "name": "by bus",
            "without": ["get-into-car", "drive-to-work"],
            "steps": [
                {"id": "walk-to-stop", "name": "walk to the bus stop"},
                {"id": "ride-bus", "name": "ride the bus"},
            ],
        }
    ],
}


def _graph(folder: Path, content: dict[str, Any], name: str = "graph") -> ScriptGraph:
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    build_graph([folder / f"{name}.yaml"], folder / name)
    return ScriptGraph.open(folder / name)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return _graph(tmp_path_factory.mktemp("written"), SCRIPT)


def _said(script: Script) -> list[dict[str, Any]]:
    """What a script says of its steps, in their order, and which must come before each."""
    names = {step.iri: step.label for step in script.steps}
    before = script.directly_before()
    return [
        {
            "name": step.label,
            "wordings": step.wordings,
            "importance": (step.essential, step.optional),
            "tools": {(tool.label, tool.role) for tool in step.tools},
            "participants": {(item.label, item.role) for item in step.participants},
            "changes": {(c.entity, c.attribute, c.before, c.after) for c in step.changes},
            "rest": (step.durations, step.conditions, step.variants, step.left_out_of, step.parts),
            "instead": {names[other.iri] for other in step.alternatives},
            "after": {names[iri] for iri in before[step.iri]},
        }
        for step in script.steps
    ]


def _needs(script: Script) -> list[tuple[object, ...]]:
    return [(need.label, need.is_tool, need.amount, need.instead, need.optional) for need in script.needs]


def test_the_graph_has_all_that_a_script_says(graph: ScriptGraph) -> None:
    script = graph.script("getting to the office")
    assert (script.label, script.support, script.generated) == ("going to work", 1, 1)
    said = {step["name"]: step for step in _said(script)}
    assert said["pack the bag"]["wordings"] == ("get your things together", "put lunch into the bag")
    assert said["pack the bag"]["rest"] == (("5 minutes",), (), (), (), ("open the bag", "put the lunch in"))
    assert said["take the umbrella"]["rest"][1] == ("if it rains",)
    assert said["lock the door"]["rest"][1] == ("unless somebody stays",)
    assert said["latch the gate"]["instead"] == {"lock the door"}
    assert said["ride the bus"]["rest"][2] == ("by bus",)
    assert said["drive to the office"]["rest"][3] == ("by bus",)
    assert said["ride the bus"]["after"] == {"walk to the bus stop"}
    assert _needs(script) == [
        ("bag", True, None, ("backpack", "briefcase"), False),
        ("umbrella", True, None, (), True),
        ("packed lunch", False, "1", (), False),
    ]


def test_what_is_written_is_shown(graph: ScriptGraph) -> None:
    shown = str(graph.script("going to work"))
    assert "written by a language model" in shown
    assert "or backpack, or briefcase" in shown
    assert "only: if it rains" in shown
    assert "or by bus: with " in shown
    assert "consists of: open the bag, put the lunch in" in shown


def test_a_plan_follows_one_way_to_do_it(graph: ScriptGraph) -> None:
    labels = [step.label for step in graph.script("going to work").plan().steps]
    assert "ride the bus" not in labels
    assert "latch the gate" not in labels
    assert labels.index("lock the door") < labels.index("drive to the office")


def test_a_build_of_what_was_written_gives_the_same_script(graph: ScriptGraph, tmp_path: Path) -> None:
    export(graph, f"scripts:{tmp_path / 'out'}")
    (file,) = (tmp_path / "out").glob("*.yaml")
    build_graph([file], tmp_path / "again")
    one, other = graph.script("going to work"), ScriptGraph.open(tmp_path / "again").script("going to work")
    assert _said(other) == _said(one)
    assert _needs(other) == _needs(one)
    assert (other.alternative_labels, other.generated) == (one.alternative_labels, 1)


_WORD = st.sampled_from(["bread", "cup", "door", "kettle", "lid", "pan", "plate", "pot", "table", "towel"])
_VERBS = st.lists(st.sampled_from(["clean", "close", "fill", "heat", "open", "wash"]), min_size=1, unique=True)
_TEXT = st.sampled_from(["at home", "off", "1:30", "it's [not] ready: yes", "# none", "- a, b", "null", "ä “ö”", "{x}"])


@st.composite
def _scripts(draw: st.DrawFn) -> dict[str, Any]:
    verbs = draw(_VERBS)
    things = [draw(_WORD) for _ in verbs]
    steps: list[dict[str, Any]] = []
    for verb, thing in zip(verbs, things, strict=True):
        step = {"id": f"{verb}-{thing}", "name": f"{verb} the {thing}", "participants": [{"thing": thing}]}
        step |= draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "wordings": st.lists(_TEXT, min_size=1, max_size=2, unique=True),
                    "importance": st.sampled_from(["essential", "optional"]),
                    "if": _TEXT,
                    "unless": _TEXT,
                    "steps": st.lists(_TEXT, min_size=1, max_size=2, unique=True),
                },
            )
        )
        steps.append(step)
    ids = [step["id"] for step in steps]
    pairs = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=4))
    order = [f"{a} < {b}" for a, b in pairs if ids.index(a) < ids.index(b)]
    return {"scenario": "working in the kitchen", "steps": steps, "order": order}


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(content=_scripts())
def test_any_script_comes_back(content: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("round")
    first = _graph(folder, content)
    export(first, f"scripts:{folder / 'out'}")
    (file,) = (folder / "out").glob("*.yaml")
    script, _ = written_script(file.read_text(encoding="utf-8"), file.name)
    second = _graph(folder, plain(script), "second")
    assert _said(second.script(content["scenario"])) == _said(first.script(content["scenario"]))


def test_scenarios_of_texts_are_written_too(tmp_path: Path) -> None:
    (tmp_path / "tea.txt").write_text("# Making tea\n\nFill the kettle. Boil the water. Pour it into a cup.")
    build_graph([tmp_path / "tea.txt"], tmp_path / "graph", scenario="making tea")
    export(ScriptGraph.open(tmp_path / "graph"), f"scripts:{tmp_path / 'out'}")
    script, _ = written_script((tmp_path / "out" / "making-tea.yaml").read_text(encoding="utf-8"), "making-tea.yaml")
    assert "fill the kettle" in [step.name for step in script.steps]


def test_each_script_has_the_licence_that_all_texts_have(tmp_path: Path) -> None:
    for name in ("making tea", "making coffee"):
        content = {"scenario": name, "licence": "CC0-1.0", "steps": [{"id": "a", "name": "boil the water"}]}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    build_graph(sorted(tmp_path.glob("*.yaml")), tmp_path / "graph")
    assert {script.licence for script in scripts_of(ScriptGraph.open(tmp_path / "graph"))} == {"CC0-1.0"}
