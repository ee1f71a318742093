"""`kgscripts plan` from a user's view: in words, as JSON, as two files of PDDL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph
from kgscripts.planning.making import SourceStep, make_plan
from kgscripts.planning.pddl import action_names, pddl_domain, pddl_problem
from kgscripts.planning.plan import Plan, plan_text
from schemas.changes import Level
from schemas.errors import ConfigurationError, KGScriptsError, QueryError
from tests.commands import run
from tests.exports.kitchen import kitchen_graph
from tests.graphs import odd_graph
from tests.planning.executing import solve_files
from tests.planning.hand_made import HAND_MADE, change, plan_of, script, step


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("kitchen"))


def plan(graph: ScriptGraph, name: str = "cooking pasta", **options: Any) -> Plan:
    return graph.script(name, evidence=1, **options).plan()


def test_the_text_has_needs_steps_and_the_next_command(kitchen: ScriptGraph) -> None:
    lines = run("plan", kitchen.directory, "make spaghetti").splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line.endswith(" ") for line in lines)
    assert lines[:2] == ["cooking pasta  11 steps", "├── You need: colander, plate, pot; pasta, water"]
    assert "├── 1. fill pot with water" in lines
    assert "│   ├── at hand: pot; water" in lines
    assert any(line.startswith("│   ├── requires: ") and "fullness of pot: empty" in line for line in lines)
    assert lines[-1] == "next   `kgscripts correct` rejects wrong changes, --pddl FILE.pddl writes PDDL"


def test_a_contradiction_has_both_passages(kitchen: ScriptGraph) -> None:
    shown = " ".join(run("plan", kitchen.directory, "cooking pasta").replace("│", " ").split())
    assert "requires location of pasta: in pan, which is left out, since" in shown
    for item in plan(kitchen).contradictions:
        assert item.earlier_passages
        assert f'"{item.later_passages[0].text}"' in shown


def test_the_text_of_a_plan_in_python() -> None:
    assert str(HAND_MADE[0].plan()).splitlines() == [
        "making tea  4 steps",
        "├── You need: kettle, cup; water",
        "├── At the start: fullness of kettle: empty; temperature of water: cold; power",
        "│   of kettle: off; existence of water: present",
        "├── 1. fill the kettle with water",
        "│   ├── at hand: kettle; water",
        "│   ├── requires: fullness of kettle: empty",
        "│   └── changes: fullness of kettle: empty -> full; location of water: in kettle",
        "├── 2. boil the water in the kettle",
        "│   ├── at hand: kettle; water",
        "│   ├── after: 1",
        "│   ├── requires: temperature of water: cold; power of kettle: off",
        "│   └── changes: temperature of water: cold -> hot; power of kettle: off -> on",
        "├── 3. pour the water into the cup",
        "│   ├── at hand: cup; water",
        "│   ├── after: 1, 2",
        "│   ├── requires: location of water: in kettle (by 1); fullness of kettle: full",
        "│   │   (by 1)",
        "│   └── changes: location of water: in kettle -> in cup; fullness of kettle:",
        "│       full -> empty",
        "└── 4. drink from the cup",
        "    ├── at hand: cup",
        "    ├── after: 1, 2, 3",
        "    ├── requires: existence of water: present",
        "    ├── changes: existence of water: present -> absent",
        "    └── uses up: water",
    ]
    assert repr(HAND_MADE[2].plan()) == "Plan('sending a parcel': 4 steps, 1 contradictions)"


def test_json_has_the_whole_plan(kitchen: ScriptGraph) -> None:
    content = json.loads(run("plan", kitchen.directory, "cooking pasta", "--json"))
    assert content == json.loads(json.dumps(plan(kitchen).to_dict()))
    assert set(content) == {
        "title", "tools", "supplies", "things", "initial", "steps", "contradictions", "left_out"
    }  # fmt: skip
    first = content["steps"][0]
    assert set(first["preconditions"][0]) == {"entity", "attribute", "value", "supplier", "level", "probability"}
    assert first["preconditions"][0]["supplier"] is None
    assert first["preconditions"][0]["level"] in ("certain", "likely")
    assert first["passages"][0]["source"].endswith(".md")


def test_pddl_is_two_files_that_a_planner_solves(kitchen: ScriptGraph, tmp_path: Path) -> None:
    domain, problem = tmp_path / "new" / "tea.pddl", tmp_path / "new" / "tea-problem.pddl"
    lines = run("plan", kitchen.directory, "cooking pasta", "--pddl", domain).splitlines()
    assert lines[:2] == [f"wrote {domain} (domain)", f"wrote {problem} (problem)"]
    expected = plan(kitchen)
    assert domain.read_text(encoding="ascii") == pddl_domain(expected)
    assert problem.read_text(encoding="ascii") == pddl_problem(expected)
    solution = solve_files(domain, problem, action_names(expected))
    assert sorted(solution) == sorted(item.id for item in expected.steps)


def test_options_choose_the_steps(kitchen: ScriptGraph) -> None:
    shown = run("plan", kitchen.directory, "cooking pasta", "--limit", 3)
    assert "3 steps" in shown
    assert "9 more steps left out: --all --min-support 1 keeps all" in shown.splitlines()
    assert "11 steps" in run("plan", kitchen.directory, "cooking pasta", "--all", "--limit", 3)
    few = json.loads(run("plan", kitchen.directory, "cooking pasta", "--min-support", 3, "--json"))
    assert len(few["steps"]) == len(plan(kitchen, min_support=3).steps) < 12
    assert run("plan", kitchen.directory, "cooking pasta", "--min-support", 99).startswith("cooking pasta  0 steps\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pasta",), "there is no scenario named 'pasta'"),
        (("",), "there is no scenario named ''"),
        (("cooking pasta", "--json", "--pddl", "out.pddl"), "either JSON or PDDL is written"),
        (("cooking pasta", "--pddl", "out.txt"), "out.txt: no file of PDDL"),
        (("cooking pasta", "--pddl", "{}/steps.pddl/out.pddl"), "no file can be written there"),
        (("cooking pasta", "--pddl", "{}/folder.pddl"), "it is a folder"),
        (("cooking pasta", "--pddl", "{}/taken.pddl"), "it is a folder"),
        (("cooking pasta", "--pddl", "{}/linked.pddl"), "the same file as"),
        (("cooking pasta", "--pddl", "{}/graph.pddl"), "is an input and would be overwritten"),
    ],
)
def test_what_cannot_be_planned(kitchen: ScriptGraph, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "steps.pddl").touch()
    (tmp_path / "folder.pddl").mkdir()
    (tmp_path / "taken-problem.pddl").mkdir()
    (tmp_path / "linked-problem.pddl").symlink_to("linked.pddl")
    # The problem would replace a file of the graph.
    (tmp_path / "graph-problem.pddl").symlink_to(kitchen.directory / "manifest.json")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(KGScriptsError, match=message) as error:
        run("plan", kitchen.directory, *(argument.format(tmp_path) for argument in arguments))
    assert isinstance(error.value, QueryError | ConfigurationError)
    assert error.value.remedy
    assert sorted(tmp_path.iterdir()) == before


def test_odd_characters_control_no_terminal(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    for row in graph.rows("Scenario"):
        shown = run("plan", graph.directory, graph.iri(row["id"]), "--all")
        # Joiners are part of emoji.
        assert shown.replace("\u200d", "").replace("\n", "").isprintable()
        json.loads(run("plan", graph.directory, graph.iri(row["id"]), "--all", "--json"))


def test_a_scenario_without_changes_is_planned() -> None:
    assert plan_text(HAND_MADE[-1].plan()).splitlines() == ["saying hello  2 steps", "├── 1. wave", "└── 2. smile"]
    assert plan_text(plan_of()) == "making tea  0 steps"


def test_what_is_left_out_and_what_is_likely_is_marked() -> None:
    boil = step("boil", "heat of water: cold -> hot", "temperature of water: hot", "color of pot: ")
    likely = SourceStep(id="wait", label="wait", changes=[change("location of pot: on stove", level=Level.LIKELY)])
    shown = " ".join(plan_text(plan_of(boil, likely)).split())
    assert "3 changes left out: 1 likely only, 1 no value after, 1 another value is surer (--json" in shown.replace(
        "│", ""
    )
    shown = plan_text(make_plan("making tea", [likely], [], likely=True))
    assert "changes: location of pot: on stove (likely)" in shown


def test_steps_stand_below_the_items_that_tell_them() -> None:
    """Not below one that says what its only step says."""
    told = [
        ("fill", "Fill the pan and salt it."),
        ("salt", "Fill the pan and salt it."),
        ("wait", "Wait."),
        ("eat", ""),
    ]
    steps = [SourceStep(id=label, label=label, item=item, changes=[]) for label, item in told]
    assert plan_text(make_plan("supper", steps, [])).splitlines() == [
        "supper  4 steps",
        "├── Fill the pan and salt it.",
        "│   ├── 1. fill",
        "│   └── 2. salt",
        "├── 3. wait",
        "└── 4. eat",
    ]


def test_likely_changes_are_an_option(kitchen: ScriptGraph) -> None:
    certain, likely = (
        json.loads(run("plan", kitchen.directory, "cooking pasta", "--json", *option)) for option in ((), ("--likely",))
    )
    assert certain == json.loads(json.dumps(plan(kitchen).to_dict()))
    script = kitchen.script("cooking pasta", evidence=1)
    assert likely == json.loads(json.dumps(script.plan(likely=True).to_dict()))


def test_a_script_of_many_steps_is_printed() -> None:
    told = [(f"wipe plate {number}", ["cleanliness of plate: clean -> dirty"]) for number in range(2_000)]
    lines = plan_text(script("washing up", told).plan()).splitlines()
    assert "1,999 contradictions" in " ".join(lines)
    assert max(map(len, lines)) <= 80
