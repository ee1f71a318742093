"""A SPARQL query that compares labels without their language: the command says how to write them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from exports.query.parameters import finds_nothing
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
def test_what_is_said_makes_the_query_work(kitchen: ScriptGraph, query: str) -> None:
    result = CliRunner().invoke(cli.app, ["query", str(kitchen.directory), "--json", "--sparql", query])
    assert finds_nothing(Table(columns=[], rows=json.loads(result.stdout)["rows"]))
    for line in result.stderr.splitlines():
        ((tagged, plain),) = re.findall(r"^Labels have the language en: write (.+@en) for (.+)\.$", line)
        assert tagged == f"{plain}@en"
        query = query.replace(plain, tagged)
    assert not finds_nothing(run_query(kitchen, query))
    assert 'container"@en' not in query


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


def test_the_language_is_that_of_the_graph(tmp_path: Path) -> None:
    rows = kitchen_rows()
    for row in rows["Model"]:
        row["language"] = "de"
    graph = write_graph(tmp_path, rows)
    query = 'SELECT ?s { ?s rdfs:label "making coffee" }'
    result = CliRunner().invoke(cli.app, ["query", str(graph.directory), "--sparql", query])
    assert '"making coffee"@de' in result.stderr
