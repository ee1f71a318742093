"""The page at `/query`: its examples, its policy, and what it does in a browser."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from exports.serve import pages as module
from exports.serve.pages import examples, query_page
from kgscripts import ScriptGraph
from schemas.results import Table
from tests.example_graph import example_graph
from tests.exports.explore.test_browser import HOSTILE
from tests.graphs import odd_graph, odd_rows, write_graph

LANGUAGES = ("sparql", "cypher")
IN_KITCHEN = {"Steps that are alternatives to each other", "The same step in other scenarios"}
IN_CORRECTED = {"What people have corrected"}
"""The examples that find nothing in the graph of the shipped texts."""


def ask(graph: ScriptGraph, language: str, query: str) -> Table:
    return graph.query(query) if language == "sparql" else graph.query(cypher=query)


def hostile_graph(folder: Path) -> ScriptGraph:
    """A graph whose texts would run in a careless page; its own name too."""
    rows = odd_rows()
    for table in rows.values():
        for i, row in enumerate(table):
            texts = row.keys() & {"label", "label_text", "name", "text", "title", "url", "author"}
            row |= {name: HOSTILE[i % len(HOSTILE)] for name in texts}
    return write_graph(folder / "</title><script>alert(1)<", rows)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return hostile_graph(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_find_something(language: str, kitchen: ScriptGraph, tmp_path: Path) -> None:
    found = {
        title: ask(graph, language, text).rows
        for graph in (ScriptGraph.open(example_graph()), kitchen, odd_graph(tmp_path / "odd"))
        for title, text in examples(graph, language)
        if graph.directory == example_graph()
        or title in (IN_KITCHEN if graph.directory == kitchen.directory else IN_CORRECTED)
    }
    assert len(found) == {"sparql": 15, "cypher": 5}[language]
    assert [title for title, rows in found.items() if not rows] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_can_be_asked_of_any_graph(language: str, hostile: ScriptGraph, tmp_path: Path) -> None:
    scenario = {"id": "scenario/x", "alternative_labels": [], "listed": False, "support": 1}
    odd = "SCENARIO \"\\ {}\n\t' " + "\U0001f35d é }}"
    named = write_graph(tmp_path / "named", {"Scenario": [scenario | {"label": odd}]})
    for graph in (hostile, named):
        for _, text in examples(graph, language):
            ask(graph, language, text)
    assert any("cooking pasta" in text for _, text in examples(write_graph(tmp_path / "empty", {}), language))
    text = dict(examples(named, language))["The usual steps of a scenario, in order"]
    (name,) = re.findall(r'"(?:[^"\\]|\\.)*"', text)
    check = (
        f"SELECT ?s {{ ?s rdfs:label {name} }}" if language == "sparql" else f"MATCH (s {{label: {name}}}) RETURN s.iri"
    )
    assert len(ask(named, language, check).rows) == 1, "the literal is the name of the scenario"


def test_the_policy_allows_the_scripts_of_the_page_and_nothing_else(hostile: ScriptGraph) -> None:
    page = query_page(hostile, "/g/x")
    scripts = re.findall(r"<script>(.*?)</script>", page.html, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page.html, re.DOTALL)
    rules = dict(rule.split(" ", 1) for rule in page.policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].split() == [_hash(text) for text in scripts]
    assert rules["style-src"].split() == [_hash(style)]
    assert rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"
    assert "unsafe" not in page.policy
    assert "http" not in page.policy
    assert len(re.findall("<script", page.html)) == 3, "nothing in the data begins a script"
    assert not re.search(r"<[^>]*(src|href)=[\"'](?!data:,)", page.html.partition("<style>")[0])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_vendored_files_have_their_licences() -> None:
    folder = Path(module.__file__).parent / "vendor"
    files = {file.name for file in folder.iterdir()}
    names = {"yasqe-4.6.2.min.js", "yasqe-4.6.2.min.css"}
    assert files == names | {"LICENSE_yasqe.txt", "LICENSE_dompurify.txt"}
    notes = (folder / "LICENSE_yasqe.txt").read_text(encoding="utf-8")
    assert all(name in notes for name in names)
    assert {"Triply", "Marijn Haverbeke", "OpenJS", "Marcus Westin", "Joyent", "Sorhus"} <= set(
        re.findall(r"Triply|Marijn Haverbeke|OpenJS|Marcus Westin|Joyent|Sorhus", notes)
    )
    assert "Apache License" in (folder / "LICENSE_dompurify.txt").read_text(encoding="utf-8")
    assert sum(file.stat().st_size for file in folder.iterdir()) < 600_000
