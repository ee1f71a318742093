"""Needs of scenarios against lists: counted by hand, and by the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts import ScriptGraph
from kgscripts.commands.evaluate import app
from kgscripts.evaluation import needs
from kgscripts.evaluation.needs import ALL, USUAL, GoldNeeds, evaluate_needs, gold_needs
from kgscripts.pipeline import build_graph
from schemas.errors import InputError

LISTS = [
    GoldNeeds("household", "making tea", (("pot", "kettle"), ("teabag",), ("water",), ("strainer",)), ("cup",)),
    GoldNeeds("household", "mowing the lawn", (("mower",),), ()),
    GoldNeeds("others", "answering the phone", (), ()),
]
STEPS = ("Boil the water in a kettle.", "Put a teabag in a big cup.", "Stir the tea with a spoon.")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("needs") / "graph"
    texts = [{"id": str(number), "scenario": "making tea", "steps": list(STEPS[: 3 - number])} for number in (0, 1)]
    build_graph(output=path, texts=texts, extractors=["labels", "sentences", "events"])
    return path


def test_by_hand(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "gold_needs", lambda: LISTS)
    found = evaluate_needs(ScriptGraph.open(directory))
    assert found.items == {"scenarios": 1, "groups of necessary things": 4}
    for system in found.systems:  # With two sources every need is usual.
        assert (system["recall"], system["precision"]) == (3 / 4, 4 / 5)
        assert (system.value("recall", "household"), system.parts) == (3 / 4, ("household",))
    assert [system.name for system in found.systems] == [USUAL, ALL]
    (wrong,) = found.examples
    assert (wrong.text, wrong.gold, wrong.found) == ("making tea", ("strainer",), ("spoon",))


def test_names_agree_by_their_ends() -> None:
    item = GoldNeeds("", "frying", (("frying pan",), ("tea bag",)), ("salt",))
    assert item.missing(["pan", "teabag"]) == []
    assert item.missing(["pancake", "bag of tea"]) == ["frying pan", "tea bag"]
    assert [name for name in ("sea salt", "salt shaker", "T-bag") if item.accepts(name)] == ["sea salt"]


def test_the_lists_that_ship_are_sound() -> None:
    items = gold_needs()
    assert len({item.scenario for item in items}) == len(items) == 114
    assert {item.part for item in items} == {"household", "others"}
    for item in items:
        assert all(group for group in item.groups)
        assert all(name == name.strip().lower() and name for name in (*sum(item.groups, ()), *item.acceptable))


def test_a_graph_without_the_scenarios_is_refused(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "gold_needs", lambda: LISTS[1:])
    with pytest.raises(InputError, match="none of the scenarios"):
        evaluate_needs(ScriptGraph.open(directory))


def test_the_command_says_the_same(directory: Path) -> None:
    printed = CliRunner().invoke(app, ["needs", str(directory)])
    assert printed.exit_code == 0, printed.output
    assert all(len(line) <= 80 for line in printed.output.splitlines())
    shown = json.loads(CliRunner().invoke(app, ["needs", str(directory), "--json"]).output)
    figures = {figure["metric"]: figure["value"] for figure in shown["evaluations"][0]["systems"][0]["figures"]}
    expected = evaluate_needs(ScriptGraph.open(directory)).systems[0]
    assert figures["recall"] == pytest.approx(expected["recall"], abs=1e-4)
