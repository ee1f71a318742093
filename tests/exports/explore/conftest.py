"""A browser and pages that the tests of the page share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.browser import Browser, find_chromium
from exports.explore.page import explore_page
from schemas.script_graph import ScriptGraph
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
    return written(explore_page(kitchen), tmp_path_factory.mktemp("page"))


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
