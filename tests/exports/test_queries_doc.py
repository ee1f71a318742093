"""The questions of `docs/guide/queries.md`: both languages give the same answers on every store."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections import Counter, defaultdict
from itertools import takewhile
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import cli
import exports.cypher.cypher
import exports.query.parameters
import exports.query.sparql
import exports.query.sparql_guard
from exports.targets import export
from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph
from kgscripts.scripts.reading import list_scenarios, read_script
from schemas.errors import KGScriptsError
from schemas.results import Table
from tests.exports.fuseki_server import FusekiServer
from tests.exports.kitchen import kitchen_graph, kitchen_rows, random_kitchen
from tests.exports.neo4j_server import BoltServer
from tests.graphs import Rows, write_graph

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "guide" / "queries.md"
QUESTIONS = tuple(re.findall(r"\(\.\./queries/([\w-]+)\.rq\)", PAGE.read_text(encoding="utf-8")))
_GRAPHS = ("kitchen", "random", "examples")
_ONLY_IN = {
    "alternatives": ("kitchen",),
    "same-step-elsewhere": ("kitchen", "random"),
    "decomposition": ("examples",),
    "durations": ("examples",),
    "in-any-order": ("kitchen", "examples"),
    "tools-by-alignment": ("examples",),
    "scenarios-of-passages": ("kitchen", "random"),
    "state-after-a-step": ("kitchen", "random"),
    "steps-that-make-clean": ("kitchen", "random"),
    "what-changes": ("kitchen", "random"),
    "replaced-iri": ("kitchen", "random"),
}
"""The graphs that can answer a question, if not all can: pairs were read into the examples only, and state changes,
alternatives and close matches into the others."""
_EXAMPLES = Path(__file__).resolve().parents[2] / "kgscripts" / "examples" / "texts"


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ScriptGraph]:
    """The graph of the shipped examples, one written by hand and a generated one."""
    folder = tmp_path_factory.mktemp("graphs")
    build_graph(_EXAMPLES, folder / "examples", without=["state-changes", "steps"])
    return {
        "kitchen": kitchen_graph(folder / "kitchen"),
        "random": write_graph(folder / "random", _some_unusual(kitchen_rows(random_kitchen(seed=6)))),
        "examples": ScriptGraph.open(folder / "examples"),
    }


def _some_unusual(rows: Rows) -> Rows:
    """The rows, with a third of the steps unusual and others chosen in any order."""
    chance = random.Random(6)
    steps: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows["HAS_SUB_EVENT"]:
        steps[row["from_id"]].append(row)
    for of_scenario in steps.values():
        chance.shuffle(of_scenario)
        for rank, row in enumerate(of_scenario, start=1):
            row |= {"salience_rank": rank, "usual": 3 * rank <= 2 * len(of_scenario)}
    return rows


def in_sparql(source: ScriptGraph | str, name: str) -> Table:
    return exports.query.sparql.run_query(source, (DOCS / "queries" / f"{name}.rq").read_text(encoding="utf-8"))


def in_cypher(source: ScriptGraph | str, name: str) -> Table:
    return exports.cypher.cypher.run_query(source, (DOCS / "queries" / f"{name}.cypher").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def embedded(graphs: dict[str, ScriptGraph]) -> dict[tuple[str, str], Table]:
    """What the embedded store answers in SPARQL of the graphs that servers are asked for too; Cypher agrees with it."""
    return {(graph, name): in_sparql(graphs[graph], name) for graph in _GRAPHS[1:] for name in QUESTIONS}


def comparable(table: Table) -> list[tuple[Any, ...]]:
    """The rows, with lists and texts with commas alike; neither language says in which order it collects."""
    if "tools" not in table.columns:
        return list(table.rows)
    place = table.columns.index("tools")
    return [(*row[:place], _collected(row[place]), *row[place + 1 :]) for row in table.rows]


def _collected(cell: Any) -> Any:
    if isinstance(cell, int):
        return cell
    return tuple(sorted(cell.split(", ") if isinstance(cell, str) else cell or ()))


def assert_same(name: str, found: Table, expected: Table) -> None:
    # ArcadeDB names no columns of an answer without rows.
    assert found.columns == expected.columns or not (found.columns or expected.rows), name
    assert Counter(comparable(found)) == Counter(comparable(expected)), name
    assert comparable(found) == comparable(expected), f"{name}: the order differs"


# All questions of a graph one after the other: the processes of few stores are kept.
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("graph", _GRAPHS)
def test_both_languages_agree_on_the_embedded_stores(name: str, graph: str, graphs: dict[str, ScriptGraph]) -> None:
    found = in_cypher(graphs[graph], name)
    assert_same(name, found, in_sparql(graphs[graph], name))
    if graph in _ONLY_IN.get(name, _GRAPHS):
        assert found.rows, "a question that finds nothing shows nothing"


@pytest.mark.servers
@pytest.mark.parametrize("graph", _GRAPHS[1:])
@pytest.mark.parametrize("server", ["neo4j_server", "arcadedb_server"])
def test_servers_that_speak_bolt_agree(
    server: str,
    graph: str,
    graphs: dict[str, ScriptGraph],
    embedded: dict[tuple[str, str], Table],
    request: pytest.FixtureRequest,
) -> None:
    bolt: BoltServer = request.getfixturevalue(server)
    export(graphs[graph], bolt.uri)
    for name in QUESTIONS:
        assert_same(name, in_cypher(bolt.uri, name), embedded[graph, name])


@pytest.mark.servers
@pytest.mark.parametrize("graph", _GRAPHS[1:])
def test_a_sparql_server_agrees(
    graph: str,
    graphs: dict[str, ScriptGraph],
    embedded: dict[tuple[str, str], Table],
    fuseki_server: FusekiServer,
) -> None:
    export(graphs[graph], fuseki_server.target)
    for name in QUESTIONS:
        assert_same(name, in_sparql(f"{fuseki_server.address}/query", name), embedded[graph, name])


def test_the_script_of_cooking_pasta(graphs: dict[str, ScriptGraph]) -> None:
    assert comparable(in_sparql(graphs["kitchen"], "cooking-pasta")) == [
        ("fill pot with water", ("pot",), 2),
        ("boil water", ("pot", "stove"), 3),
        ("add pasta", ("pot",), 3),
        ("drain pasta", ("colander", "strainer"), 3),
        ("serve pasta", ("plate",), 3),
    ]


def test_the_examples_answer_as_show_does(graphs: dict[str, ScriptGraph]) -> None:
    script = read_script(graphs["examples"], "cooking pasta", min_support=2, usual=True)
    rows = comparable(in_cypher(graphs["examples"], "cooking-pasta"))
    assert [row[0] for row in rows] == [step.label_text for step in script.steps]
    assert [row[1] for row in rows] == [tuple(sorted(tool.label for tool in step.tools)) for step in script.steps]
    assert len(rows) >= 8
    assert {"fork", "colander"} <= {tool for row in rows for tool in row[1]}


_CHOSEN = {
    "sparql": """
        PREFIX kgs: <https://w3id.org/kgscripts/ontology#>
        PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
        SELECT ?scenario ?step ?salience WHERE {
          ?statement rdf:subject ?scenario ; rdf:predicate kgs:hasSubEvent ; rdf:object ?step ; kgs:usual true ;
                     kgs:salienceRank ?salience ; kgs:support ?sources .
          FILTER (?sources >= 2)
        } ORDER BY ?salience
    """,
    "cypher": """
        MATCH (scenario:Scenario)-[part:HAS_SUB_EVENT]->(step:SubEvent) WHERE part.usual AND part.support >= 2
        RETURN scenario.iri, step.iri, part.salience_rank AS salience ORDER BY salience
    """,
}


@pytest.mark.parametrize("language", _CHOSEN)
@pytest.mark.parametrize("graph", _GRAPHS)
def test_queries_choose_the_steps_that_show_keeps(language: str, graph: str, graphs: dict[str, ScriptGraph]) -> None:
    run = {"sparql": exports.query.sparql.run_query, "cypher": exports.cypher.cypher.run_query}[language]
    chosen: dict[Any, list[Any]] = defaultdict(list)
    for of, step, _ in run(graphs[graph], _CHOSEN[language]).rows:
        chosen[of].append(step)
    assert any(len(steps) > 3 for steps in chosen.values())
    for scenario in list_scenarios(graphs[graph]):
        for limit in (1, 3, 20):
            script = read_script(graphs[graph], scenario.iri, limit=limit, min_support=2, usual=True)
            assert {step.iri for step in script.steps} == set(chosen[scenario.iri][:limit])


@pytest.mark.parametrize("graph", _GRAPHS)
def test_the_usual_script_is_that_of_show(graph: str, graphs: dict[str, ScriptGraph]) -> None:
    arguments = ["show", str(graphs[graph].directory), "cooking pasta", "--limit", "10", "--json"]
    steps = json.loads(CliRunner().invoke(cli.app, arguments).output)["steps"]
    expected = [(step["label"], step["support"], step["probability"]) for step in steps]
    assert list(in_sparql(graphs[graph], "usual-script").rows) == expected
    assert list(in_cypher(graphs[graph], "usual-script").rows) == expected


def test_evidence_can_be_read_back(graphs: dict[str, ScriptGraph]) -> None:
    rows = in_sparql(graphs["examples"], "evidence").rows
    assert len(rows) >= 3
    for source, start, end, text in rows:
        file = _EXAMPLES / str(source).partition("#")[0]
        assert isinstance(start, int)
        assert isinstance(end, int)
        assert "colander" in str(text)
        if file.suffix in (".txt", ".md"):
            assert file.read_text(encoding="utf-8")[start:end] == text


def test_decompositions_are_read_with_their_place_and_their_reader(graphs: dict[str, ScriptGraph]) -> None:
    steps = in_sparql(graphs["examples"], "decomposition")
    assert ("put colander in sink", "pairs.tsv#16", "Put a colander in the sink") in {
        (row[0], *row[-2:]) for row in steps.rows
    }
    assert all(isinstance(row[3], float) and row[3] <= 0 for row in steps.rows)
    tools = in_sparql(graphs["examples"], "tools-by-alignment").rows
    assert {(row[0], row[1], row[4]) for row in tools} >= {("colander", False, "aligner")}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "needs-of-a-scenario",
            [
                ("colander", "instrument", None, 2),
                ("plate", "support", None, 2),
                ("pot", "container", None, 2),
                ("pasta", None, "500 g", 3),
                ("water", None, None, 3),
            ],
        ),
        ("what-a-tool-is-for", [("cooking pasta", "chop garlic", "knife", 1)]),
        ("shared-tools", [("cooking pasta", "making coffee", 1)]),
        ("shared-actions", [("boil water", 2)]),
        (
            "alternatives",
            [
                ("cooking pasta", "stir pasta", "taste pasta", 2, 1.0),
                ("cooking pasta", "taste pasta", "stir pasta", 2, 1.0),
                ("making coffee", "put coffee in filter", "stir coffee", 2, 1.0),
                ("making coffee", "stir coffee", "put coffee in filter", 2, 1.0),
            ],
        ),
        ("same-step-elsewhere", [("boil water", "making coffee", "boil water", 0.9375)]),
        (
            "evidence",
            [
                ("how_to.md", 154, 183, "Drain the pasta in a colander"),
                ("story.txt", 137, 170, "I drained the pasta in a colander"),
            ],
        ),
        (
            "state-after-a-step",
            [
                ("coffee.md", "spoon", "moisture", "wet", 3),
                ("how_to.md", "pot", "moisture", "wet", 1),
                ("short.md", "pasta", "moisture", "wet", 3),
                ("short.md", "pot", "moisture", "wet", 1),
                ("story.txt", "pasta", "moisture", "wet", 2),
            ],
        ),
        (
            "steps-that-make-clean",
            [
                ("cooking pasta", "drain pasta", "cleanness of sink: dirty -> clean", ("colander", "strainer"), 3),
                ("cooking pasta", "serve pasta", "cleanness of plate: dirty -> clean", ("plate",), 3),
            ],
        ),
        (
            "what-changes",
            [
                ("pasta", "location", "in the pot", "in colander", 3, 1.0),
                ("pasta", "moisture", "wet", "dry", 3, 1.0),
                ("sink", "cleanness", "dirty", "clean", 3, 1.0),
            ],
        ),
        (
            "scenarios-of-passages",
            [
                ("coffee.md", 0, 77, "making coffee", 1.0),
                ("coffee.txt", 0, 109, "making coffee", 1.0),
                ("how_to.md", 0, 216, "cooking pasta", 1.0),
                ("short.md", 0, 227, "cooking pasta", 1.0),
                ("story.txt", 0, 247, "cooking pasta", 1.0),
            ],
        ),
        (
            "readers-and-their-scores",
            [
                ("rules", "1", 1.0, "InScript", "val", "precision", 0.9125, "share", "development"),
                ("rules", "1", 1.0, "InScript", "val", "recall", 0.83, "share", "development"),
            ],
        ),
    ],
)
def test_answers_are_right(name: str, expected: list[tuple[Any, ...]], graphs: dict[str, ScriptGraph]) -> None:
    assert comparable(in_sparql(graphs["kitchen"], name)) == expected


_OPTIONAL_SCENARIO = """
PREFIX kgs: <https://w3id.org/kgscripts/ontology#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?scenario ?event ?tool ?sources {
  ?knife a kgs:Tool ; rdfs:label "knife"@en .
  ?used kgs:broader* ?knife ; rdfs:label ?tool .
  ?statement rdf:predicate kgs:uses ; rdf:object ?used ; rdf:subject ?step ; kgs:support ?sources .
  ?step rdfs:label ?event .
  OPTIONAL { ?activity kgs:hasSubEvent ?step ; rdfs:label ?scenario }
} ORDER BY DESC(?sources) ?event ?scenario ?tool
"""


@pytest.mark.parametrize("graph", _GRAPHS)
def test_the_uses_of_a_tool_are_those_with_an_optional_scenario(graph: str, graphs: dict[str, ScriptGraph]) -> None:
    """Oxigraph evaluates the whole OPTIONAL, whatever the tool is: the document has a faster query."""
    text = (DOCS / "queries" / "what-a-tool-is-for.rq").read_text(encoding="utf-8")
    found: list[Any] = []
    for tool in sorted(set(graphs[graph].labels("Tool").values())):
        asked, expected = (
            exports.query.sparql.run_query(graphs[graph], query.replace('"knife"', json.dumps(tool)))
            for query in (text, _OPTIONAL_SCENARIO)
        )
        assert asked == expected, tool
        found += asked.rows
    assert found
    assert (graph == "examples") == any(scenario is None for scenario, *_ in found)


def test_an_old_iri_leads_to_the_step_that_replaces_it_and_a_current_one_to_itself(
    graphs: dict[str, ScriptGraph],
) -> None:
    graph = graphs["kitchen"]
    (step,) = [row for row in graph.rows("SubEvent") if row["label"] == "drain pasta"]
    (old,), answer = step["replaces"], [(graph.iri(step["id"]), "drain pasta")]
    for name, run_query in (("rq", exports.query.sparql.run_query), ("cypher", exports.cypher.cypher.run_query)):
        text = (DOCS / f"queries/replaced-iri.{name}").read_text(encoding="utf-8")
        assert text.count(graph.iri(old)) == 1
        assert list(run_query(graph, text).rows) == answer
        assert list(run_query(graph, text.replace(old, step["id"])).rows) == answer
        assert list(run_query(graph, text.replace(old, "sub-event/unknown")).rows) == []


def test_the_commands_and_the_python_of_the_document_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kitchen_graph(tmp_path / "graph")
    (tmp_path / "docs").symlink_to(DOCS)
    monkeypatch.chdir(tmp_path)
    document = PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^kgscripts (query graph .*)$", document, re.MULTILINE)
    assert len(commands) == 4
    for number, command in enumerate(commands):
        result = CliRunner().invoke(cli.app, shlex.split(command))
        assert result.exit_code == 0, result.output
        assert number > 1 or "fill pot with water" in result.output
    exec(re.search(r"```python\n(.*?)```", document, re.DOTALL)[1], {})  # type: ignore[index]
    assert capsys.readouterr().out.startswith("('label',) (")


def test_the_document_lists_every_file_by_its_question() -> None:
    links = {name: f"[SPARQL](../queries/{name}.rq), [Cypher](../queries/{name}.cypher)" for name in QUESTIONS}
    rows = [f"| {_question(name)} | {files} |" for name, files in links.items()]
    assert re.findall(r"^\| .*\(\.\./queries/.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE) == rows


def test_every_file_is_a_question_in_both_languages() -> None:
    files = {path.name for path in (DOCS / "queries").iterdir()}
    assert files == {f"{name}{end}" for name in QUESTIONS for end in (".rq", ".cypher")}
    for name in QUESTIONS:
        sparql, cypher = ((DOCS / "queries" / f"{name}{end}").read_text(encoding="utf-8") for end in (".rq", ".cypher"))
        assert _comment(sparql, "# ") == _comment(cypher, "// "), f"{name}: both files ask the same"
        assert _question(name).rstrip(".").strip()


def _question(name: str) -> str:
    return _comment((DOCS / "queries" / f"{name}.rq").read_text(encoding="utf-8"), "# ")[0]


def _comment(query: str, mark: str) -> list[str]:
    """The lines of the comment with which a query file begins."""
    lines = [line.removeprefix(mark) for line in takewhile(lambda line: line.startswith(mark), query.splitlines())]
    return [line for line in lines if not line.startswith(":param ")]


@pytest.mark.parametrize("language", ["sparql", "cypher"])
def test_a_parameter_is_a_value_in_place_of_its_default(language: str, graphs: dict[str, ScriptGraph]) -> None:
    ending = {"sparql": "rq", "cypher": "cypher"}[language]
    text = (DOCS / "queries" / f"usual-script.{ending}").read_text(encoding="utf-8")
    given: Any = {language: text}
    coffee = graphs["kitchen"].query(**given, parameters={"scenario": "making coffee"})
    steps = read_script(graphs["kitchen"], "making coffee", limit=10, usual=True).steps
    assert [row[0] for row in coffee.rows] == [step.label_text for step in steps]
    assert coffee.rows != graphs["kitchen"].query(**given).rows
    path = str(DOCS / "queries" / f"usual-script.{ending}")
    command = ["query", str(graphs["kitchen"].directory), f"--{language}", path, "--param"]
    printed = CliRunner().invoke(cli.app, [*command, "scenario=making cofee"])
    assert printed.exit_code == 0
    assert "Nothing in the graph is called 'making cofee'. Did you mean 'making coffee'" in printed.stderr
    for wrong in ("scenrio=x", "scenario", "=x"):
        assert isinstance(CliRunner().invoke(cli.app, [*command, wrong]).exception, KGScriptsError)


@pytest.mark.parametrize("name", QUESTIONS)
def test_both_files_have_the_same_parameters(name: str) -> None:
    texts = [(DOCS / "queries" / f"{name}{end}").read_text(encoding="utf-8") for end in (".rq", ".cypher")]
    sparql = re.findall(r'VALUES \?(\w+) \{ ("[^"]*")@en \}', texts[0])
    assert sparql == re.findall(r"// :param (\w+) => (.*)", texts[1])


@given(st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])) | st.integers(-(10**9), 10**9))
def test_any_value_is_bound_as_it_is(value: str | int) -> None:
    default = '"a"@en' if isinstance(value, str) else "3"
    text = f"SELECT ?x (STR(?x) = 'b' AS ?y) {{ VALUES ?x {{ {default} }} }}"
    bound = exports.query.parameters.sparql_with(text, {"x": value})
    (row,) = pyoxigraph.Store().query(exports.query.sparql_guard.judge(bound).text)  # type: ignore[misc]
    assert row["x"] == (
        pyoxigraph.Literal(value, language="en") if isinstance(value, str) else pyoxigraph.Literal(value)
    )
