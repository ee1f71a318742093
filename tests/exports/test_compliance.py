"""One suite for all targets: what goes in comes out, twice is once, and nothing of an earlier build stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from exports.targets import export
from kgscripts import ScriptGraph
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import ValueType
from tests.exports.adapters_property_graph import ADAPTERS as PROPERTY_GRAPH
from tests.exports.adapters_rdf import ADAPTERS as RDF
from tests.exports.compliance import Adapter, AdapterFactory, expected
from tests.graphs import Rows, generated_graph, odd_graph, odd_rows, write_graph

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
ADAPTERS: dict[str, AdapterFactory] = {**RDF, **PROPERTY_GRAPH}
NUMBERS = (0.1, 1 / 3, -0.0, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.123456789, -2.5, 1e21, 1.0)
INTEGERS = (0, -1, 2**53 + 1, 2**63 - 1, -(2**63), 10)


@pytest.fixture(
    params=[
        pytest.param(name, marks=[pytest.mark.servers] if name in ("fuseki", "neo4j", "arcadedb") else [])
        for name in ADAPTERS
    ]
)
def adapter(request: pytest.FixtureRequest, tmp_path: Path) -> Adapter:
    folder = tmp_path / "target"
    folder.mkdir()
    return ADAPTERS[request.param](request, folder)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("odd"))


def numbers_rows() -> Rows:
    """The odd graph with numbers that careless writing rounds."""
    rows = odd_rows()
    for name, kind in (NODE_TYPES | RELATION_TYPES).items():
        for i, row in enumerate(rows[name]):
            for item in kind.properties:
                if item.type is ValueType.NUMBER and row[item.name] is not None:
                    row[item.name] = NUMBERS[i % len(NUMBERS)]
                if item.type is ValueType.INTEGER:
                    row[item.name] = INTEGERS[i % len(INTEGERS)]
    return rows


def test_what_goes_in_comes_out_and_twice_is_once(adapter: Adapter, odd: ScriptGraph) -> None:
    told: list[int] = []
    options: Any = evolve(adapter.options, progress=told.append)
    report = export(odd, adapter.target, options)
    content = adapter.read()
    assert content == expected(odd)
    assert (report.nodes, report.relations) == (len(content.nodes), len(content.relations))
    assert sum(told) == sum(map(odd.manifest.rows, (*NODE_TYPES, *RELATION_TYPES))), "progress counts every row"
    export(odd, adapter.target, adapter.options)
    assert adapter.read() == content


def test_no_number_is_rounded_below_an_unusual_base_iri(adapter: Adapter, tmp_path: Path) -> None:
    graph = write_graph(tmp_path / "numbers", numbers_rows(), "http://[::1]/?q=%20#")
    export(graph, adapter.target, adapter.options)
    assert adapter.read() == expected(graph)


def test_a_dry_run_changes_nothing_and_nothing_of_an_earlier_build_stays(adapter: Adapter, tmp_path: Path) -> None:
    odd = odd_graph(tmp_path / "graph")
    before = expected(odd)
    export(odd, adapter.target, adapter.options)
    smaller = generated_graph(odd.directory, 100)
    report = export(smaller, adapter.target, evolve(adapter.options, dry_run=True))
    assert report.nodes == sum(map(smaller.manifest.rows, NODE_TYPES))
    assert adapter.read() == before
    export(smaller, adapter.target, adapter.options)
    assert adapter.read() == expected(smaller)


def test_an_empty_graph_is_a_graph(adapter: Adapter, tmp_path: Path) -> None:
    graph = write_graph(tmp_path / "empty", {})
    export(graph, adapter.target, adapter.options)
    content = adapter.read()
    assert not content.nodes
    assert not content.relations


@pytest.mark.parametrize("base", ["urn:example:scripts:", "https://example.org/it's/$1/;'+RETURN/"])
def test_any_base_iri_will_do(adapter: Adapter, tmp_path: Path, base: str) -> None:
    """As will the one of the numbers."""
    graph = write_graph(tmp_path / "elsewhere", odd_rows(3), base)
    export(graph, adapter.target, adapter.options)
    assert adapter.read() == expected(graph)
