"""Corrections that are made by clicks on the page: what their file changes in the graph."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph
from kgscripts.analysis.graph_diff import diff_graphs
from kgscripts.building.correction_file import read_correction_file
from kgscripts.editing.correcting import correct_graph
from kgscripts.scripts.reading import read_script
from tests.browser import Browser
from tests.exports.explore.clicks import click, correcting, downloaded, fill, listed, press_all, step
from tests.exports.explore.conftest import texts
from tests.exports.explore.correctable import PASTA

AT = {"scenario": PASTA}
BOIL = AT | {"step": "boil water in pot"}


def content(corrections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The corrections without their times, which differ, and their author."""
    times = [each["time"] for each in corrections]
    assert times == sorted(set(times))
    return [{name: value for name, value in each.items() if name not in ("time", "author")} for each in corrections]


def copy_of(graph: ScriptGraph, folder: Path) -> ScriptGraph:
    return ScriptGraph.open(Path(shutil.copytree(graph.directory, folder / "copy")))


CLICKED = [
    {"kind": "reject", **AT, "step": "talk"},
    {"kind": "rename", **BOIL, "name": "Bring the water to the boil!"},
    {"kind": "reject", **BOIL, "relation": "CHANGES", "other": "temperature of water: hot"},
    {"kind": "different step", **BOIL, "other": "boil water"},
    {"kind": "same step", **AT, "step": "drain pasta", "other": "pour pasta"},
    {"kind": "tool role", **AT, "step": "drain pasta", "thing": "colander", "role": "instrument"},
    {"kind": "reject", **AT, "step": "stir pasta", "relation": "USES", "other": "spoon"},
    {"kind": "add", **AT, "step": "stir pasta", "relation": "USES", "other": "big ladle", "role": "container"},
    {"kind": "reject", **AT, "step": "stir pasta", "relation": "HAS_PARTICIPANT", "other": "pasta"},
    {"kind": "reject", **AT, "step": "add pasta", "relation": "PRECEDES", "other": "stir pasta"},
    {"kind": "add", **AT, "step": "stir pasta", "relation": "PRECEDES", "other": "eat pasta"},
    {"kind": "reject", **AT, "relation": "NEEDS", "other": "salt"},
    {"kind": "add", **AT, "step": "warm plate"},
    {"kind": "add", **AT, "relation": "NEEDS", "other": "timer", "role": "appliance"},
    {"kind": "add", **AT, "relation": "NEEDS", "other": "olive oil"},
    {"kind": "same thing", "thing": "pitchfork", "other": "fork"},
    {"kind": "tool role", "thing": "colander", "role": "support"},
]
"""What `make_all` clicks."""


def make_all(page: Browser) -> None:
    """Make a correction of every kind that the page has."""
    correcting(page, step("talk"))
    click(page, "No step of this scenario: talk")
    correcting(page, step("boil a water"))
    fill(page, "It is called", "Bring the water to the boil!")
    click(page, "Wrong: temperature of water: hot")
    click(page, "Another step: boil a water")
    correcting(page, step("drain a pasta"))
    fill(page, "It is the same step as", "pour pasta")
    fill(page, "Role of colander here", "instrument")
    correcting(page, step("stir a pasta"))
    click(page, "Wrong: spoon")
    fill(page, "It needs the tool", "the Big ladle", "container")
    click(page, "Wrong: pasta")
    click(page, "Wrong: add a pasta before stir a pasta")
    fill(page, "It comes", "before", "eat the pasta")
    correcting(page, "scenario=cooking+pasta")
    click(page, "Not needed: salt")
    fill(page, "Add the step", "warm the plate")
    fill(page, "One needs", "a Timer", "tool: appliance")
    fill(page, "One needs", "olive  oil", "supply")
    correcting(page, "tool=fork")
    fill(page, "It is the same thing as, and called", "The pitchfork")
    correcting(page, "tool=colander")
    fill(page, "Its role is", "support")


SAID = [
    "“talk” is no step",
    "“boil water in pot” is called “Bring the water to the boil!”",
    "“boil water in pot” does not change “temperature of water: hot”",
    "“boil water in pot” and “boil water” are different steps",
    "“drain pasta” and “pour pasta” are the same step",
    "“colander” of “drain pasta” has the role instrument",
    "“stir pasta” does not use “spoon”",
    "“stir pasta” uses “big ladle” as container",
    "“stir pasta” does not have the participant “pasta”",
    "“add pasta” does not come directly before “stir pasta”",
    "“stir pasta” comes before “eat pasta”",
    "“salt” is not needed",
    "“warm plate” is a step",
    "“timer” is needed as appliance",
    "“olive oil” is needed",
    "“fork” is called “pitchfork”",
    "“colander” has the role support",
]
"""How the panel says it."""

CHANGED = {
    ("relation added", "Bring the water to the boil! PRECEDES stir pasta (1 source)"),
    ("relation added", "cooking pasta NEEDS olive oil (added by a person)"),
    ("relation added", "cooking pasta NEEDS pitchfork (1 source)"),
    ("relation added", "cooking pasta NEEDS timer (added by a person)"),
    ("relation added", "eat pasta CHANGES cleanliness of pitchfork: clean -> dirty (1 source)"),
    ("relation added", "eat pasta USES pitchfork (1 source)"),
    ("relation added", "fill pot PRECEDES add pasta (2 sources)"),
    ("relation added", "stir pasta PRECEDES eat pasta (added by a person)"),
    ("relation added", "stir pasta USES big ladle (added by a person)"),
    ("relation removed", "add pasta PRECEDES stir pasta (1 source)"),
    ("relation removed", "cooking pasta NEEDS fork (1 source)"),
    ("relation removed", "cooking pasta NEEDS salt (1 source)"),
    ("relation removed", "eat pasta CHANGES cleanliness of fork: clean -> dirty (1 source)"),
    ("relation removed", "eat pasta USES fork (1 source)"),
    ("relation removed", "stir pasta HAS_PARTICIPANT pasta (1 source)"),
    ("relation removed", "stir pasta USES spoon (1 source)"),
    ("step added", "warm plate (added by a person)"),
    ("step removed", "talk (1 source)"),
    ("step split", "boil water into Bring the water to the boil!, boil water"),
    ("steps merged", "drain pasta from drain pasta, pour pasta"),
}
"""What they change. Two orders followed from others before the step was split and an order was rejected."""


def test_each_click_makes_one_correction_and_the_file_changes_exactly_that(
    pasta: Browser, correctable: ScriptGraph, tmp_path: Path
) -> None:
    make_all(pasta)
    assert texts(pasta, ".opener") == [f"Corrections ({len(CLICKED)})"]
    lines = downloaded(pasta, tmp_path)
    assert content(lines) == CLICKED
    assert pasta.problems == []
    corrections = read_correction_file(tmp_path / "corrections.jsonl")
    assert listed(pasta) == SAID
    corrected = copy_of(correctable, tmp_path)
    done = correct_graph(corrected.directory, corrections)
    assert len(done.recorded) == len(CLICKED)
    assert (done.unmatched, done.overruled) == ((), ())
    (found,) = diff_graphs(correctable, ScriptGraph.open(corrected.directory)).scenarios
    changes = {(each.kind, each.text) for each in found.changes if each.kind != "number changed"}
    assert changes == CHANGED
    script = read_script(ScriptGraph.open(corrected.directory), PASTA)
    parts = {each.label: each for each in script.steps}
    assert [each.label for each in parts["Bring the water to the boil!"].changes] == ["wetness of water: dry -> wet"]
    assert {each.label: each.role for each in parts["drain pasta"].tools} == {"colander": "instrument"}
    needs = {each.label: each.role for each in script.needs}
    assert needs.items() >= {"colander": "support", "timer": "appliance", "olive oil": None}.items()


@pytest.mark.parametrize("prefixes", [("Wrong:", "Not needed:"), ("No step",)])
def test_every_button_of_every_view_matches(
    pasta: Browser, correctable: ScriptGraph, tmp_path: Path, prefixes: Sequence[str]
) -> None:
    press_all(pasta, prefixes)
    lines = downloaded(pasta, tmp_path)
    assert len(lines) >= {"Wrong:": 20, "No step": 8}[prefixes[0]]
    done = correct_graph(copy_of(correctable, tmp_path).directory, read_correction_file(tmp_path / "corrections.jsonl"))
    assert len(done.recorded) == len(lines)
    assert done.unmatched == ()
