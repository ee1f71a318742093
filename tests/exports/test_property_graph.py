"""What all property graphs share: names, rows with IRIs, portions; and the constraints, in step with the types."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exports.neo4j.property_graph import (
    ENDS,
    KEY,
    constraints_text,
    node_batches,
    node_schema,
    portions,
    quoted,
    relation_batches,
    relation_schema,
)
from exports.neo4j.store import merge_nodes, merge_relations
from kgscripts import ScriptGraph
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import Property
from schemas.vocabulary import ID_PREFIXES
from tests.graphs import odd_graph, write_graph

KINDS: dict[str, tuple[Property, ...]] = {
    **{name: node.properties for name, node in NODE_TYPES.items()},
    **{name: relation.properties for name, relation in RELATION_TYPES.items()},
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("property-graph") / "graph")


def test_the_constraints_are_those_of_the_node_types() -> None:
    text = constraints_text()
    statements = re.findall(
        r"^CREATE CONSTRAINT kgscripts_(\w+)_iri IF NOT EXISTS FOR \(node:(\w+)\) REQUIRE node\.iri IS UNIQUE;$",
        text,
        re.MULTILINE,
    )
    assert [label for _, label in statements] == list(NODE_TYPES)
    assert len({name for name, _ in statements}) == len(NODE_TYPES)
    assert text.count(";") == len(NODE_TYPES), "the file holds nothing else"


def test_no_name_of_the_schema_breaks_out_of_its_quotes() -> None:
    names = {*KINDS, *(item.name for properties in KINDS.values() for item in properties)}
    assert all(re.fullmatch(r"[A-Za-z_]+", name) for name in names)
    assert quoted("end") == "`end`"


def test_no_property_has_the_name_of_what_exports_add() -> None:
    added = {KEY, *ENDS, "type", "id", "_label", "kgscripts_graph", "kgscripts_build"}
    for name, properties in KINDS.items():
        assert not added & {item.name for item in properties}, name


def test_every_relation_is_in_one_pair_of_ends(graph: ScriptGraph) -> None:
    for name, relation in RELATION_TYPES.items():
        found = []
        for ends in relation.ends:
            for batch in relation_batches(graph, name, ends):
                assert batch.schema == relation_schema(name)
                for row in batch.to_pylist():
                    for end, label in zip(ENDS, ends, strict=True):
                        assert row[end].startswith(f"{graph.manifest.base_iri}{ID_PREFIXES[label]}/")
                    found.append((row[ENDS[0]], row[ENDS[1]]))
        rows = graph.rows(name)
        assert sorted(found) == sorted((graph.iri(row["from_id"]), graph.iri(row["to_id"])) for row in rows)


def test_a_missing_node_stays_missing(graph: ScriptGraph) -> None:
    scenarios = [row["scenario"] for batch in node_batches(graph, "SubEvent") for row in batch.to_pylist()]
    assert None in scenarios
    assert all(iri is None or iri.startswith(f"{graph.manifest.base_iri}scenario/") for iri in scenarios)


def test_an_empty_type_has_its_columns(tmp_path: Path) -> None:
    graph = write_graph(tmp_path, {})
    table = pa.Table.from_batches(node_batches(graph, "Tool"), schema=node_schema("Tool"))
    assert table.column_names == ["iri", "label", "support"]


@given(texts=st.lists(st.text(max_size=50), max_size=60), rows=st.integers(1, 20), size=st.integers(1, 400))
def test_portions_are_small_and_lose_nothing(texts: list[str], rows: int, size: int) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(texts, pa.string())], names=["text"])
    found = list(portions(batch, rows, size))
    assert [text for portion in found for text in portion.column(0).to_pylist()] == texts
    assert all(portion.num_rows <= rows for portion in found)
    assert all(portion.nbytes <= size or portion.num_rows == 1 for portion in found)


def test_merges_hold_names_of_the_schema_and_parameters_only() -> None:
    tool = NODE_TYPES["Tool"]
    assert merge_nodes("Tool", tool.properties) == (
        "UNWIND $rows AS row MERGE (n:`Tool` {iri: row[0]}) "
        "WITH n, row WHERE coalesce(n.kgscripts_graph, $graph) = $graph "
        "SET n.`label` = row[1], n.`support` = row[2], "
        "n.kgscripts_graph = $graph, n.kgscripts_build = $build RETURN count(*)"
    )
    assert merge_relations("READ_BY", ("Statement", "Model"), RELATION_TYPES["READ_BY"].properties) == (
        "UNWIND $rows AS row MATCH (a:`Statement` {iri: row[0]}) MATCH (b:`Model` {iri: row[1]}) "
        "MERGE (a)-[r:`READ_BY`]->(b) SET r.`score` = row[2], r.kgscripts_build = $build RETURN count(*)"
    )
