"""The text around passages on the page: that it is the one of the documents, what it costs, and how it is shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exports.views.explore.document import packed_block
from exports.views.explore.page import make_page
from exports.views.explore.scripts import Places, _shared, places_of
from kgscripts import ScriptGraph
from kgscripts.analysis.contexts import context_of, read_contexts
from tests.analysis.told import told_kitchen
from tests.browser import Browser
from tests.exports.explore.conftest import go, texts, title, written
from tests.exports.explore.test_browser import AXE, HOSTILE
from tests.exports.explore.test_page import Scripts

SENTENCES = st.sampled_from(
    ["Boil it. ", "Add salt to the water, as we do.\n", "🍝 é. ", "word " * 30, "x" * 120, "。"]
)
SPANS = st.tuples(st.sampled_from("ab"), st.integers(0, 1), st.integers(0, 400), st.integers(1, 90))
"""The name of a source, which of two documents it is, first character and length."""


def shown(data: dict[str, Any], number: int, start: int, text: str) -> tuple[str, str]:
    """What the page shows before and after a passage."""
    piece, first, last = data["passages"][number]
    begin, whole = data["texts"][piece]
    assert whole[start - begin : start - begin + len(text)] == text
    return whole[first - begin : start - begin], whole[start + len(text) - begin : last - begin]


@given(st.lists(SPANS, max_size=20), st.lists(SENTENCES, min_size=1, max_size=30))
def test_pieces_that_passages_share_give_each_its_context(spans: Sequence[Any], sentences: Sequence[str]) -> None:
    """Passages of two names, each of two different documents."""
    documents = ["".join(sentences), "".join(reversed(sentences))]
    found, places = {}, []
    for name, which, start, length in spans:
        text = documents[which][start : start + length]
        if text and (name, start, text) not in found:
            places.append((name, start, text))
            found[places[-1]] = context_of(documents[which], start, start + len(text))
    data = _shared([*places, ("c", 0, "nowhere")], found)
    if not places:
        assert data is None
        return
    assert data is not None
    assert data["passages"][-1] is None
    for number, place in enumerate(places):
        assert shown(data, number, *place[1:]) == (found[place].before, found[place].after)
    assert len({source for source, _, _ in places}) <= len(data["texts"]) <= len(places)


def test_the_page_has_the_text_around_its_passages(told: ScriptGraph) -> None:
    data = Scripts(make_page(told).html).data
    for scenario in (0, 1):
        places: Places = places_of(data[f"script-{scenario}"])
        found = read_contexts(told, places)
        assert len(found) == len(places) > 5
        for number, place in enumerate(places):
            assert shown(data[f"contexts-{scenario}"], number, *place[1:]) == (found[place].before, found[place].after)
    size = len(json.dumps(data["contexts-0"]["texts"]))
    assert size < sum(len(each.before) + len(each.after) for each in found.values())


def test_a_graph_without_records_has_none(kitchen: ScriptGraph) -> None:
    assert not [name for name in Scripts(make_page(kitchen).html).data if name.startswith("contexts")]


def test_contexts_are_given_up_before_scripts(told: ScriptGraph) -> None:
    whole = make_page(told).html
    blocks = {name: len(packed_block(name, content).encode()) + 1 for name, content in Scripts(whole).data.items()}
    size = len(whole.encode())
    for room, expected in (
        (size, ["contexts-0", "contexts-1"]),
        (size - 1, ["contexts-0"]),
        (size - blocks["contexts-1"], ["contexts-0"]),
        (size - blocks["contexts-1"] - 1, ["contexts-1"]),
        (size - blocks["contexts-0"] - blocks["contexts-1"], []),
    ):
        page = make_page(told, max_bytes=room)
        assert len(page.html.encode()) <= room
        assert page.scripts == 2
        assert [name for name in Scripts(page.html).data if name.startswith("contexts")] == expected


def test_a_passage_is_shown_in_its_text(browser: Browser, told: ScriptGraph, tmp_path: Path) -> None:
    browser.problems.clear()
    browser.resize(1280, 900)
    browser.open(written(make_page(told).html, tmp_path) + "#scenario=cooking+pasta&step=drain+pasta")
    story = next(each for each in texts(browser, "section > .passages li") if "story.txt" in each)
    assert "She warmed the sauce in a pan. I drained the pasta in a colander. Then I poured the sauce" in story
    assert story.endswith("story.txtcharacters 137 to 171")
    assert texts(browser, "section > .passages .context")[0].startswith("Fill a large pot with water. Boil")
    assert {"I drained the pasta in a colander"} <= set(texts(browser, "section > .passages mark"))
    assert browser.problems == []


@pytest.mark.parametrize(("width", "dark"), [(1280, True), (360, False)])
def test_it_is_accessible_and_fits(browser: Browser, told: ScriptGraph, tmp_path: Path, width: int, dark: bool) -> None:
    browser.resize(width, 900, dark=dark)
    browser.open(written(make_page(told).html, tmp_path) + "#scenario=cooking+pasta&step=drain+pasta")
    browser.evaluate(f"{AXE.read_text(encoding='utf-8')};0")
    browser.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert not browser.evaluate("axe.run().then((found) => found.violations.map((each) => each.nodes[0].html))")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_in_the_text_around_runs(browser: Browser, tmp_path: Path) -> None:
    graph = told_kitchen(tmp_path / "hostile", " " + "\n".join(HOSTILE))
    browser.problems.clear()
    browser.resize(1280, 900)
    browser.open(written(make_page(graph).html, tmp_path) + "#scenario=cooking+pasta")
    go(browser, "scenario=cooking+pasta&step=serve+pasta")
    around = " ".join(texts(browser, ".context"))
    assert "<img src=x onerror=" in around
    assert "\\u202eright to left" in around
    assert title(browser) == "serve pasta"
    assert browser.evaluate("document.title").startswith("serve pasta")
    assert browser.evaluate("document.querySelectorAll('main img, main script').length") == 0
    assert browser.problems == []
