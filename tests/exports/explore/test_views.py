"""The views of a scenario, a step, a tool and an entity in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports.views.explore import page as pages
from exports.views.explore.index import read_index
from exports.views.explore.page import make_page
from kgscripts import ScriptGraph
from schemas.vocabulary import node_id
from tests.browser import Browser
from tests.exports.explore.conftest import go, texts, title, written
from tests.exports.kitchen import kitchen_rows
from tests.graphs import write_graph


def test_a_scenario(page: Browser) -> None:
    go(page, "scenario=cooking+pasta")
    assert title(page) == "cooking pasta"
    assert "also called cook pasta, make spaghetti" in texts(page, ".lead")[0]
    assert "pot" in texts(page, ".needs .name")
    assert "pasta500 g" in texts(page, ".needs .chip")
    assert len(texts(page, ".lanes .box")) == 12
    assert "drain pasta" in texts(page, ".lanes .title")
    assert not texts(page, ".cards .name")
    page.resize(360, 740)
    assert not texts(page, ".lanes")
    assert "drain pasta" in texts(page, ".cards .name")
    assert page.problems == []


def test_alternatives_and_the_same_step_elsewhere(browser: Browser, tmp_path: Path) -> None:
    rows = kitchen_rows()
    steps = {row["label"]: row["id"] for row in rows["SubEvent"] if "pasta" in row["scenario"]}
    boil = next(row["id"] for row in rows["SubEvent"] if row["label"] == "boil water" and "coffee" in row["scenario"])
    for name, start, end in (
        ("ALTERNATIVE_TO", steps["set timer"], steps["taste pasta"]),
        ("CLOSE_MATCH", steps["boil water"], boil),
    ):
        statement = node_id("Statement", "", start, name, end)
        row = {"from_id": start, "to_id": end, "support": 2, "probability": 0.9, "statement": statement}
        rows[name] = [{**row, **({"similarity": 0.9} if name == "CLOSE_MATCH" else {})}]
        rows["Statement"].append({"id": statement, "subject": start, "relation": name, "object": end, "scenario": None})
    browser.problems.clear()
    browser.resize(1280, 900)
    browser.open(written(make_page(write_graph(tmp_path / "two", rows)).html, tmp_path) + "#scenario=cooking+pasta")
    assert {"set timertaste pasta", "taste pastaset timer"} <= set(texts(browser, ".columns .entries li"))
    assert "boil waterboil water in making coffee" in texts(browser, ".columns .entries li")
    browser.evaluate("document.querySelector('.other:has(.where) a').click()")
    browser.wait_for("document.querySelector('.crumbs')?.textContent === 'making coffee'")
    assert "The same step elsewhere" in texts(browser, "section > h2")
    assert browser.problems == []


def test_a_step_that_the_index_leaves_out(
    browser: Browser, kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "read_index", lambda graph, _: read_index(graph, 2))
    browser.problems.clear()
    browser.resize(1280, 900)
    browser.open(written(make_page(kitchen).html, tmp_path) + "#scenario=cooking+pasta")
    assert "warm sauce" in texts(browser, ".lanes .title")
    place = texts(browser, ".cards, .lanes .title").index("warm sauce")
    browser.evaluate(
        f"document.querySelectorAll('.lanes .box')[{place}].dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
    )
    browser.wait_for("document.querySelector('h1').textContent === 'warm sauce'")
    assert "She warmed the sauce in a pan" in texts(browser, "mark")
    assert browser.problems == []


def test_the_slider_hides_what_is_less_usual(page: Browser) -> None:
    go(page, "scenario=cooking+pasta")
    slide = "(to) => { const s = document.querySelector('#level'); s.value = to; s.dispatchEvent(new Event('input')); }"
    page.evaluate(f"({slide})(0)")
    assert sorted(texts(page, ".lanes .title")) == ["add pasta", "boil water", "drain pasta", "serve pasta"]
    assert texts(page, "output") == ["4 steps of 12 · each in 3 or more sources"]
    assert texts(page, "summary")[-2:] == ["8 less usual steps", "Ask and correct it elsewhere"]
    page.evaluate("document.querySelector('.lanes a.box').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.wait_for("document.querySelector('.passages')")
    page.evaluate("history.back()")
    page.wait_for("document.querySelector('.lanes')")
    assert len(texts(page, ".lanes .box")) == 4
    page.evaluate(f"({slide})(99)")
    assert len(texts(page, ".lanes .box")) == 12


def test_a_step(page: Browser) -> None:
    go(page, "scenario=cooking+pasta&step=drain+pasta")
    assert title(page) == "drain pasta"
    assert set(texts(page, "section > h2")) >= {"Passages", "Wordings", "Tools", "Participants", "Changes", "Order"}
    assert "I drained the pasta in a colander" in texts(page, "section > .passages mark")
    assert any("story.txt" in each and "characters" in each for each in texts(page, "section > .passages cite"))
    assert "moisture of pasta: wet → dry" in texts(page, ".change")
    assert {"colander", "strainer"} <= set(texts(page, ".parts .name"))
    page.evaluate("document.querySelector('.copies').open = true")
    rename, reject = texts(page, ".copy code")[-2:]
    assert rename == "kgscripts correct kitchen rename 'cooking pasta' 'drain pasta' 'NEW NAME'"
    assert reject == "kgscripts correct kitchen reject 'cooking pasta' 'drain pasta'"
    page.evaluate("document.querySelector('.parts .name').click()")
    page.wait_for("document.querySelector('h1').textContent === 'colander'")
    assert page.problems == []


def test_what_is_copied_runs(page: Browser, kitchen: ScriptGraph) -> None:
    for fragment in ("scenario=cooking+pasta", "scenario=cooking+pasta&step=drain+pasta"):
        go(page, fragment)
        page.evaluate("document.querySelector('.copies').open = true")
        sparql, cypher, *_ = texts(page, ".copy code")
        assert kitchen.query(sparql).rows
        assert kitchen.query(cypher=cypher).rows


def test_a_tool_and_an_entity(page: Browser) -> None:
    go(page, "tool=spoon")
    assert title(page) == "spoon"
    assert set(texts(page, ".group h3")) == {"cooking pasta", "making coffee"}
    go(page, "entity=spoon")
    assert "moisture: dry → wet" in texts(page, ".change")
    go(page, "entity=pasta")
    changes = texts(page, ".change")
    assert changes.index("location: in box → in pot") < changes.index("location: in the pot → in colander")
    assert changes.index("location: in the pot → in colander") < changes.index("location: in pan → on plate")
    assert page.problems == []


def test_an_address_of_nothing(page: Browser) -> None:
    step = "scenario=cooking+pasta&step=99"
    for fragment in ("scenario=nothing", step, "tool=", "entity=%00", "step=x", "scenario=%E0%A4%A"):
        # What is not found is not what was shown before.
        go(page, "tool=spoon")
        assert title(page) == "spoon"
        go(page, fragment)
        assert title(page) == "Not found", fragment
        assert page.problems == [], fragment


def test_a_step_without_a_scenario(page: Browser, tmp_path: Path) -> None:
    rows = kitchen_rows()
    step = next(row for row in rows["SubEvent"] if row["label"] == "drain pasta" and row["scenario"])
    rows["SubEvent"] = [{**row, "scenario": None} if row is step else row for row in rows["SubEvent"]]
    page.open(written(make_page(write_graph(tmp_path / "loose", rows)).html, tmp_path) + "#step=drain+pasta")
    assert title(page) == "drain pasta"
    assert texts(page, ".notice code") == ["kgscripts search loose 'drain pasta'"]
    assert "moisture of pasta: wet → dry" in texts(page, ".change")
    assert page.problems == []


def test_a_scenario_that_is_not_on_the_page(browser: Browser, kitchen: ScriptGraph, tmp_path: Path) -> None:
    browser.open(written(make_page(kitchen, ["making coffee"]).html, tmp_path) + "#scenario=cooking+pasta")
    assert texts(browser, ".notice code") == ["kgscripts explore kitchen --scenario 'cooking pasta'"]
    assert "drain pasta" in texts(browser, ".entries .name")
    go(browser, "scenario=cooking+pasta&step=drain+pasta")
    assert {"colander", "strainer"} <= set(texts(browser, ".entries .name"))
    assert "moisture of pasta: wet → dry" in texts(browser, ".change")
    go(browser, "")
    assert texts(browser, ".notice")[0].startswith("1 of 2 scenarios are on this page; run kgscripts explore kitchen")


def test_an_empty_graph(browser: Browser, tmp_path: Path) -> None:
    browser.problems.clear()
    browser.open(written(make_page(write_graph(tmp_path / "empty", {})).html, tmp_path))
    assert "This graph is empty" in texts(browser, ".empty")[0]
    go(browser, "map")
    assert "nothing to draw" in texts(browser, ".empty")[0]
    assert browser.problems == []


def test_on_paper_the_script_is_a_list(page: Browser) -> None:
    go(page, "scenario=cooking+pasta")
    page.resize(800, 1100, media="print")
    assert "drain pasta" in texts(page, ".cards .name")
    assert not texts(page, "header")
    page.resize(1280, 900)
