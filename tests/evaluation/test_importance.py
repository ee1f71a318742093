"""The importance of steps against judged ones: counted by hand, by the command, and learnt anew."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.evaluation.lists import list_rows
from kgscripts.reproductions.steps import importance
from kgscripts.reproductions.steps.importance import FILE, evaluate_importance, graph_steps
from kgscripts.typicality.importance import Importance, shipped_importance
from lightning_modules.learning import importance as learning
from schemas.errors import InputError
from tests.exports.kitchen import kitchen_graph

_PASTA = "cooking pasta"
_JUDGED = [
    ("boil water", "essential", "essential"),
    ("strain pasta", "usual", "usual"),
    ("add salt", "usual", "optional"),
    ("stir pasta", "optional", "optional"),
    ("dance", "bystander", "bystander"),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("importance") / "graph")


@pytest.fixture
def _judged(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"scenario": _PASTA, "step": step, "first": one, "second": other} for step, one, other in _JUDGED]
    monkeypatch.setattr(importance, "list_rows", lambda _: rows)


@pytest.mark.usefixtures("_judged")
def test_by_hand(graph: ScriptGraph) -> None:
    found = evaluate_importance(graph)
    assert list(found.items.values()) == [5, 4, 2]
    steps = graph_steps(graph, [_PASTA])
    assert "strain pasta" not in {name for _, name in steps}, "the kitchen has no such wording"
    answers = [steps[_PASTA, name].importance for name in ("boil water", "stir pasta")]
    assert answers == [Importance.USUAL, Importance.OPTIONAL]
    ours = found.systems[0]
    assert ours.value("F1", "optional") == 1
    assert ours.value("F1", "essential") == ours.value("F1", "usual") == 0
    assert ours["macro F1"] == 1 / 4
    assert ours["essential steps hidden"] == 0
    assert {example.text.partition(": ")[2] for example in found.examples} == {"boil water", "strain pasta", "dance"}


@pytest.mark.usefixtures("_judged")
def test_the_command_says_the_same(graph: ScriptGraph) -> None:
    arguments = ["evaluate", "importance", str(graph.directory)]
    printed = CliRunner().invoke(cli.app, arguments)
    assert printed.exit_code == 0, printed.output
    assert all(len(line) <= 80 for line in printed.output.splitlines())
    (shown,) = json.loads(CliRunner().invoke(cli.app, [*arguments, "--json"]).output)["evaluations"]
    figures = {item["metric"]: item["value"] for item in shown["systems"][0]["figures"] if not item.get("part")}
    assert figures["macro F1"] == 0.25


def test_a_graph_without_the_scenarios_is_refused(graph: ScriptGraph) -> None:
    with pytest.raises(InputError, match="none of the scenarios"):
        evaluate_importance(graph)
    with pytest.raises(InputError, match="do not have the judged steps"):
        learning.learn_importance([graph])


def test_the_lists_that_ship_are_sound() -> None:
    unseen, train = list(list_rows(FILE)), list(learning._rows())
    assert not {row["scenario"] for row in unseen} & {row["scenario"] for row in train}
    for rows, columns in ((unseen, ("first", "second")), (train, ("importance",))):
        assert len({(row["scenario"], row["step"]) for row in rows}) == len(rows)
        assert {row[column] for row in rows for column in columns} == set(Importance)
    assert Counter(row["first"] == row["second"] for row in unseen)[True] > 250


def test_training_writes_the_weights_of_the_judged_steps(
    graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    steps = sorted(graph_steps(graph, [_PASTA, "making coffee"]))
    kinds = [*Importance] * len(steps)
    rows = [
        {"scenario": scenario, "step": step, "importance": kind}
        for (scenario, step), kind in zip(steps, kinds, strict=False)
    ]
    monkeypatch.setattr(learning, "_rows", lambda: rows)
    out = tmp_path / "importance.json"
    weights, count = learning.train_importance([graph], out)
    assert count == len(rows)
    assert 0 < weights.least_essential < 1
    assert json.loads(out.read_text(encoding="utf-8"))["steps"] == count
    assert weights.essential.of_vector.shape == shipped_importance().essential.of_vector.shape
