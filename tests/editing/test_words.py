"""Which words a correction takes: all that `show` prints, and no others in silence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph
from kgscripts.assembly import again
from kgscripts.assembly.tables.words import label_of
from kgscripts.editing import correcting
from kgscripts.editing.correction_words import GraphWords
from schemas.corrections import Correction
from schemas.errors import InputError, KGScriptsError
from tests.editing.conftest import NOODLES, PASTA, SOUP

Run = Callable[..., str]
WHO: dict[str, Any] = {"author": "Ada", "time": "2026-03-01"}


def test_every_wording_that_show_prints_names_its_step(read_graph: Path) -> None:
    graph = ScriptGraph.open(read_graph)
    words = GraphWords(graph)
    actions = {row["id"]: row for row in graph.rows("Action")}
    owners = {(row["from_id"], row["to_id"]) for row in graph.rows("EXPRESSED_AS")}
    scenarios = graph.labels("Scenario")
    tried = 0
    for step in graph.rows("SubEvent"):
        if step["scenario"] is None:
            continue
        own = [actions[action] for owner, action in owners if owner == step["id"]]
        labels = {action["label"] for action in own}
        for name in {row[kind] for row in (step, *own) for kind in ("label", "label_text")}:
            for typed in (name, name.upper(), f"the {name}", f"  {name} "):
                named = Correction(kind="reject", scenario=scenarios[step["scenario"]].upper(), step=typed, **WHO)
                assert words.of_correction(named).step in labels
                tried += 1
    assert tried > 50
    assert not words.taken
    for kind, role in (("Tool", "support"), ("Entity", "")):
        for name in graph.labels(kind).values():
            given = Correction(kind="same thing", thing="a new name", other=f"The {name.upper()}", **WHO)
            assert words.of_correction(given).other == name.lower()
            if role:
                given = Correction(kind="tool role", thing=f"the {name}", role=role, **WHO)
                assert words.of_correction(given).thing == name.lower()


def test_two_wordings_are_recorded_as_they_were_named(read_graph: Path, tmp_path: Path, run: Run) -> None:
    path = shutil.copytree(read_graph, tmp_path / "graph")
    tire = "changing a flat tire"
    run("correct", path, "same-step", tire, "Jack up the car", "lift the car")
    for one, other in (("jack up the car", "lift the car"), ("lift the car", "JACK UP THE CAR")):
        printed = run("correct", path, "different-step", tire, one, other)
        assert printed.startswith("recorded") or "nothing new" in printed
    (found,) = (item for item in correcting.list_corrections(path) if item.kind == "different step")
    assert {found.step, found.other} == {"jack up car", "lift car"}
    steps = {row["label_text"] for row in ScriptGraph.open(path).rows("SubEvent")}
    assert {"jack up the car", "lift the car"} <= steps


def test_what_is_taken_instead_is_said(graph: Path, run: Run) -> None:
    printed = run("correct", graph, "rename", PASTA, "boil the water", "boil it")
    assert printed.splitlines()[0] == '"boil the water" is taken as "boil water in pot"'
    assert json.loads(run("correct", graph, "rename", PASTA, "boil water", "x", "--json"))["taken"] == {
        "boil water": "boil water in pot"
    }
    # The name that a person gave it is one of its names.
    assert "taken" not in run("correct", graph, "reject", PASTA, "X")


@pytest.mark.parametrize(
    "words",
    [
        "drain the pasta in a blue colander",
        "check that the pasta is soft",
        "boil the water again",
        "stir-fry the pasta",
    ],
)
def test_an_added_step_is_shown_in_the_words_that_were_given(words: str, graph: Path, run: Run) -> None:
    before = {row["label"] for row in ScriptGraph.open(graph).rows("SubEvent")}
    assert run("correct", graph, "add", PASTA, words.capitalize()) == f'recorded: "{words}" is a step\n'
    added = [row for row in ScriptGraph.open(graph).rows("SubEvent") if row["label"] not in before]
    assert [row["label_text"] for row in added] == [words]
    assert words in run("show", graph, PASTA)
    assert words in run("show", graph, PASTA, words)
    run("correct", graph, "add", PASTA, words, "--withdraw")
    assert {row["label"] for row in ScriptGraph.open(graph).rows("SubEvent")} == before


def test_an_added_step_is_another_one_although_its_head_is_that_of_a_step(graph: Path, run: Run) -> None:
    run("correct", graph, "add", PASTA, "add pasta in bowl")
    assert {"add pasta", "add pasta in bowl"} <= {row["label"] for row in ScriptGraph.open(graph).rows("SubEvent")}
    run("correct", graph, "same-step", PASTA, "add pasta", "add pasta in bowl")
    assert "add pasta in bowl" not in {row["label"] for row in ScriptGraph.open(graph).rows("SubEvent")}


def test_words_of_texts_come_before_those_of_who_added_the_step(graph: Path, run: Run) -> None:
    run("correct", graph, "add", PASTA, "drain the pasta")
    run("correct", graph, "add", PASTA, "the drain pasta")
    assert run("show", graph, PASTA).count("3. drain pasta") == 1
    (correction,) = correcting.list_corrections(graph)
    assert (correction.step, correction.name) == ("drain pasta", "")


def test_the_label_of_an_action_from_the_words_of_a_person() -> None:
    for words, label in {
        "warm plates": "warm plate",
        "put hub cap back": "put back hub cap",
        "take lids off pots": "take lid off pot",
        "brush teeth": "brush tooth",
        "sort clothes": "sort clothes",
        "look across": "look across",
        "wait": "wait",
    }.items():
        assert label_of(words) == label


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("same-thing", "sieve", "spon"), "no tool or entity 'spon'\n.*near ones are: spoon"),
        (("different-thing", "sive", "spoon"), "no tool or entity 'sive'\n.*sieve"),
        (("different-thing", "sieve", "the sieve"), "named twice"),
        (("same-scenario", PASTA, "boiling noodels"), "no scenario 'boiling noodels'\n.*boiling noodles"),
        (("same-scenario", PASTA, "Cook pasta"), "name one scenario"),
        (("different-scenario", PASTA), "SCENARIO OTHER"),
        (("rename-scenario", "cooking paste", "x"), "no scenario 'cooking paste'\n.*cooking pasta"),
        (("rename-scenario", PASTA, "Boil noodles"), "a scenario 'boiling noodles' already\n.*same-scenario"),
        (("rename-scenario", PASTA), "SCENARIO NAME"),
        (("rename-scenario", PASTA, "--withdraw"), "no such correction to withdraw"),
        (("same-scenario", PASTA, NOODLES, "--withdraw"), "no such correction to withdraw"),
        (("reverse-order", PASTA, "add pasta"), "reverse-order SCENARIO STEP OTHER"),
        (("reverse-order", PASTA, "add pasta", "boil pasta"), "no step 'boil pasta'\n.*near ones"),
        (("reverse-order", PASTA, "add pasta", "the add pasta"), "named twice"),
        (("suggest", "steps"), "suggest takes nothing else"),
        (("suggestion",), "is no kind of correction\n.*same-scenario.*reverse-order"),
        (("add", SOUP, "stir soup", "uses"), "do not fit"),
    ],
)
def test_words_that_are_refused(words: tuple[str, ...], message: str, tiny_graph: Path, run: Run) -> None:
    with pytest.raises(KGScriptsError, match=rf"(?s){message}"):
        run("correct", tiny_graph, *words)
    assert not correcting.list_corrections(tiny_graph)


def test_a_thing_that_has_another_name_now_can_be_named_by_both(graph: Path, run: Run) -> None:
    run("correct", graph, "same-thing", "strainer", "the Sieve")
    run("correct", graph, "same-thing", "strainer", "spoon")
    assert 'recorded: "spoon" and "sieve" are different things' in run(
        "correct", graph, "different-thing", "spoon", "sieve"
    )
    # The latest wins: with the first link the two would be one.
    assert {"strainer", "sieve"} <= set(ScriptGraph.open(graph).labels("Tool").values())
    with pytest.raises(InputError, match="near ones"):
        run("correct", graph, "different-thing", "spoons", "sieve")


def test_many_corrections_assemble_once(graph: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*words: object, **named: object) -> object:
        calls.append(words)
        return again.assemble_again(*words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(correcting, "assemble_again", counted)
    steps = [("boil water in pot", PASTA), ("add pasta", PASTA), ("drain noodles", NOODLES), ("stir soup", SOUP)]
    lines = [
        Correction(kind="rename", scenario=scenario, step=step, name=f"name {number}", author="Ada", time=f"{day}")
        for number, ((step, scenario), day) in enumerate(
            zip(steps, [datetime(2026, 3, 1, tzinfo=UTC)] * 4, strict=True)
        )
    ]
    file = tmp_path / "corrections.jsonl"
    file.write_text("\n".join(item.to_json() for item in lines), encoding="utf-8")
    assert run("correct", graph, "--corrections", file).count("recorded") == 4
    assert len(calls) == 1
    assert {f"name {number}" for number in range(4)} <= set(ScriptGraph.open(graph).labels("SubEvent").values())
