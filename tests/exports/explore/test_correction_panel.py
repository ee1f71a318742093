"""The panel of corrections: undoing, what the browser keeps, hostile names, the keyboard, and accessibility."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exports.views.explore.page import make_page
from kgscripts.building.correction_file import read_correction_file
from schemas.corrections import plain_words
from schemas.vocabulary import node_id
from tests.browser import Browser
from tests.exports.explore.clicks import buttons, click, correcting, downloaded, fill, listed, press_all, step
from tests.exports.explore.conftest import go, texts, written
from tests.exports.explore.test_browser import AXE, HOSTILE
from tests.exports.kitchen import kitchen_rows
from tests.graphs import odd_rows, write_graph


def test_nothing_of_it_shows_until_one_corrects(pasta: Browser) -> None:
    for view in ("", "scenario=cooking+pasta", step("boil a water"), "tool=fork"):
        go(pasta, view)
        assert not texts(pasta, ".opener, .fix, .correction, aside")
    pasta.evaluate("document.querySelector('#correct').click()")
    assert texts(pasta, ".correction > span") == ["It is the same thing as, and called", "Its role is"]
    assert texts(pasta, ".opener") == ["Corrections (0)"]
    assert pasta.evaluate("document.activeElement.id") == "correct"
    assert pasta.problems == []


def test_undoing(pasta: Browser, correctable_page: str) -> None:
    correcting(pasta, step("stir a pasta"))
    wrong = "document.querySelector('[aria-label=\"Wrong: spoon\"]').ariaPressed"
    click(pasta, "Wrong: spoon")
    assert pasta.evaluate(wrong) == "true"
    assert texts(pasta, ".said") == ["Recorded: “stir pasta” does not use “spoon”"]
    click(pasta, "Wrong: spoon")
    assert pasta.evaluate(wrong) == "false"
    assert texts(pasta, ".said") == ["Undone: “stir pasta” does not use “spoon”"]
    assert texts(pasta, ".opener") == ["Corrections (0)"]
    for name in ("stir it", "stir it well"):
        fill(pasta, "It is called", name)
    click(pasta, "Wrong: spoon")
    click(pasta, "Corrections (2)")
    assert listed(pasta) == ["“stir pasta” is called “stir it well”", "“stir pasta” does not use “spoon”"]
    pasta.open(f"{correctable_page}#scenario=cooking+pasta")
    assert texts(pasta, ".opener") == ["Corrections (2)"]
    correcting(pasta, step("stir a pasta"))
    assert pasta.evaluate(wrong) == "true"
    click(pasta, "Corrections (2)")
    click(pasta, "Undo: “stir pasta” does not use “spoon”")
    assert pasta.evaluate(wrong) == "false"
    assert pasta.evaluate("document.activeElement.ariaLabel") == "Undo: “stir pasta” is called “stir it well”"
    click(pasta, "Undo all")
    assert listed(pasta) == []


def test_the_opposite_replaces_a_correction(pasta: Browser) -> None:
    correcting(pasta, "scenario=cooking+pasta")
    click(pasta, "Not needed: salt")
    fill(pasta, "One needs", "Salt", "supply")
    click(pasta, "Corrections (1)")
    assert listed(pasta) == ["“salt” is needed"]
    fill(pasta, "Add the step", "boil a water")
    assert listed(pasta)[1] == "“boil water” is a step", "it is one that the scenario has"


def test_what_cannot_be_recorded_is_said(pasta: Browser, tmp_path: Path) -> None:
    correcting(pasta, "tool=fork")
    fill(pasta, "It is the same thing as, and called", "a FORK")
    assert texts(pasta, ".fault") == ["“fork” is named twice. Name two that differ."]
    fill(pasta, "It is the same thing as, and called", "x" * 501)
    assert "more than 500 characters" in texts(pasta, ".fault")[0]
    assert listed(pasta) == []
    fill(pasta, "It is the same thing as, and called", "pitchfork")
    assert not texts(pasta, ".fault")
    click(pasta, "Download")
    assert texts(pasta, ".fault") == ["Write your name first: it stands with each correction."]
    assert not list(tmp_path.iterdir())
    assert [line["author"] for line in downloaded(pasta, tmp_path)] == ["Ada"]


def test_leaving_asks_until_they_are_downloaded(pasta: Browser, correctable_page: str, tmp_path: Path) -> None:
    leaves = "dispatchEvent(new Event('beforeunload', {cancelable: true}))"
    assert pasta.evaluate(leaves)
    correcting(pasta, step("stir a pasta"))
    click(pasta, "Wrong: spoon")
    assert not pasta.evaluate(leaves)
    pasta.open(correctable_page)
    assert not pasta.evaluate(leaves), "also after a reload"
    click(pasta, "Corrections (1)")
    downloaded(pasta, tmp_path)
    assert pasta.evaluate(leaves)
    assert "They are downloaded." in texts(pasta, "aside [role=status]")
    pasta.open(correctable_page)
    assert pasta.evaluate(leaves)
    assert pasta.evaluate("document.querySelector('#author').value") == "Ada"
    click(pasta, "Corrections (1)")
    commands = pasta.evaluate("[...document.querySelectorAll('aside code')].map((each) => each.textContent)")
    assert commands == [
        "kgscripts correct graph --corrections corrections.jsonl",
        "kgscripts build-graph INPUT -o graph --corrections corrections.jsonl",
    ]


@pytest.mark.parametrize("kept", [None, "{", "[]", '{"corrections": [3]}', '{"corrections": [{"kind": {}}]}'])
def test_a_browser_that_keeps_nothing_or_something_else(tab: Browser, correctable_page: str, kept: str | None) -> None:
    given = "() => { throw new Error('forbidden'); }" if kept is None else f"() => {json.dumps(kept)}"
    script = f"Storage.prototype.getItem = {given}; Storage.prototype.setItem = {given};"
    added = tab.send("Page.addScriptToEvaluateOnNewDocument", source=script)
    try:
        tab.open(correctable_page)
        correcting(tab, step("stir a pasta"))
        click(tab, "Wrong: spoon")
        click(tab, "Corrections (1)")
        assert listed(tab) == ["“stir pasta” does not use “spoon”"]
        if kept is None:
            assert "This browser does not keep them: download them before you leave." in texts(
                tab, "aside [role=status]"
            )
    finally:
        tab.send("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])
    assert tab.problems == []


def test_hostile_names(tab: Browser, tmp_path: Path) -> None:
    """They stay texts on the panel and in the file."""
    rows = odd_rows()
    for table in rows.values():
        for i, row in enumerate(table):
            row |= {name: HOSTILE[i % len(HOSTILE)] for name in row.keys() & {"label", "label_text", "name", "text"}}
    tab.open(written(make_page(write_graph(tmp_path / "-rf '; #", rows)).html, tmp_path))
    press_all(tab, ["Wrong:", "Not needed:", "Another step:", "No step"])
    lines = downloaded(tab, tmp_path)
    assert len(lines) > 10
    corrections = read_correction_file(tmp_path / "corrections.jsonl")
    others = {each.other for each in corrections if each.other}
    assert len(others) > 5
    assert others <= set(map(plain_words, HOSTILE))
    assert len(listed(tab)) == len(lines)
    assert "kgscripts correct '-rf '\\''; #' --corrections corrections.jsonl" in texts(tab, "aside code")
    assert tab.evaluate("document.title") != "run"
    assert tab.evaluate("document.querySelectorAll('aside img, aside script').length") == 0
    assert tab.problems == []


def test_a_step_whose_words_another_one_has(tab: Browser, tmp_path: Path) -> None:
    """A correction of these words would change both."""
    rows = kitchen_rows()
    named = {row["label"]: row["id"] for row in rows["SubEvent"] if "pasta" in row["scenario"]}
    for row in rows["EXPRESSED_AS"]:
        if row["from_id"] == named["stir pasta"]:
            row["to_id"] = node_id("Action", "drain pasta", "drain pasta")
    tab.open(written(make_page(write_graph(tmp_path / "twice", rows)).html, tmp_path))
    correcting(tab, step("stir pasta"))
    assert texts(tab, ".notice")[0].startswith("Other steps have the same words")
    assert not texts(tab, ".fix, .correction")
    go(tab, step("add pasta"))
    options = tab.evaluate("[...document.querySelectorAll('form option')].map((each) => each.textContent)")
    assert "boil water" in options
    assert "drain pasta" not in options


def test_correcting_by_the_keyboard(pasta: Browser) -> None:
    def reach(name: str) -> None:
        for _ in range(60):
            if pasta.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent") == name:
                return
            pasta.press("Tab")
        raise AssertionError(f"{name!r} is not reached")

    go(pasta, step("stir a pasta"))
    reach("Correct…")
    pasta.press("Enter")
    reach("No step of this scenario: stir a pasta")
    pasta.press("Enter")
    reach("New name")
    pasta.write("stir it well")
    pasta.press("Enter")
    pasta.evaluate("document.querySelector('#search').focus()")
    reach("Corrections (2)")
    pasta.press("Enter")
    assert listed(pasta) == ["“stir pasta” is no step", "“stir pasta” is called “stir it well”"]
    reach("Undo: “stir pasta” is no step")
    pasta.press("Enter")
    assert listed(pasta) == ["“stir pasta” is called “stir it well”"]
    pasta.evaluate("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    assert not texts(pasta, "aside")
    assert pasta.evaluate("document.activeElement.textContent") == "Corrections (1)"
    assert pasta.problems == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (360, False)])
def test_it_is_accessible(pasta: Browser, width: int, dark: bool) -> None:
    pasta.resize(width, 900, dark=dark)
    pasta.evaluate(f"{AXE.read_text(encoding='utf-8')};0")
    for view in ("scenario=cooking+pasta", step("drain a pasta"), "tool=colander"):
        correcting(pasta, view)
        buttons(pasta, ["Wrong", "Not needed"])
        if view == "tool=colander":
            pasta.evaluate("document.querySelector('.opener').click()")
        pasta.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        found = pasta.evaluate(
            "axe.run().then((result) => result.violations.map((each) => [each.impact, each.id, each.nodes[0].html]))"
        )
        assert not found, view
        assert pasta.evaluate("document.documentElement.scrollWidth") <= width, view
