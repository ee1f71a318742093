"""`kgscripts show`: trees, lists and JSON, on terminals and in pipes, whatever characters a graph holds."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.scripts.names import find
from kgscripts.scripts.reading import least_order, list_scenarios, read_script
from kgscripts.scripts.things import read_tool_uses
from schemas.errors import GraphDirectoryError, KGScriptsError, QueryError
from schemas.tables import table_path
from schemas.vocabulary import node_id
from tests.exports.kitchen import kitchen_graph, kitchen_rows
from tests.graphs import ODD_TEXTS, generated_graph, odd_graph, write_graph


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("kitchen"))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("odd"))


def show(graph: ScriptGraph, *arguments: str) -> str:
    """What the command prints."""
    result = CliRunner().invoke(cli.app, ["show", str(graph.directory), *arguments])
    if result.exception is not None:
        raise result.exception
    return result.output


def show_json(graph: ScriptGraph, *arguments: str) -> Any:
    return json.loads(show(graph, *arguments, "--json"))


def test_a_scenario_as_a_tree(kitchen: ScriptGraph) -> None:
    lines = show(kitchen, "cooking pasta").splitlines()
    assert lines[:4] == [
        "cooking pasta  12 steps, read in 3 sources",
        "├── You need: colander, plate, pot; pasta (500 g), water; 9 more in few sources",
        "├── 1. fill pot with water  2 sources, 67%",
        "│   ├── tools: pot (container, 100%)",
    ]
    assert "├── 3. add salt (optional)  1 source, 33%" in lines
    assert "│   ├── tools: colander (instrument, 67%), strainer (instrument, 33%)" in lines
    assert "    ├── participants: pasta (patient, 67%), cheese (companion, 33%)" in lines
    assert "│   └── or: taste pasta" in lines
    assert "│   └── also in making coffee: boil water" in lines
    assert lines[-3:] == [
        "    └── changes",
        "        ├── cleanness of plate: dirty -> clean (100%)",
        "        └── location of pasta: in pan -> on plate (100%)",
    ]
    assert not any(line.endswith(" ") for line in lines)


def test_steps_stand_in_the_order_of_the_graph(kitchen: ScriptGraph) -> None:
    script = read_script(kitchen, "cooking pasta")
    place = {step.iri: i for i, step in enumerate(script.steps)}
    assert script.precedes
    assert all(place[pair.before] < place[pair.after] for pair in script.precedes)
    assert [step.label for step in script.steps][-3:] == ["drain pasta", "pour sauce", "serve pasta"]


@pytest.mark.parametrize("name", ["cooking pasta", "COOKING  Pasta", "make spaghetti", "Cook Pasta"])
def test_a_scenario_is_found_by_any_of_its_names(kitchen: ScriptGraph, name: str) -> None:
    assert show(kitchen, name) == show(kitchen, "cooking pasta")


def test_a_scenario_is_found_by_its_iri(kitchen: ScriptGraph) -> None:
    iri = read_script(kitchen, "cooking pasta").iri
    assert iri.startswith("https://w3id.org/kgscripts/data/scenario/cooking-pasta-")
    assert show(kitchen, iri) == show(kitchen, "cooking pasta")


@pytest.mark.parametrize(
    ("arguments", "message", "remedy"),
    [
        (["pasta"], "there is no scenario named 'pasta'", "did you mean 'cooking pasta'?"),
        (["coking pasta"], "there is no scenario named", "did you mean 'cooking pasta'?"),
        (["make spagetti"], "there is no scenario named", "'cooking pasta'"),
        (["\x07"], r"there is no scenario named '\x07'", "lists the scenarios"),
        ([""], "there is no scenario named ''", "did you mean 'cook"),
        (["--tool", "colandre"], "there is no tool named 'colandre'", "did you mean 'colander'?"),
        (["--tool", "zzz"], "there is no tool named 'zzz'", "`kgscripts show DIR` lists the scenarios"),
        (["nothing", "--tool", "pot"], "there is no scenario named 'nothing'", "lists the scenarios"),
    ],
)
def test_a_miss_says_what_there_is(kitchen: ScriptGraph, arguments: list[str], message: str, remedy: str) -> None:
    with pytest.raises(QueryError) as error:
        show(kitchen, *arguments)
    assert message in error.value.message
    assert remedy in str(error.value.remedy)


def test_a_name_that_several_scenarios_have_is_refused(tmp_path: Path) -> None:
    rows = kitchen_rows()
    for scenario in rows["Scenario"]:
        scenario["alternative_labels"] = ["in the kitchen"]
    graph = write_graph(tmp_path, rows)
    with pytest.raises(QueryError, match="2 scenarios are named 'in the kitchen'") as error:
        show(graph, "in the kitchen")
    assert "scenario/making-coffee-" in str(error.value.remedy)
    assert find(graph, "Scenario", "making coffee", ("label", "alternative_labels"))["label"] == "making coffee"


def test_containers_and_surfaces_come_after_other_tools(kitchen: ScriptGraph) -> None:
    (boil,) = (step for step in read_script(kitchen, "cooking pasta").steps if step.label == "boil water")
    assert [(tool.label, tool.role) for tool in boil.tools] == [("stove", "appliance"), ("pot", "container")]


def test_a_tool_the_other_way_round(kitchen: ScriptGraph) -> None:
    assert show(kitchen, "--tool", "Spoon").splitlines() == [
        "spoon  used in 2 steps",
        "├── cooking pasta",
        "│   └── stir pasta  instrument, 1 source, 100%",
        '│       └── "[Stir the pasta with a wooden spoon]."  how_to.md, characters 118 to 153',
        "└── making coffee",
        "    └── stir coffee  instrument, 1 source, 100%",
        '        └── "[Stir the coffee with a spoon]."  coffee.md, characters 48 to 77',
    ]
    assert "cooking pasta" not in show(kitchen, "making coffee", "--tool", "spoon")


def test_evidence_is_a_sentence_that_names_the_tool(kitchen: ScriptGraph) -> None:
    for tool in ("pot", "colander", "strainer", "filter"):
        _, uses, _ = read_tool_uses(kitchen, tool)
        assert uses
        for use in uses:
            assert use.evidence is not None
            assert tool in use.evidence.text
            assert use.evidence.text.endswith("."), "the sentence, not the mention within it"
            assert len(use.evidence.text) == use.evidence.end - use.evidence.start


def test_a_step_names_its_models(kitchen: ScriptGraph) -> None:
    lines = show(kitchen, "cooking pasta", "boil water").splitlines()
    assert lines[0].endswith("  by rules 1")
    assert lines[-1] == "    └── rules 1  reading"
    (change,) = (number for number, line in enumerate(lines) if "temperature of water" in line)
    assert lines[change].endswith("passages 1, 2, 3  by rules 1")
    assert lines[change + 1] == "├── also in", "the change has no lines of its own"
    content = json.loads(show(kitchen, "cooking pasta", "drain pasta", "--json"))
    assert {tuple(each["via"]) for each in content["changes"]} == {()}
    assert {tuple(each["via"]) for each in content["tools"]} == {("named",)}
    for part in (*content["tools"], *content["changes"]):
        assert {reader["name"] for reader in part["read_by"]} == {"rules"}


def test_a_directory_alone_lists_its_scenarios(kitchen: ScriptGraph) -> None:
    assert show(kitchen).splitlines() == [
        "2 scenarios",
        "├── cooking pasta  12 steps, read in 3 sources",
        "└── making coffee  4 steps, read in 2 sources",
    ]
    assert [each.label for each in list_scenarios(kitchen)] == ["cooking pasta", "making coffee"]


def test_limits_keep_what_most_sources_tell(kitchen: ScriptGraph) -> None:
    lines = show(kitchen, "cooking pasta", "--limit", "4").splitlines()
    steps = [line.split(". ")[1].split("  ")[0] for line in lines if re.search(r" \d+\. ", line)]
    assert steps == ["boil water", "add pasta", "drain pasta", "serve pasta"]
    assert lines[-1] == "└── 8 more (8 over the limit): --all --min-support 1 shows all"
    reasons = [item["reason"] for item in show_json(kitchen, "cooking pasta", "--min-support", "3")["left_out"]]
    assert reasons == ["few sources"] * 8
    assert show_json(kitchen, "--min-support", "3")["left_out"] == 1
    assert show_json(kitchen, "--tool", "pot", "--limit", "1")["left_out"] == 2
    assert len(show_json(kitchen, "cooking pasta", "--limit", "0")["steps"]) == 12


def test_order_survives_what_is_left_out(kitchen: ScriptGraph) -> None:
    script = read_script(kitchen, "cooking pasta", min_support=3)
    labels = {step.iri: step.label for step in script.steps}
    assert [(labels[start], labels[end]) for start, end in script.order] == [
        ("boil water", "add pasta"),
        ("add pasta", "drain pasta"),
        ("drain pasta", "serve pasta"),
    ]


def test_json_holds_all_that_the_tree_shows(kitchen: ScriptGraph) -> None:
    content = show_json(kitchen, "cooking pasta")
    assert content["alternative_labels"] == ["cook pasta", "make spaghetti"]
    assert content["left_out"] == []
    drain = next(step for step in content["steps"] if step["label"] == "drain pasta")
    kept = ("label", "support", "probability", "role", "predicted")
    assert [tuple(tool[name] for name in kept) for tool in drain["tools"]] == [
        ("colander", 2, 0.6667, "instrument", False),
        ("strainer", 1, 0.3333, "instrument", False),
    ]
    assert drain["optional"] is False
    stir = next(step for step in content["steps"] if step["label"] == "stir pasta")
    assert [(item["label"], item["support"]) for item in stir["alternatives"]] == [("taste pasta", 2)]
    assert show_json(kitchen)["scenarios"][1]["sub_events"] == 4
    assert show_json(kitchen, "--tool", "knife")["uses"][0]["evidence"]["source"] == "story.txt"


def test_changes_and_concrete_steps_are_shown(odd: ScriptGraph) -> None:
    trees = "".join(show(odd, each.iri) for each in list_scenarios(odd))
    assert "changes: " in trees
    assert "done by: " in trees


def test_the_usual_script_is_shown_and_all_of_it_on_request(tmp_path: Path) -> None:
    rows = kitchen_rows()
    (salt,) = (row["id"] for row in rows["SubEvent"] if row["label"] == "add salt")
    (boil,) = (row["id"] for row in rows["SubEvent"] if row["label"] == "boil water" and row["support"] == 3)
    for row in rows["HAS_SUB_EVENT"]:
        row["usual"] = row["to_id"] != salt
        row["salience_rank"] += 50 if row["to_id"] == boil else 0
    graph = write_graph(tmp_path, rows)
    assert "add salt" not in show(graph, "cooking pasta")
    assert "1 more (1 unusual): --all --min-support 1 shows all" in show(graph, "cooking pasta")
    assert "3. add salt (optional) (unusual)  1 source, 33%" in show(graph, "cooking pasta", "--all")
    assert len(show_json(graph, "cooking pasta", "--all", "--limit", "1")["steps"]) == 12
    # Of steps in three sources each, the one with the last rank is left out.
    kept = show_json(graph, "cooking pasta", "--limit", "3")["steps"]
    assert [step["label"] for step in kept] == ["add pasta", "drain pasta", "serve pasta"]


def test_of_many_changes_those_with_the_most_support_are_shown(tmp_path: Path) -> None:
    rows = kitchen_rows()
    (step,) = (row["id"] for row in rows["SubEvent"] if row["label"] == "drain pasta")
    for number, row in enumerate(rows["StateChange"]):
        kept = [each for each in rows["CHANGES"] if (each["from_id"], each["to_id"]) != (step, row["id"])]
        statement = node_id("Statement", "", step, "CHANGES", row["id"])
        numbers = {
            "support": number + 1,
            "probability": round((number + 1) / 20, 4),
            "statement": statement,
            "level": "certain",
        }
        rows["CHANGES"] = [*kept, {"from_id": step, "to_id": row["id"], **numbers}]
    graph = write_graph(tmp_path / "few", rows)
    lines = show(graph, "cooking pasta").splitlines()
    (end,) = (number for number, each in enumerate(lines) if each.endswith(" more"))
    assert [int(number) for line in lines[end - 6 : end] for number in re.findall(r"\((\d+)%", line)] == [
        *range(55, 29, -5)
    ]
    assert lines[end].endswith(" 5 more")
    (drain,) = (each for each in show_json(graph, "cooking pasta")["steps"] if each["label"] == "drain pasta")
    assert len(drain["changes"]) == 11
    assert sum(" -> " in each for each in show(graph, "cooking pasta", "drain pasta").splitlines()) == 11
    # Of a step of many sources, what only one of them has is not printed.
    for row in rows["CHANGES"]:
        if row["from_id"] == step:
            row["support"] = max(1, row["support"] - 8)
    for row in rows["HAS_SUB_EVENT"]:
        row["support"] = 12 if row["to_id"] == step else row["support"]
    many = show(write_graph(tmp_path / "many", rows), "cooking pasta").splitlines()
    (end,) = (number for number, each in enumerate(many) if each.endswith(" 9 more"))
    assert [int(number) for line in many[end - 2 : end] for number in re.findall(r"\((\d+)%", line)] == [55, 50]


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_no_control_character_reaches_the_terminal(odd: ScriptGraph, arguments: list[str]) -> None:
    outputs = [show(odd, *arguments)]
    outputs += [show(odd, each.iri, *arguments) for each in list_scenarios(odd)]
    outputs += [show(odd, "--tool", odd.iri(row["id"]), *arguments) for row in odd.rows("Tool")]
    for output in outputs:
        assert {char for char in output if unicodedata.category(char) == "Cc"} <= {"\n"}
    if not arguments:
        assert r"nul \x00 and bell \x07" in outputs[0]
        assert "family 👩‍👩‍👧" in outputs[0], "what is no control character stays"
        assert max(len(line) for output in outputs for line in output.splitlines()) < 2_000


def test_odd_characters_come_back_whole_in_json(odd: ScriptGraph) -> None:
    assert {each["label"] for each in show_json(odd, "--limit", "0")["scenarios"]} == set(ODD_TEXTS) - {"plain"}
    assert read_script(odd, odd.iri(next(odd.rows("Scenario"))["id"])).label in ODD_TEXTS


def test_a_terminal_gets_colours_and_folded_lines(odd: ScriptGraph, kitchen: ScriptGraph) -> None:
    for graph in (kitchen, odd):
        shown, terminal = pty.openpty()
        environment = {**os.environ, "COLUMNS": "60", "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        arguments = [sys.executable, "-m", "cli", "show", str(graph.directory)]
        with subprocess.Popen(arguments, stdout=terminal, stderr=terminal, env=environment) as process:
            os.close(terminal)
            output = b""
            try:
                while part := os.read(shown, 4096):
                    output += part
            except OSError:  # how Linux says that the other side of a pseudo-terminal has gone
                pass
        os.close(shown)
        assert process.returncode == 0
        text = output.decode()
        assert "\x1b[1m" in text
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert {char for char in plain if unicodedata.category(char) == "Cc"} <= {"\n", "\r"}
        assert max(map(len, plain.split("\r\n"))) <= 60


def test_an_ascii_pipe_breaks_nothing(odd: ScriptGraph) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "cli", "show", str(odd.directory)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
        timeout=60,
    )
    assert r"emoji \U0001f35d" in result.stdout.decode("ascii")


@pytest.mark.parametrize("arguments", [["--limit", "-1"], ["--min-support", "0"], ["--limit", "many"]])
def test_numbers_out_of_range_exit_with_2(kitchen: ScriptGraph, arguments: list[str]) -> None:
    result = CliRunner().invoke(cli.app, ["show", str(kitchen.directory), *arguments])
    assert result.exit_code == 2
    assert arguments[0] in result.output


def test_a_damaged_table_is_a_clear_error(tmp_path: Path) -> None:
    graph = kitchen_graph(tmp_path)
    file = tmp_path / table_path("SubEvent")
    content = bytearray(file.read_bytes())
    content[: len(content) // 2] = bytes(len(content) // 2)
    file.write_bytes(content)
    with pytest.raises(GraphDirectoryError, match="the table is damaged") as error:
        show(graph, "cooking pasta")
    assert error.value.where == str(file)
    assert error.value.remedy


def test_no_graph_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(KGScriptsError, match="there is no graph"):
        ScriptGraph.open(tmp_path)
    result = CliRunner().invoke(cli.app, ["show", str(tmp_path), "baking a cake"])
    assert isinstance(result.exception, GraphDirectoryError)


def test_a_larger_graph(tmp_path: Path) -> None:
    graph = generated_graph(tmp_path, 20_000)
    script = read_script(graph, "scenario 7")
    assert script.left_out == ()
    assert len(script.steps) == 8
    assert all(len(step.tools) == 2 for step in script.steps)
    label, uses, left_out = read_tool_uses(graph, "tool 9", limit=3)
    uses_of_all = [row for row in graph.rows("USES") if row["to_id"].startswith("tool/tool-9-")]
    assert (label, len(uses), left_out) == ("tool 9", 3, len(uses_of_all) - 3)
    assert all(use.evidence is not None and use.evidence.source.startswith("story ") for use in uses)


_NODES = [f"step {i}" for i in range(9)]
_PAIRS = st.lists(st.tuples(st.sampled_from(_NODES), st.sampled_from(_NODES)), max_size=25)


@given(_PAIRS, st.sets(st.sampled_from(_NODES)))
def test_the_least_order_implies_what_the_whole_one_does(pairs: list[tuple[str, str]], kept: set[str]) -> None:
    pairs = [(start, end) for start, end in pairs if start < end]
    least = nx.DiGraph(least_order(_NODES, pairs, kept))
    least.add_nodes_from(kept)
    whole = nx.DiGraph(pairs)
    whole.add_nodes_from(kept)
    paths = {(a, b) for a, b in nx.transitive_closure(whole).edges if a in kept and b in kept}
    assert set(nx.transitive_closure(least).edges) == paths
    assert set(nx.transitive_reduction(least).edges) == set(least.edges)


def test_what_follows_from_changes_is_shown_on_request(kitchen: ScriptGraph) -> None:
    assert "derived" not in show(kitchen, "cooking pasta")
    assert show_json(kitchen, "cooking pasta", "serve pasta")["derived"] == []
    assert (
        "└── weight of pan: heavier -> lighter  follows from location of pasta: in pan -> on plate"
        in show(kitchen, "cooking pasta", "--derived").splitlines()[-1]
    )
    step = show_json(kitchen, "cooking pasta", "serve pasta", "--derived")
    cause = next(change["iri"] for change in step["changes"] if change["attribute"] == "location")
    assert {"entity": "pan", "attribute": "weight", "before": "heavier", "after": "lighter", "follows_from": cause} in (
        step["derived"]
    )
    assert step["derived"][0] in show_json(kitchen, "cooking pasta", "--derived")["steps"][-1]["derived"]
