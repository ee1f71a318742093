"""What a person meets first in Python: the package, and a graph in a notebook."""

from __future__ import annotations

import base64
import re
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import pytest

import kgscripts
from schemas.errors import ConfigurationError, GraphDirectoryError
from schemas.script_graph import ScriptGraph
from tests.graphs import odd_graph, write_graph


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("[b]&odd") / "graph")


def test_the_package_names_its_parts() -> None:
    assert kgscripts.__version__ == metadata.version("kgscripts")
    assert kgscripts.ScriptGraph is ScriptGraph
    assert dir(kgscripts) == sorted(kgscripts.__all__)
    for name in kgscripts.__all__:
        assert getattr(kgscripts, name)
    with pytest.raises(AttributeError, match="no attribute 'build_'"):
        _ = kgscripts.build_


def test_the_repr_of_a_graph_is_one_line(graph: ScriptGraph) -> None:
    nodes, relations = graph.to_networkx().number_of_nodes(), graph.to_networkx().number_of_edges()
    assert repr(graph) == f"ScriptGraph({str(graph.directory)!r}: {nodes:,} nodes, {relations:,} relations)"


def test_a_notebook_shows_counts_and_a_picture(graph: ScriptGraph) -> None:
    html = graph._repr_html_()
    assert "[b]&amp;odd" in html
    assert f"Scenario {graph.manifest.rows('Scenario'):,}" in html
    (picture,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    assert ElementTree.fromstring(base64.b64decode(picture)).tag.endswith("svg")
    # The labels of the graph hold tags, quotes and control characters: none of them is one of the page's.
    assert re.findall(r"<(\w+)", html) == ["b", "br", "small", "br", "img"]
    assert html.isprintable()


def test_an_empty_graph_has_no_picture(tmp_path: Path) -> None:
    assert "<img" not in write_graph(tmp_path / "graph", {})._repr_html_()


def test_frames_and_queries_have_the_same_rows(graph: ScriptGraph) -> None:
    frames = graph.to_frames()
    for table in (
        graph.query("SELECT ?tool { ?tool a kgs:Tool }"),
        graph.query(cypher="MATCH (tool:Tool) RETURN tool.iri"),
        graph.query(cypher="MATCH (tool:Tool) WHERE tool.support > $least RETURN tool.iri", parameters={"least": -99}),
    ):
        assert sorted(str(row[0]) for row in table.rows) == sorted(map(graph.iri, frames["Tool"]["id"]))


def test_a_result_is_a_frame_and_a_table_of_a_notebook(graph: ScriptGraph) -> None:
    table = graph.query(cypher="MATCH (t:Tool) RETURN t.label AS label, t.support AS support ORDER BY t.iri")
    assert repr(table) == f"Table('label', 'support': {len(table.rows)} rows)"
    assert list(table.to_frame().itertuples(index=False, name=None)) == list(table.rows)
    html = table._repr_html_()
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", html)
    assert set(re.findall(r"<(\w+)", html)) == {"table", "tr", "th", "td"}
    many = graph.query("SELECT ?s { ?s ?p ?o } LIMIT 60")
    assert "<small>10 more rows</small>" in many._repr_html_()


@pytest.mark.parametrize(
    "arguments",
    [{}, {"sparql": "ASK {}", "cypher": "RETURN 1"}, {"sparql": "ASK {}", "parameters": {"a": 1}}, {"parameters": {}}],
    ids=str,
)
def test_one_query_at_a_time(arguments: dict[str, object], graph: ScriptGraph) -> None:
    with pytest.raises(ConfigurationError, match="either in SPARQL or in Cypher"):
        graph.query(**arguments)  # type: ignore[arg-type]


def test_a_damaged_table_is_said_so(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    (graph.directory / "nodes" / "Scenario.parquet").write_bytes(b"PAR1")
    with pytest.raises(GraphDirectoryError):
        graph._repr_html_()
