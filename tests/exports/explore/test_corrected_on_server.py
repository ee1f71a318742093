"""A person enters with the token, corrects the graph by click, and has the server of `kgscripts serve` apply it."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

from kgscripts import ScriptGraph
from schemas.errors import StoreError
from tests.browser import Browser
from tests.exports.explore.clicks import click, step
from tests.exports.explore.conftest import go
from tests.exports.serve.conftest import started

TOKEN = "a-token-of-the-tests-1234"


def test_a_person_corrects_a_served_graph(browser: Browser, correctable: ScriptGraph, tmp_path: Path) -> None:
    graph = Path(shutil.copytree(correctable.directory, tmp_path / "graph"))
    (tmp_path / "token").write_text(TOKEN, encoding="utf-8")
    before = correctable.script("cooking pasta", all_steps=True)
    wrong = next(each for each in before.steps if each.tools)
    with started(graph, "--token-file", str(tmp_path / "token"), "--edit") as server:
        browser.resize(1280, 900)
        browser.open(f"http://127.0.0.1:{server.port}/")
        browser.evaluate(f"document.querySelector('input').value = {json.dumps(TOKEN)}")
        browser.evaluate("document.querySelector('button').click()")
        with suppress(StoreError):  # What waits in a page that is left ends with it.
            browser.wait_for("document.querySelector('#to-map')")
        browser.wait_for("document.querySelector('#to-map')")
        go(browser, step(wrong.label_text))
        browser.wait_for("document.querySelector('#correct')")
        click(browser, "Correct…")
        browser.wait_for("document.querySelector('.fix')")
        browser.evaluate("if (document.querySelector('aside').hidden) document.querySelector('.opener').click()")
        browser.evaluate(
            "(() => { const name = document.querySelector('#author'); name.value = 'Ada';"
            " name.dispatchEvent(new Event('change')); })()"
        )
        browser.evaluate(
            "[...document.querySelectorAll('.fix')].find((each) => each.textContent === 'No step of this scenario')"
            ".click()"
        )
        browser.wait_for("document.querySelector('aside').textContent.includes('is no step')")
        click(browser, "Apply")
        browser.wait_for("document.querySelector('aside').textContent.includes('Reload')")
    after = ScriptGraph.open(graph).script("cooking pasta", all_steps=True)
    assert {each.iri for each in before.steps} - {each.iri for each in after.steps} == {wrong.iri}
    assert [(each.author, each.label) for each in after.corrections] == [("Ada", f'"{wrong.label}" is no step')]
