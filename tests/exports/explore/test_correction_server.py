"""Corrections on a page that a server of corrections serves: several people see and apply the same ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from attrs import define, field

from exports.views.explore.page import make_page
from kgscripts import ScriptGraph
from schemas.corrections import Correction
from schemas.errors import RecordError
from tests.browser import Browser
from tests.exports.explore.clicks import click, correcting, listed, step
from tests.exports.explore.conftest import texts

AT = "/kitchen"
WRONG = {
    "kind": "reject",
    "scenario": "cooking pasta",
    "step": "stir pasta",
    "relation": "USES",
    "other": "spoon",
}
OTHER = {"kind": "rename", "scenario": "cooking pasta", "step": "boil water", "name": "bring it to the boil"}
QUICKLY = (
    "for (const name of ['setTimeout', 'setInterval']) { const real = window[name];"
    " window[name] = (what, after) => real(what, after / 50); }"
)
"""Lets the page wait a fiftieth of the time."""


@define
class Kept:
    """What the server has: a page, and corrections in memory."""

    page: bytes
    build: str
    state: str = "idle"
    message: str = ""
    pending: list[dict[str, Any]] = field(factory=list)
    applied: list[dict[str, Any]] = field(factory=list)
    asked: list[str] = field(factory=list)
    answers: dict[str, tuple[int, Any]] = field(factory=dict)
    """Answers that it gives instead, by method."""
    number: int = 0

    def add(self, **content: str | bool) -> dict[str, Any]:
        correction = Correction(**content)  # type: ignore[arg-type]
        self.number += 1
        item = {"id": f"{self.number:x}", "label": correction.label, "correction": correction.to_dict()}
        self.pending.append(item)
        return item

    def finish(self) -> None:
        """Apply the corrections: from now on the server has another graph."""
        self.applied, self.pending = [*self.applied, *self.pending], []
        self.build, self.state = "another", "idle"

    def answer(self, method: str, path: str, body: str) -> tuple[int, Any]:
        """The status and the content of an answer."""
        if method in self.answers:
            return self.answers[method]
        if method == "GET":
            return 200, {name: getattr(self, name) for name in ("build", "state", "message", "pending", "applied")}
        if method == "DELETE":
            before = len(self.pending)
            self.pending = [item for item in self.pending if not path.endswith(f"/{item['id']}")]
            return (204, None) if len(self.pending) < before else (404, "not found")
        if path.endswith("/apply"):
            self.state = "applying"
            return 202, None
        try:
            return 201, self.add(**json.loads(body))
        except RecordError as error:
            return 400, error.message


class Handler(BaseHTTPRequestHandler):
    """The page, and the protocol of its corrections."""

    server: Server

    def do_GET(self) -> None:
        if self.path.startswith(f"{AT}/api/corrections"):
            self._answer()
        else:
            self._send(200, self.server.kept.page, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if self.command != "GET":
            self.server.kept.asked.append(f"{self.command} {self.path}")
        status, content = self.server.kept.answer(self.command, self.path, body)
        is_text = isinstance(content, str)
        sent = content if is_text else "" if content is None else json.dumps(content)
        self._send(status, sent.encode(), "text/plain; charset=utf-8" if is_text else "application/json")

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


class Server(ThreadingHTTPServer):
    """A server with corrections in memory."""

    daemon_threads = True

    def __init__(self, page: str, build: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.kept = Kept(page.encode(), build)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}{AT}/"


@pytest.fixture
def server(kitchen: ScriptGraph) -> Iterator[Server]:
    page = make_page(kitchen, ["cooking pasta"], server={"at": AT, "edit": True}).html
    with Server(page, kitchen.manifest.build_id) as found:
        thread = Thread(target=found.serve_forever, args=(0.02,))
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Browser]:
    """The browser with the page of the server; somebody has written a name."""
    added = browser.send("Page.addScriptToEvaluateOnNewDocument", source=QUICKLY)
    browser.resize(1280, 900)
    browser.problems.clear()
    browser.open(f"{server.address}#scenario=cooking+pasta")
    browser.evaluate("document.querySelector('#author').value = 'Ada'")
    yield browser
    browser.send("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])
    browser.open("about:blank")


def wait_for(page: Browser, selector: str, text: str) -> None:
    """Wait until an element has this text."""
    page.wait_for(
        f"[...document.querySelectorAll({selector!r})].some((each) => each.textContent.includes({json.dumps(text)}))"
    )


def test_a_correction_goes_to_the_server_and_back(page: Browser, server: Server) -> None:
    page.evaluate("document.querySelector('#author').value = ' '")
    correcting(page, step("stir pasta"))
    click(page, "Wrong: spoon")
    assert texts(page, ".fault") == ["Write your name first: it stands with each correction."]
    assert page.evaluate("document.activeElement.id") == "author"
    assert server.kept.asked == []
    page.write("Ada")
    click(page, "Wrong: spoon")
    wait_for(page, "aside .plain .name", "is wrong")
    (item,) = server.kept.pending
    assert item["correction"] == {**WRONG, "author": "Ada", "time": item["correction"]["time"]}
    assert page.evaluate("document.querySelector('[aria-label=\"Wrong: spoon\"]').ariaPressed") == "true"
    assert page.evaluate("Object.keys(localStorage).filter((each) => each.includes('corrections')).length") == 0
    assert page.evaluate("dispatchEvent(new Event('beforeunload', {cancelable: true}))"), "the server keeps it"
    click(page, f"Undo: {item['label']}")
    wait_for(page, ".opener", "Corrections (0)")
    assert server.kept.asked == [f"POST {AT}/api/corrections", f"DELETE {AT}/api/corrections/{item['id']}"]
    assert page.problems == []


def test_two_people_see_the_corrections_of_each_other(page: Browser, server: Server) -> None:
    click(page, "Corrections (0)")
    item = server.kept.add(**OTHER, author="Bob", time="2026-03-01")
    wait_for(page, "aside .plain .name", item["label"])
    assert texts(page, "aside .plain .where") == ["cooking pasta", "Bob"]
    server.kept.pending = []
    wait_for(page, ".opener", "Corrections (0)")
    assert listed(page) == []
    click(page, "Close")
    asked = page.evaluate("performance.getEntriesByType('resource').length")
    page.evaluate("new Promise((done) => setTimeout(done, 40_000)).then(() => null)")
    assert page.evaluate("performance.getEntriesByType('resource').length") <= asked + 1, "a closed panel does not ask"


def test_what_somebody_else_took_back(page: Browser, server: Server) -> None:
    item = server.kept.add(**OTHER, author="Bob", time="2026-03-01")
    click(page, "Corrections (0)")
    wait_for(page, "aside .plain .name", item["label"])
    server.kept.answers["DELETE"] = (404, "not found")
    click(page, f"Undo: {item['label']}")
    wait_for(page, ".fault", "Somebody else took it back already.")


def test_applying_offers_a_reload_and_does_not_reload(page: Browser, server: Server) -> None:
    server.kept.add(**WRONG, author="Bob", time="2026-03-01")
    page.evaluate("window.before = true")
    click(page, "Corrections (0)")
    wait_for(page, ".opener", "Corrections (1)")
    click(page, "Apply")
    wait_for(page, "aside [role=status]", "They are being applied")
    assert "Apply" not in texts(page, "aside button")
    server.kept.finish()
    wait_for(page, "aside [role=status]", "The graph has changed.")
    assert page.evaluate("window.before"), "it is not reloaded"
    assert listed(page) == [server.kept.applied[0]["label"]]
    click(page, f"Take back: {server.kept.applied[0]['label']}")
    wait_for(page, ".opener", "Corrections (1)")
    correction = server.kept.pending[0]["correction"]
    assert correction == {**WRONG, "withdrawn": True, "author": "Ada", "time": correction["time"]}
    click(page, "Reload")
    page.wait_for("window.before === undefined && document.querySelector('.opener')")
    wait_for(page, ".opener", "Corrections (1)")
    assert page.problems == []


def test_what_goes_wrong_is_said(page: Browser, server: Server) -> None:
    click(page, "Corrections (0)")
    server.kept.state, server.kept.message = "failed", "the disk is full"
    wait_for(page, "aside [role=status]", "They could not be applied: the disk is full")
    server.kept.answers["POST"] = (400, "no such step")
    correcting(page, step("stir pasta"))
    click(page, "Wrong: spoon")
    wait_for(page, ".fault", "no such step")
    server.kept.answers["POST"] = (500, None)
    click(page, "Wrong: spoon")
    wait_for(page, ".fault", "The server refuses it (500).")
    server.shutdown()
    server.socket.close()
    click(page, "Wrong: spoon")
    wait_for(page, ".fault", "The server does not answer.")
