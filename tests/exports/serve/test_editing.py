"""Corrections over HTTP: what several people add is applied by one assembly, and nothing of it is lost."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import kgscripts
from exports.serve.app import application
from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError
from schemas.graph_directory import NEXT, PENDING, locked
from tests.exports.serve.conftest import Response, Server, ServerProcess, started

TEXTS = [
    "How to cook pasta\n\nFill a pot with water. Boil the water. Drain the pasta with a strainer. Serve the pasta.",
    "How to cook pasta\n\nBoil the water. Add the pasta. Drain the pasta with a colander.",
]
TOKEN = "a-token-of-the-tests-1234"
ADDRESS = "/api/corrections"
REJECTED = {"kind": "reject", "scenario": "cooking pasta", "step": "drain pasta", "author": "Ada"}


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServerProcess, ScriptGraph]]:
    folder = tmp_path_factory.mktemp("edited")
    kgscripts.build_graph(output=folder / "graph", texts=TEXTS, without=["state-changes", "steps"])
    graph = ScriptGraph.open(folder / "graph")
    (folder / "token").write_text(TOKEN, encoding="utf-8")
    with started(graph.directory, "--token-file", str(folder / "token"), "--edit") as server:
        yield server, graph


def ask(server: Server, method: str, address: str = ADDRESS, content: object = None) -> Response:
    body = b"" if content is None else json.dumps(content).encode()
    return server.ask(method, address, {"Authorization": f"Bearer {TOKEN}"}, body)


def listed(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ask(server, "GET").body)
    return found


def apply(server: Server) -> dict[str, Any]:
    """Apply all that wait, and wait for it."""
    assert ask(server, "POST", f"{ADDRESS}/apply").status == 202
    while (found := listed(server))["state"] == "applying":
        time.sleep(0.1)
    return found


def test_a_correction_waits_is_applied_and_is_withdrawn(edited: tuple[ServerProcess, ScriptGraph]) -> None:
    server, graph = edited
    before = listed(server)
    added = ask(server, "POST", content=REJECTED)
    assert added.status == 201
    assert json.loads(added.body)["label"] == '"drain pasta" is no step'
    assert [each["correction"]["step"] for each in listed(server)["pending"]] == ["drain pasta"]
    done = apply(server)
    assert (done["state"], done["pending"]) == ("idle", [])
    assert done["build"] != before["build"]
    assert [each["label"] for each in done["applied"]] == ['"drain pasta" is no step']
    labels = [step.label for step in ScriptGraph.open(graph.directory).script("cooking pasta", all_steps=True).steps]
    assert "drain pasta" not in labels
    assert server.ask("GET", "/api/step?scenario=cooking+pasta&step=drain+pasta", AUTHORISED).status == 404
    assert ask(server, "POST", content=REJECTED | {"withdrawn": True}).status == 201
    assert apply(server)["applied"] == []
    assert server.ask("GET", "/api/step?scenario=cooking+pasta&step=drain+pasta", AUTHORISED).status == 200


AUTHORISED = {"Authorization": f"Bearer {TOKEN}"}


def test_what_is_taken_back_is_not_applied(edited: tuple[ServerProcess, ScriptGraph]) -> None:
    server, _ = edited
    item = json.loads(ask(server, "POST", content=REJECTED).body)
    assert ask(server, "DELETE", f"{ADDRESS}/{item['id']}").status == 204
    assert ask(server, "DELETE", f"{ADDRESS}/{item['id']}").status == 404
    assert ask(server, "DELETE", f"{ADDRESS}/..%2f..%2fmanifest.json").status == 404
    assert listed(server)["pending"] == []


def test_people_who_correct_at_once_lose_nothing(edited: tuple[ServerProcess, ScriptGraph]) -> None:
    server, graph = edited
    names = [f"warm {thing}" for thing in ("plate", "bowl", "cup", "dish", "pan", "oven", "sauce", "bread")]

    def add(name: str) -> None:
        content = {"kind": "add", "scenario": "cooking pasta", "step": name, "author": name}
        assert ask(server, "POST", content=content).status == 201

    people = [threading.Thread(target=add, args=(name,)) for name in names]
    for number, person in enumerate(people):
        person.start()
        if number == len(people) // 2:
            assert ask(server, "POST", f"{ADDRESS}/apply").status == 202
    for person in people:
        person.join()
    while listed(server)["state"] == "applying":
        time.sleep(0.1)
    found = apply(server)
    assert (found["pending"], found["message"]) == ([], "")
    assert {each["correction"]["author"] for each in found["applied"]} >= set(names)
    assert not (graph.directory / PENDING).read_text(encoding="utf-8")


@pytest.mark.parametrize(("method", "content"), [("GET", None), ("POST", REJECTED)])
def test_a_build_that_is_moved_into_place_is_waited_for(
    edited: tuple[ServerProcess, ScriptGraph], method: str, content: object
) -> None:
    server, graph = edited
    complete = graph.directory / NEXT / "manifest.json"
    complete.parent.mkdir()
    complete.write_bytes((graph.directory / "manifest.json").read_bytes())
    timer = threading.Timer(0.3, shutil.rmtree, [complete.parent])
    timer.start()
    found = ask(server, method, content=content)
    timer.join()
    assert found.status in {200, 201}, found.text
    for item in listed(server)["pending"]:
        assert ask(server, "DELETE", f"{ADDRESS}/{item['id']}").status == 204


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no JSON object"),
        ([], "no JSON object"),
        ({"kind": "reject"}, "author"),
        ({"kind": "burn", "author": "Ada"}, "no kind"),
        (REJECTED | {"step": "fly to the moon"}, "fly to the moon"),
        (REJECTED | {"scenario": "flying"}, "flying"),
        (REJECTED | {"colour": "red"}, "colour"),
        (REJECTED | {"author": 3}, "author"),
        (REJECTED | {"time": "yesterday"}, "yesterday"),
        (REJECTED | {"author": "\ud800"}, "author"),
        (REJECTED | {"step": "a" * 100_000}, "characters"),
    ],
)
def test_what_is_no_correction_is_refused(
    edited: tuple[ServerProcess, ScriptGraph], content: object, says: str
) -> None:
    server, _ = edited
    found = ask(server, "POST", content=content)
    assert found.status == 400
    assert says in found.text
    assert listed(server)["pending"] == []


def test_a_build_at_work_keeps_the_corrections(edited: tuple[ServerProcess, ScriptGraph]) -> None:
    server, graph = edited
    assert ask(server, "POST", content=REJECTED).status == 201
    with locked(graph.directory):
        found = apply(server)
    assert found["state"] == "failed"
    assert "another build" in found["message"]
    assert len(found["pending"]) == 1
    assert ask(server, "DELETE", f"{ADDRESS}/{found['pending'][0]['id']}").status == 204


def test_without_the_token_or_the_option_nothing_is_corrected(
    edited: tuple[ServerProcess, ScriptGraph], server: Server
) -> None:
    assert edited[0].ask("GET", ADDRESS).status == 401
    assert edited[0].ask("POST", ADDRESS, body=json.dumps(REJECTED).encode()).status == 401
    for method in ("GET", "POST"):
        assert server.ask(method, ADDRESS, body=json.dumps(REJECTED).encode()).status == 404


def test_corrections_without_a_token_are_refused(kitchen: ScriptGraph) -> None:
    with pytest.raises(ConfigurationError, match="needs a token"):
        application([kitchen.directory], edit=True)
