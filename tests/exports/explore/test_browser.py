"""The page in a browser: search, hostile texts, a large map, and all widths."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from exports.views.explore import page as pages
from exports.views.explore.page import make_page
from kgscripts import ScriptGraph
from tests.browser import Browser
from tests.exports.explore.conftest import go, search, texts, title, written
from tests.graphs import odd_graph, odd_rows, write_graph

AXE = Path(__file__).parents[2] / "data" / "axe-core-4.14.1" / "axe.min.js"
HOSTILE = (
    "<img src=x onerror=\"document.title='run'\">",
    "</script><script>document.title='run'</script>",
    "<!--<script>",
    '"onmouseover="document.title=\'run\'"',
    "javascript:document.title='run'",
    "'; rm -rf / #",
    "\u202eright to left\u202c \x1b[31m",
    "__proto__",
    "&lt;b&gt; %3Cscript%3E &scenario=x#map",
    "-rf",
)


def test_it_begins_with_the_index_of_all(page: Browser, kitchen_page: str) -> None:
    assert texts(page, ".tabs a") == ["All", "Scenarios", "Steps", "Tools", "Entities"]
    names = texts(page, ".entries .name")
    assert names[:2] == ["cooking pasta", "making coffee"]
    assert {"drain pasta", "colander", "cousin"} <= set(names)
    assert page.evaluate("document.title") == "kitchen"
    assert page.requests == ["about:blank", kitchen_page] or page.requests == [kitchen_page]
    assert page.problems == []


def test_searching_by_the_keyboard(page: Browser) -> None:
    page.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.write("past dra")
    assert texts(page, ".entries .name") == ["drain pasta"]
    assert page.evaluate("location.hash") == "#search=past+dra"
    page.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "drain pasta"
    page.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "search"
    page.press("Enter")
    page.wait_for("document.querySelector('h1').textContent === 'drain pasta'")
    page.evaluate("history.back()")
    page.wait_for("document.querySelector('.status')?.textContent === '1 found'")
    assert page.evaluate("document.querySelector('#search').value") == "past dra"
    assert page.problems == []


def test_what_a_search_finds(page: Browser) -> None:
    for words, first in (
        ("spaghetti", "cooking pasta"),
        ("COOK", "cooking pasta"),
        ("coff", "making coffee"),
        ("cólander", "colander"),
        ("<b>", "boil water"),
        (". * [ \\", "cooking pasta"),
    ):
        search(page, words)
        assert texts(page, ".entries .name")[:1] == [first], words
    search(page, "zzz")
    assert not texts(page, ".entries .name")
    assert "Nothing has these words" in texts(page, ".empty")[0]


def test_the_map(page: Browser) -> None:
    go(page, "map")
    page.wait_for("document.querySelector('.stage canvas')")
    assert page.evaluate("document.querySelector('.stage').getAttribute('aria-label')") == "Map of 4 nodes and 4 links"
    page.evaluate("document.querySelectorAll('.filters input').forEach((each) => each.click())")
    go(page, "scenario=making+coffee")
    assert page.evaluate("document.querySelector('canvas')") is None
    assert page.problems == []


def point_of(page: Browser, number: int) -> dict[str, float]:
    """Where a node of the map is in the window; sigma draws maps with about the shape of their stage larger."""
    data, stage = page.evaluate(
        "[JSON.parse(document.querySelector('#map').textContent), document.querySelector('.stage')"
        ".getBoundingClientRect().toJSON()]"
    )
    spans = {axis: (min(data[axis]), max(data[axis])) for axis in "xy"}
    width, height = (high - low for low, high in spans.values())
    scale = (min(stage["width"], stage["height"]) - 120) / max(width, height)
    if (width > height) == (stage["width"] > stage["height"]):
        ratios = (width / height, stage["width"] / stage["height"])
        scale *= min(max(ratio, 1 / ratio) for ratio in ratios)
    across, up = ((data[axis][number] - sum(spans[axis]) / 2) * scale for axis in "xy")
    return {"x": stage["x"] + stage["width"] / 2 + across, "y": stage["y"] + stage["height"] / 2 - up}


def test_pointing_and_clicking_on_the_map(page: Browser) -> None:
    go(page, "map")
    page.wait_for("document.querySelector('.stage canvas')")
    names = page.evaluate("JSON.parse(document.querySelector('#map').textContent).label")
    for name, lead in (("boil water", "action of 2 scenarios"), ("making coffee", "2 sources")):
        place = point_of(page, names.index(name))
        page.send("Input.dispatchMouseEvent", type="mouseMoved", **place)
        page.wait_for(f"document.querySelector('.panel h2')?.textContent === {name!r}")
        assert texts(page, ".panel .lead") == [lead]
    assert {"boil water", "spoon"} == set(texts(page, ".panel li"))
    for kind in ("mousePressed", "mouseReleased"):
        page.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
    page.wait_for("document.querySelector('h1').textContent === 'making coffee'")
    assert page.problems == []


@pytest.mark.parametrize("hostile", [False, True])
def test_nothing_in_texts_runs_or_is_loaded(browser: Browser, tmp_path: Path, hostile: bool) -> None:
    """Every view of a graph with texts that break careless pages."""
    if hostile:
        rows = odd_rows()
        for table in rows.values():
            for i, row in enumerate(table):
                row |= {
                    name: HOSTILE[i % len(HOSTILE)] for name in row.keys() & {"label", "label_text", "name", "text"}
                }
        graph = write_graph(tmp_path / "</title><script>alert(1)<", rows)
    else:
        graph = odd_graph(tmp_path / "odd")
    address = written(make_page(graph).html, tmp_path)
    browser.requests.clear()
    browser.problems.clear()
    browser.open(address)
    links = browser.evaluate("[...new Set([...document.querySelectorAll('main a')].map((each) => each.hash))]")
    assert len(links) > 30
    for _ in range(2):
        further: set[str] = set()
        for link in links:
            go(browser, f"{link}")
            further |= set(browser.evaluate("[...document.querySelectorAll('main a')].map((each) => each.hash ?? '')"))
            assert title(browser) != "Not found", link
            assert browser.evaluate("document.querySelectorAll('main script, main img, main iframe').length") == 0
            hrefs = browser.evaluate("[...document.querySelectorAll('a')].map((each) => each.getAttribute('href'))")
            assert all(href.startswith("#") for href in hrefs)
        links = sorted(further - set(links) - {""})[:20]
    assert browser.evaluate("document.title") != "run"
    assert {each for each in browser.requests if not each.startswith("data:")} <= {"about:blank", address}
    assert browser.problems == []


def test_50_000_nodes_are_drawn(
    browser: Browser, kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, edges = 50_000, 100_000
    angles = [number * 2.4 for number in range(nodes)]
    large: dict[str, Any] = {
        "kind": [0, 0, *[number % 2 + 1 for number in range(nodes - 2)]],
        "to": [0, 1, *[0 if number % 2 == 0 else -1 for number in range(nodes - 2)]],
        "label": [f"node {number}" for number in range(nodes)],
        "support": [number % 40 + 1 for number in range(nodes)],
        "x": [math.sqrt(number) * math.cos(angle) for number, angle in enumerate(angles)],
        "y": [math.sqrt(number) * math.sin(angle) for number, angle in enumerate(angles)],
        "starts": [number % nodes for number in range(edges)],
        "ends": [(number * 7 + 1 + number // nodes) % nodes for number in range(edges)],
        "left_out": 12,
    }
    monkeypatch.setattr(pages, "read_map", lambda *_: large)
    browser.resize(1280, 900)
    browser.problems.clear()
    browser.open(written(make_page(kitchen).html, tmp_path) + "#map")
    browser.wait_for("document.querySelector('.stage canvas')")
    assert texts(browser, ".lead")[0].endswith("12 of few links are left out.")
    assert browser.evaluate("document.querySelector('.stage').getAttribute('aria-label')").startswith("Map of 50,000 ")
    taken = tmp_path / "map.png"
    browser.picture(taken)
    assert taken.stat().st_size > 50_000, "points are drawn"
    assert browser.problems == []


def test_it_is_accessible(page: Browser) -> None:
    page.evaluate(f"{AXE.read_text(encoding='utf-8')};0")
    views = ["", "search=pasta", "scenario=cooking+pasta", "scenario=cooking+pasta&step=drain+pasta", "tool=pot", "map"]
    for (width, dark), view in product([(1280, False), (1280, True), (360, False)], views):
        page.resize(width, 900, dark=dark)
        go(page, view)
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        found = page.evaluate(
            "axe.run().then((result) => result.violations.map((each) => [each.impact, each.id, each.nodes[0].html]))"
        )
        assert not found, (view, width, dark)


def test_nothing_is_wider_than_the_window(page: Browser) -> None:
    step = "scenario=cooking+pasta&step=drain+pasta"
    for width in (360, 768, 1280, 2560):
        page.resize(width, 900)
        for view in ("kind=steps", "scenario=cooking+pasta", step, "entity=water", "map"):
            go(page, view)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (view, width)
