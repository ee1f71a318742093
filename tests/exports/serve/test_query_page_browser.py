"""The page at `/query` in a browser: answers, errors, links, hostile texts, and all widths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from exports.serve.app import application
from exports.serve.pages import examples
from kgscripts import ScriptGraph
from tests.browser import Browser, find_chromium
from tests.exports.explore.test_browser import AXE, HOSTILE
from tests.exports.serve.conftest import in_thread
from tests.exports.serve.test_query_page import LANGUAGES, ask, hostile_graph
from tests.graphs import odd_graph

_RAN = "!['', 'Asking …'].includes(document.querySelector('.status').textContent) || document.querySelector('.problem')"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; tests with it are skipped where there is none."""
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("no Chromium: set CHROME_BIN or install Debian's package chromium")
    with Browser(chromium) as found:
        yield found


@contextmanager
def serving(*graphs: ScriptGraph) -> Iterator[str]:
    """The address of a server of some graphs."""
    with in_thread(application([graph.directory for graph in graphs])) as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="module")
def address(kitchen: ScriptGraph) -> Iterator[str]:
    with serving(kitchen) as server:
        yield f"{server}/query"


@pytest.fixture
def page(browser: Browser, address: str) -> Browser:
    """The browser with the page of the kitchen, 1,280 pixels wide."""
    return opened(browser, address)


def opened(browser: Browser, address: str, width: int = 1280, dark: bool = False) -> Browser:
    browser.resize(width, 900, dark=dark)
    browser.requests.clear()
    browser.problems.clear()
    browser.open(address)
    return browser


def run(page: Browser, text: str, language: str = "sparql") -> str:
    """Ask a query, and return what the page says of the answer."""
    fill(page, text, language)
    page.evaluate("document.querySelector('.run').click()")
    page.wait_for(_RAN)
    return str(page.evaluate("(document.querySelector('.problem') ?? document.querySelector('.status')).textContent"))


def fill(page: Browser, text: str, language: str = "sparql") -> None:
    page.evaluate(f"document.querySelectorAll('.languages button')[{LANGUAGES.index(language)}].click()")
    field = "document.querySelector('.CodeMirror').CodeMirror" if language == "sparql" else "null"
    code = json.dumps(text)
    page.evaluate(
        f"{field} ? {field}.setValue({code}) : document.querySelector('.editor textarea:not([style])').value = {code}"
    )


def written(page: Browser, language: str = "sparql") -> str:
    if language == "sparql":
        return str(page.evaluate("document.querySelector('.CodeMirror').CodeMirror.getValue()"))
    return str(page.evaluate("document.querySelector('textarea[aria-label=\"Query in Cypher\"]').value"))


def cells(page: Browser) -> list[list[str]]:
    found: list[list[str]] = page.evaluate(
        "[...document.querySelectorAll('.table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return found


def press(page: Browser, key: str, code: int, modifiers: int = 0) -> None:
    for kind in ("keyDown", "keyUp"):
        page.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=modifiers)


def barriers(page: Browser) -> list[Any]:
    page.evaluate(f"{AXE.read_text(encoding='utf-8')};0")
    found: list[Any] = page.evaluate(
        "axe.run().then((result) => result.violations.map((each) => [each.impact, each.id, each.nodes[0].html]))"
    )
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_has_what_the_example_finds(page: Browser, kitchen: ScriptGraph, language: str) -> None:
    page.evaluate(f"document.querySelectorAll('.languages button')[{LANGUAGES.index(language)}].click()")
    base = kitchen.manifest.base_iri
    for number, (title, text) in enumerate(examples(kitchen, language)):
        page.evaluate(
            f"{{ const menu = document.querySelector('#examples'); menu.value = {number};"
            "menu.dispatchEvent(new Event('change')); document.querySelector('.run').click(); }"
        )
        page.wait_for(_RAN)
        assert written(page, language).strip() == text
        expected = ask(kitchen, language, text)
        assert page.evaluate("document.querySelector('.problem')?.textContent ?? ''") == "", title
        shown = [[_comparable(cell, base) for cell in row] for row in cells(page)]
        assert shown == [[_comparable(cell, base) for cell in row] for row in expected.rows], title
    assert page.evaluate("document.querySelectorAll('.parseErrorIcon').length") == 0
    assert page.problems == []
    assert {each.partition("#")[0] for each in page.requests if not each.startswith(("data:", "about:"))} <= {
        page.evaluate("location.href").partition("#")[0],
        page.evaluate("location.origin") + f"/{language}",
    }


def _comparable(value: object, base: str) -> object:
    """A value as the page shows it; of numbers what they are, since each side writes them in its own way."""
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    try:
        return round(float(text), 9)
    except ValueError:
        return f"data:{text.removeprefix(base)}" if text.startswith(base) else text


def test_a_node_is_a_link_to_its_data(page: Browser) -> None:
    about = run(page, "SELECT ?tool ?type { ?tool rdfs:label 'colander'@en ; a ?type FILTER (?type = kgs:Tool) }")
    assert about == "1 row."
    ((tool, kind),) = cells(page)
    assert tool.startswith("data:tool/colander-")
    assert kind == "kgs:Tool"
    (link,) = page.evaluate("[...document.querySelectorAll('.table a')].map((each) => each.href)")
    assert link.startswith(page.evaluate("location.origin") + "/data/tool/colander-")
    triples = page.evaluate(f"fetch({link!r}, {{headers: {{Accept: 'text/turtle'}}}}).then((found) => found.text())")
    assert '"colander"@en' in triples


def test_iris_that_no_node_has_are_no_links(page: Browser) -> None:
    iris = ["javascript:alert(1)", "https://example.org/", "data:text/html,x", "//example.org"]
    assert run(page, f"SELECT ?x {{ VALUES ?text {{ {' '.join(map(json.dumps, iris))} }} BIND (IRI(?text) AS ?x) }}")
    assert [cell for (cell,) in cells(page)][:3] == iris[:3]
    assert page.evaluate("document.querySelectorAll('.table a').length") == 0


def test_links_do_not_leave_the_server(page: Browser, kitchen: ScriptGraph) -> None:
    ends = ["../../../x", "/example.org/", "%2e%2e/%2e%2e/x", "?x#y", "tool/ü %", "%E0%A4%A"]
    given = json.dumps([kitchen.manifest.base_iri + end for end in ends], ensure_ascii=False)
    assert run(page, f"UNWIND {given} AS x RETURN x", "cypher") == "6 rows."
    origins = page.evaluate("[...document.querySelectorAll('.table a')].map((each) => each.origin)")
    assert origins == [page.evaluate("location.origin")] * 6


def test_answers_that_are_no_table(page: Browser) -> None:
    assert run(page, "ASK { ?s a kgs:Tool }") == "Yes."
    assert run(page, "ASK { ?s a kgs:Nothing }") == "No."
    assert run(page, "SELECT ?s { ?s a kgs:Nothing }") == "Nothing was found."
    assert run(page, "DESCRIBE ?tool { ?tool rdfs:label 'colander'@en }") == "Triples in Turtle."
    assert '"colander"@en' in page.evaluate("document.querySelector('pre[aria-label=Triples]').textContent")
    assert barriers(page) == []
    values = 'NULL AS nothing, ["a", "b"] AS texts, [1, 2] AS numbers, {a: 1} AS map, true AS truth, 1.5 AS number'
    assert run(page, f"RETURN {values}", "cypher") == "1 row."
    assert cells(page) == [["", "a, b", "[1,2]", '{"a":1}', "true", "1.5"]]
    assert page.problems == []


def test_of_many_rows_some_are_shown_at_first(page: Browser) -> None:
    assert run(page, "UNWIND range(1, 1234) AS n RETURN n", "cypher") == "1,234 rows."
    for shown, more in ((500, "Show 500 more"), (1_000, "Show 234 more"), (1_234, None)):
        assert [cell for (cell,) in cells(page)] == [str(number) for number in range(1, shown + 1)]
        button = page.evaluate(
            "[...document.querySelectorAll('main button')].find((each) => each.textContent.startsWith('Show') &&"
            " each.checkVisibility())?.textContent ?? null"
        )
        assert button == more
        page.evaluate("document.querySelector('.table + button').click()")


def test_what_the_server_refuses_is_said(page: Browser) -> None:
    for language, text, error in (
        ("sparql", "SELECT ?s {\n  ?s ?p\n}", "line 3, column 2: "),
        ("sparql", "DELETE WHERE { ?s ?p ?o }", "only read"),
        ("sparql", "", ""),
        ("cypher", "MATCH (n RETURN n", "line 1"),
        ("cypher", "CREATE (n:Tool)", "CREATE"),
    ):
        said = run(page, text, language)
        assert error in said
        assert page.evaluate("document.querySelector('.problem').getAttribute('role')") == "alert", text
        assert cells(page) == [], text
        assert barriers(page) == [], text


def test_a_server_that_has_ended_is_said(browser: Browser, kitchen: ScriptGraph) -> None:
    with serving(kitchen) as server:
        opened(browser, f"{server}/query")
    assert run(browser, "ASK {}") == "The server cannot be reached."


def test_an_answer_that_comes_late_is_not_shown(page: Browser) -> None:
    page.evaluate(
        "{ const real = fetch; let number = 0; const held = new Promise((done) => { window.release = done; });"
        "window.fetch = async (address, { signal, ...request }) => {"
        " const mine = number++; const answer = await real(address, request); if (mine === 0) await held;"
        " return answer; }; }"
    )
    fill(page, "SELECT (1 AS ?x) {}")
    page.evaluate("document.querySelector('.run').click()")
    assert run(page, "ASK {}") == "Yes."
    page.evaluate("release(); new Promise((done) => setTimeout(done, 300)).then(() => null)")
    assert page.evaluate("document.querySelector('.status').textContent") == "Yes."
    assert cells(page) == []


@pytest.mark.parametrize(("language", "text"), [("sparql", "SELECT (2 AS ?x) {}"), ("cypher", "RETURN 2 AS x")])
def test_a_query_has_an_address_and_is_asked_by_the_keyboard(
    page: Browser, address: str, language: str, text: str
) -> None:
    fill(page, text, language)
    page.evaluate("document.querySelector('.table')?.remove()")
    press(page, "Enter", 13, modifiers=2)
    page.wait_for(_RAN)
    assert cells(page) == [["2"]]
    shared = page.evaluate("location.href")
    assert shared.startswith(f"{address}#{'query' if language == 'sparql' else 'cypher'}=")
    opened(page, shared)
    assert written(page, language) == text
    assert page.evaluate(
        f"document.querySelectorAll('.languages button')[{LANGUAGES.index(language)}].ariaPressed"
    ) == ("true")
    assert [each for each in page.requests if each.endswith(("/sparql", "/cypher"))] == [], "it is not run"
    opened(page, f"{address}#{'query' if language == 'sparql' else 'cypher'}={quote(text)}")
    assert written(page, language) == text


def test_going_back_shows_the_query_before(page: Browser) -> None:
    for text in ("ASK {}", "SELECT (1 AS ?x) {}"):
        run(page, text)
    page.evaluate("history.back()")
    page.wait_for("document.querySelector('.CodeMirror').CodeMirror.getValue() === 'ASK {}'")


def test_the_editor_completes_names_of_the_graph_and_asks_nobody(page: Browser) -> None:
    fill(page, "SELECT ?s { ?s ")
    page.evaluate("document.querySelector('.CodeMirror').CodeMirror.execCommand('goDocEnd')")
    for letter in "kgs:us":
        page.write(letter)
    page.wait_for("document.querySelectorAll('.CodeMirror-hint').length === 3")
    hints = page.evaluate("[...document.querySelectorAll('.CodeMirror-hint')].map((each) => each.textContent)")
    assert hints == ["kgs:used", "kgs:uses", "kgs:usual"]
    assert barriers(page) == []
    press(page, "ArrowDown", 40)
    page.press("Enter")
    assert written(page) == "SELECT ?s { ?s kgs:uses"
    for letter in " ?tool ; rdf:ty":
        page.write(letter)
    press(page, "Escape", 27)
    press(page, " ", 32, modifiers=2)
    page.wait_for("document.querySelector('.CodeMirror-hint')?.textContent === 'rdf:type'")
    assert page.problems == []
    assert {each for each in page.requests if not each.startswith(("data:", "about:"))} == {
        page.evaluate("location.href")
    }


def test_tab_leaves_the_editor(page: Browser) -> None:
    page.evaluate("document.querySelector('.CodeMirror').CodeMirror.focus()")
    page.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"


def test_nothing_in_texts_runs_or_is_loaded(browser: Browser, tmp_path: Path) -> None:
    with serving(hostile_graph(tmp_path)) as server:
        opened(browser, f"{server}/query#query={quote(HOSTILE[0] + HOSTILE[1])}")
        assert written(browser) == HOSTILE[0] + HOSTILE[1]
        queries = [
            ("sparql", "SELECT ?s ?label { ?s rdfs:label|kgs:name|kgs:text|dcterms:title|schema:url ?label }"),
            ("sparql", "DESCRIBE ?s { ?s a kgs:Tool }"),
            ("sparql", f"SELECT ({json.dumps(HOSTILE[0])} AS ?__proto__) {{}}"),
            ("sparql", HOSTILE[0]),
            ("cypher", "MATCH (n) RETURN n.iri, n.label, n.name, n.text"),
            ("cypher", "RETURN {`<img src=x onerror=alert(1)>`: 1} AS `<script>alert(1)</script>`"),
        ]
        texts = ""
        for language, text in queries:
            run(browser, text, language)
            texts += browser.evaluate("document.querySelector('main').textContent")
            assert browser.evaluate("document.querySelectorAll('main script, main img, main iframe').length") == 0
            links = browser.evaluate(
                "[...document.querySelectorAll('main a')].map((each) => each.getAttribute('href'))"
            )
            assert all(link.startswith("/data/") for link in links), text
        assert HOSTILE[0] in texts, "the texts are shown"
        assert "\u202e" not in texts, "not those that turn the direction around"
        assert browser.evaluate("document.title").startswith("Queries – ")
        asked = {each.partition("#")[0] for each in browser.requests if not each.startswith(("data:", "about:"))}
        assert asked <= {f"{server}/{each}" for each in ("query", *LANGUAGES)}
        assert [each for each in browser.problems if "400 (Bad Request)" not in each] == []


def test_it_is_accessible(page: Browser) -> None:
    page.evaluate("document.querySelector('details').open = true")
    for language in LANGUAGES:
        page.evaluate(f"document.querySelectorAll('.languages button')[{LANGUAGES.index(language)}].click()")
        run(page, written(page, language), language)
        assert len(cells(page)) > 5
        for width, dark in ((1280, True), (360, False), (1280, False)):
            page.resize(width, 900, dark=dark)
            assert barriers(page) == [], (language, width, dark)
    assert page.problems == []


def test_nothing_is_wider_than_the_window(browser: Browser, address: str) -> None:
    page = opened(browser, address, 360)
    for language, text in (
        ("sparql", "SELECT * { ?a ?b ?c } LIMIT 20"),
        ("cypher", "RETURN 'x' AS y"),
        ("sparql", "x" * 300),
    ):
        run(page, text, language)
        for width in (360, 768, 1280, 2560):
            page.resize(width, 900)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (text, width)


def test_of_several_graphs_each_has_its_page(browser: Browser, kitchen: ScriptGraph, tmp_path: Path) -> None:
    with serving(odd_graph(tmp_path / "odd"), kitchen) as server:
        page = opened(browser, f"{server}/g/kitchen/query")
        run(page, "SELECT ?tool { ?tool a kgs:Tool }")
        assert len(cells(page)) > 5
        run(page, "MATCH (tool:Tool) RETURN tool.iri", "cypher")
        links = page.evaluate("[...document.querySelectorAll('a')].map((each) => each.getAttribute('href'))")
        assert len(links) > 5
        assert all(link.startswith("/g/kitchen/") for link in links)
        assert page.problems == []
