"""A browser and pages that the tests of the page share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from exports.views.explore.page import make_page
from kgscripts import ScriptGraph
from tests.analysis.told import told_kitchen
from tests.browser import Browser, find_chromium
from tests.exports.explore.between import Between, between_servers
from tests.exports.explore.correctable import correctable_graph
from tests.exports.kitchen import kitchen_graph


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; tests with it are skipped where there is none."""
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("no Chromium: set CHROME_BIN or install Debian's package chromium")
    with Browser(chromium) as found:
        yield found


@pytest.fixture(scope="session")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("explored") / "kitchen")


@pytest.fixture(scope="session")
def kitchen_page(kitchen: ScriptGraph, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page of the kitchen."""
    return written(make_page(kitchen).html, tmp_path_factory.mktemp("page"))


def written(page: str, folder: Path) -> str:
    """Write a page to a file and return its address."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    return file.as_uri()


def texts(browser: Browser, selector: str) -> list[str]:
    found: list[str] = browser.evaluate(
        f"[...document.querySelectorAll({selector!r})].filter((each) => each.checkVisibility())"
        ".map((each) => each.textContent)"
    )
    return found


def title(browser: Browser) -> str:
    return str(browser.evaluate("document.querySelector('h1').textContent"))


@pytest.fixture
def page(browser: Browser, kitchen_page: str) -> Browser:
    """The browser with the page of the kitchen, 1,280 pixels wide; nothing may go wrong in it or leave it."""
    browser.resize(1280, 900)
    browser.requests.clear()
    browser.problems.clear()
    browser.open(kitchen_page)
    return browser


def go(page: Browser, fragment: str) -> None:
    """Follow a link to another view."""
    page.evaluate(
        "new Promise((done) => { addEventListener('hashchange', done); const before = location.hash;"
        f" location.hash = {json.dumps(fragment)}; if (location.hash === before) done(); }}).then(() => null)"
    )


@pytest.fixture(scope="session")
def correctable(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    """A graph with records, so that it can be corrected."""
    return correctable_graph(tmp_path_factory.mktemp("correctable") / "graph")


@pytest.fixture(scope="session")
def correctable_page(correctable: ScriptGraph, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of its page."""
    return written(make_page(correctable).html, tmp_path_factory.mktemp("page"))


@pytest.fixture
def tab(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The browser, whose downloads go to `tmp_path`. Its corrections are taken back at the end."""
    browser.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.resize(1280, 900)
    browser.problems.clear()
    yield browser
    # With corrections that are not downloaded, a page asks before it is left.
    browser.evaluate(
        "if (document.querySelector('aside').hidden) document.querySelector('.opener').click();"
        "[...document.querySelectorAll('.buttons button')].at(-1)?.click(); localStorage.clear()"
    )


@pytest.fixture
def pasta(tab: Browser, correctable_page: str) -> Browser:
    """The browser with the page of `correctable`, 1,280 pixels wide."""
    tab.open(correctable_page)
    return tab


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    """The kitchen with its texts in the records."""
    return told_kitchen(tmp_path_factory.mktemp("told") / "kitchen")


@pytest.fixture(scope="module")
def between(told: ScriptGraph) -> Iterator[Between]:
    """A server of the kitchen; its page has the script of making coffee only."""
    with between_servers([told.directory], ["making coffee"]) as app:
        yield app


@pytest.fixture
def asking(browser: Browser, between: Between) -> Browser:
    """The browser with the page of the server."""
    between.held, between.answer = "", None
    between.queries.clear()
    browser.resize(1280, 900)
    browser.open(between.address)
    browser.problems.clear()
    return browser


def search(page: Browser, words: str) -> None:
    """Type a question."""
    page.evaluate("document.querySelector('#search').select(); document.querySelector('#search').focus()")
    page.write(words)


def near(page: Browser) -> list[str]:
    """What the server found for the question, when it has answered."""
    page.wait_for("!/^Searching/.test(document.querySelector('.near .status')?.textContent ?? 'Searching')")
    return texts(page, ".near .name")
