"""A SPARQL query that compares labels without their language: the command names the query that works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from exports.query.parameters import finds_nothing, query_with_language
from exports.query.sparql import run_query
from kgscripts import ScriptGraph
from schemas.results import Table
from tests.exports.kitchen import kitchen_graph, kitchen_rows
from tests.graphs import write_graph


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("kitchen"))


@pytest.mark.parametrize(
    "query",
    [
        'SELECT ?s { ?s rdfs:label "making coffee" }',
        "SELECT ?s { ?s rdfs:label 'making coffee' }",
        'SELECT ?s\n{ # one of them\n  ?s rdfs:label ?label\n  FILTER(?label = "pot" || ?label IN ("knife")) }',
        'SELECT ?s { VALUES ?label { "pot" "knife"@en } ?s rdfs:label ?label . ?s a kgs:Entity }',
        'SELECT (COUNT(?s) AS ?number) { ?s rdfs:label """making coffee""" }',
        'ASK { ?s rdfs:label "making coffee" }',
        # "container" is a role without a language, "pot" is a label.
        'SELECT ?t { ?statement rdf:object ?t ; kgs:role "container" . ?t rdfs:label "pot" }',
    ],
)
def test_the_query_that_works_is_shown(kitchen: ScriptGraph, query: str) -> None:
    result = CliRunner().invoke(cli.app, ["query", str(kitchen.directory), "--json", "--sparql", query])
    assert finds_nothing(Table(columns=[], rows=json.loads(result.stdout)["rows"]))
    first, second, *shown = result.stderr.splitlines()
    assert first == "Nothing was found: labels have the language en, and this query names none."
    assert second.startswith("This one finds ")
    assert not finds_nothing(run_query(kitchen, "\n".join(shown)))
    assert "@en" in "".join(shown)
    assert 'container"@en' not in "".join(shown)


@pytest.mark.parametrize(
    "query",
    [
        'SELECT ?s { ?s rdfs:label "no such thing" }',
        'SELECT ?s { ?s rdfs:label "pot"@en ; a kgs:Scenario }',
        'SELECT ?s { ?s rdfs:label "pot"^^xsd:integer }',
        'SELECT ?s { ?s rdfs:label ?label FILTER(STR(?label) = "a pot") }',
        'SELECT ?s { ?s rdfs:label ?label FILTER(STR(?label) = "pot") }',
        "SELECT ?s { ?s a kgs:Nothing }",
        "SELECT ?s { ?s a kgs:Tool } LIMIT 0",
    ],
)
def test_other_queries_are_left_alone(kitchen: ScriptGraph, query: str) -> None:
    result = CliRunner().invoke(cli.app, ["query", str(kitchen.directory), "--sparql", query])
    assert result.exit_code == 0
    assert result.stderr == ""


def test_a_query_that_fails_with_a_language_is_not_shown(kitchen: ScriptGraph) -> None:
    def run(query: str) -> Table:
        return run_query(kitchen, query, max_rows=1)

    several = 'SELECT ?s { VALUES ?label { "pot" "knife" } ?s rdfs:label ?label }'
    assert query_with_language(several, "en", run) is None
    assert query_with_language('SELECT ?s { ?s rdfs:label "making coffee" }', "en", run) is not None


def test_the_language_is_that_of_the_graph(tmp_path: Path) -> None:
    rows = kitchen_rows()
    for row in rows["Model"]:
        row["language"] = "de"
    graph = write_graph(tmp_path, rows)
    query = 'SELECT ?s { ?s rdfs:label "making coffee" }'
    result = CliRunner().invoke(cli.app, ["query", str(graph.directory), "--sparql", query])
    assert '"making coffee"@de' in result.stderr
