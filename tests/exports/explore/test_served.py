"""The page that a server gives: which server it asks, and what it finds there by meaning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp

from exports.views.explore.page import make_page
from kgscripts import ScriptGraph
from tests.browser import Browser
from tests.exports.explore.between import Between, between_servers
from tests.exports.explore.conftest import go, near, search, texts, title
from tests.exports.explore.test_browser import AXE, HOSTILE
from tests.exports.explore.test_page import Scripts
from tests.exports.kitchen import kitchen_rows
from tests.graphs import write_graph


def test_a_page_says_which_server_it_asks(told: ScriptGraph) -> None:
    server = {"at": "/g/kitchen", "edit": True}
    made = make_page(told, server=server)
    found = Scripts(made.html)
    assert found.data["server"] == server
    assert found.policy == made.policy
    assert "connect-src 'self';" in made.policy
    assert [len(found.data["index"][kind]["id"]) for kind in ("scenarios", "steps")] == [2, 16]
    assert make_page(told, server=server).html == made.html
    file = Scripts(make_page(told).html)
    assert "server" not in file.data
    assert "connect-src 'none';" in file.policy
    assert "id" not in file.data["index"]["steps"]


def test_what_is_near_in_meaning_comes_behind_what_has_the_words(asking: Browser) -> None:
    search(asking, "dry the noodles")
    assert "drain pasta" in near(asking)
    assert texts(asking, ".entries .name") == near(asking)
    assert texts(asking, ".near .where")[0] == "cooking pasta"
    assert texts(asking, ".near .numbers")[0] == "step by meaning · 3 sources"
    assert texts(asking, ".near .status")[0].endswith("more found")
    search(asking, "drain")
    assert "drain pasta" not in near(asking)
    assert texts(asking, ".entries .name")[0] == "drain pasta"
    asking.press("ArrowDown")
    asking.press("ArrowDown")
    assert asking.evaluate("document.activeElement.closest('.near') !== null")
    go(asking, "search=drain&kind=tools")
    assert "colander" in near(asking)
    assert all(each.startswith("tool by meaning") for each in texts(asking, ".near .numbers"))
    go(asking, "search=drain&kind=entities")
    assert not texts(asking, ".near")
    assert asking.problems == []


def test_the_latest_question_wins(asking: Browser, between: Between) -> None:
    between.held = "question=coffee+p"
    search(asking, "coffee p")
    while not between.queries:
        asking.evaluate("0")
    search(asking, "strain")
    assert "colander" in near(asking)
    between.held = ""
    asking.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert "colander" in near(asking)
    assert len(texts(asking, ".near")) == 1
    assert asking.problems == []


def test_leaving_the_search_ends_it(asking: Browser, between: Between) -> None:
    between.held = "question"
    search(asking, "strain")
    while not between.queries:
        asking.evaluate("0")
    go(asking, "tool=pot")
    between.held = ""
    asking.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert title(asking) == "pot"
    assert asking.problems == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (PlainTextResponse("too many\nrequests wait\n", 503), "too many requests wait"),
        (HTMLResponse("<h1>Bad gateway</h1>", 502), "The server answers with the status 502."),
        (PlainTextResponse(HOSTILE[0], 400), HOSTILE[0]),
    ],
)
def test_what_goes_wrong_is_said_in_one_line(asking: Browser, between: Between, answer: ASGIApp, said: str) -> None:
    between.answer = answer
    search(asking, "drain")
    assert near(asking) == []
    assert texts(asking, ".near .status") == [said]
    assert texts(asking, ".entries .name")[0] == "drain pasta"
    go(asking, "scenario=cooking+pasta")
    asking.wait_for("document.querySelector('.notice button')")
    assert texts(asking, ".notice p") == [said]
    between.answer = None
    asking.evaluate("document.querySelector('.notice button').click()")
    asking.wait_for("document.querySelector('.lanes')")
    assert title(asking) == "cooking pasta"


def test_a_server_that_is_gone(browser: Browser, told: ScriptGraph) -> None:
    with between_servers([told.directory]) as server:
        browser.open(server.address)
    search(browser, "drain")
    assert near(browser) == []
    assert texts(browser, ".near .status") == ["The server does not answer."]


def test_one_of_several_graphs(browser: Browser, told: ScriptGraph, tmp_path: Path) -> None:
    other = write_graph(tmp_path / "other", kitchen_rows())
    with between_servers([told.directory, other.directory]) as server:
        browser.problems.clear()
        browser.open(f"{server.address}g/other/")
        search(browser, "dry the noodles")
        assert "drain pasta" in near(browser)
    assert server.queries == ["/g/other/api/search?question=dry+the+noodles&limit=5"]
    assert browser.problems == []


def test_texts_of_the_server_run_nothing(browser: Browser, tmp_path: Path) -> None:
    rows = kitchen_rows()
    for i, row in enumerate(rows["SubEvent"]):
        row["label_text"] = f"{HOSTILE[i % len(HOSTILE)]} {i}"
    graph = write_graph(tmp_path / "hostile", rows)
    with between_servers([graph.directory]) as server:
        browser.open(server.address)
        browser.problems.clear()
        for question in ("water", HOSTILE[0]):
            search(browser, question)
            assert any("onerror" in each for each in near(browser) + texts(browser, ".entries .name"))
    assert browser.evaluate("document.querySelectorAll('main img, main script').length") == 0
    assert browser.evaluate("document.title") != "run"
    assert browser.problems == []


def test_the_page_asks_no_other_server(asking: Browser, between: Between) -> None:
    other = between.address.replace("127.0.0.1", "localhost")
    for address, answered in ((between.address, True), (other, False)):
        assert asking.evaluate(f"fetch({json.dumps(address)}).then(() => true, () => false)") is answered
    assert any("Content Security Policy" in each for each in asking.problems)


def test_it_is_accessible(asking: Browser, between: Between) -> None:
    asking.evaluate(f"{AXE.read_text(encoding='utf-8')};0")

    def check_in_all_sizes() -> None:
        for width, dark in ((1280, True), (360, False), (1280, False)):
            asking.resize(width, 900, dark=dark)
            found = "axe.run().then((found) => found.violations.map((each) => each.nodes[0].html))"
            assert asking.evaluate(found) == [], (width, dark)
            assert asking.evaluate("document.documentElement.scrollWidth") <= width

    search(asking, "dry the noodles")
    assert near(asking)
    check_in_all_sizes()
    assert texts(asking, "[role=status]")[0] == "0 found"
    between.answer = PlainTextResponse("no\n", 503)
    go(asking, "scenario=cooking+pasta")
    asking.wait_for("document.querySelector('.notice button')")
    check_in_all_sizes()
