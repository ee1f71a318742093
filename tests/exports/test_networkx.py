"""networkx, GraphML and pandas: the same graph for those who analyse it."""

from __future__ import annotations

import gzip
from pathlib import Path

import networkx as nx
import pandas as pd
import pyarrow as pa
import pytest

from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from schemas.errors import StoreError
from schemas.tables import TABLE_NAMES, table_schema
from tests.exports.adapters_property_graph import read_csv, read_frames, read_graphml, read_networkx
from tests.exports.compliance import expected
from tests.graphs import odd_graph, odd_rows, write_graph


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("networkx") / "graph")


def test_networkx_holds_the_graph(graph: ScriptGraph) -> None:
    result = graph.to_networkx()
    assert isinstance(result, nx.MultiDiGraph)
    assert read_networkx(result) == expected(graph)
    assert result.graph == {"base_iri": graph.manifest.base_iri, "build_id": graph.build_id}
    assert all(key == values["type"] for *_, key, values in result.edges(keys=True, data=True))


def test_frames_hold_the_graph(graph: ScriptGraph) -> None:
    assert read_frames(graph) == expected(graph)


def test_frames_keep_their_columns_and_types_without_rows(tmp_path: Path) -> None:
    frames = write_graph(tmp_path, {}).to_frames()
    assert {name: list(frame.columns) for name, frame in frames.items()} == {
        name: table_schema(name).names for name in TABLE_NAMES
    }
    assert pd.api.types.is_integer_dtype(frames["Tool"]["support"])


@pytest.mark.parametrize("name", ["g.graphml", "g.graphml.gz", "g.graphml.zst", "G.GraphML"])
def test_graphml_holds_the_graph(graph: ScriptGraph, tmp_path: Path, name: str) -> None:
    export(graph, str(tmp_path / name))
    path = tmp_path / name
    if name == "G.GraphML":
        path = path.rename(tmp_path / "g.graphml")
    elif name.endswith(".zst"):
        with pa.CompressedInputStream(path, "zstd") as packed:
            path = tmp_path / "g.graphml"
            path.write_bytes(packed.read())
    assert read_graphml(path) == expected(graph)


def test_graphml_of_the_same_graph_has_the_same_bytes(graph: ScriptGraph, tmp_path: Path) -> None:
    for name in ("a.graphml.gz", "b.graphml.gz"):
        export(graph, str(tmp_path / name))
    assert (tmp_path / "a.graphml.gz").read_bytes() == (tmp_path / "b.graphml.gz").read_bytes()


def test_graphml_says_which_characters_xml_cannot_hold(graph: ScriptGraph, tmp_path: Path) -> None:
    export(graph, str(tmp_path / "g.graphml.gz"))
    text = gzip.decompress((tmp_path / "g.graphml.gz").read_bytes()).decode()
    assert "nul \ufffd and bell \ufffd" in text
    assert r'"nul \u0000 and bell \u0007"' in text


def test_a_parquet_copy_is_the_same_graph(graph: ScriptGraph, tmp_path: Path) -> None:
    for _ in range(2):
        export(graph, f"parquet:{tmp_path / 'copy'}")
    copy = ScriptGraph.open(tmp_path / "copy")
    copy.check_digests()
    assert copy.build_id == graph.build_id


@pytest.mark.parametrize("scheme", ["parquet", "neo4j-csv"])
def test_other_peoples_directories_are_not_replaced(graph: ScriptGraph, tmp_path: Path, scheme: str) -> None:
    (tmp_path / "thesis.txt").write_text("three years of work")
    with pytest.raises(StoreError, match="was not made by an export"):
        export(graph, f"{scheme}:{tmp_path}")
    with pytest.raises(StoreError, match="was not made by an export"):
        export(graph, f"{scheme}:{tmp_path / 'thesis.txt'}")
    with pytest.raises(StoreError, match="was not made by an export"):
        export(graph, f"{scheme}:{graph.directory}")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("target", ["parquet:{}", "neo4j-csv:{}", "{}.graphml", "{}.neo4j-csv"])
def test_a_dry_run_writes_nothing(graph: ScriptGraph, tmp_path: Path, target: str) -> None:
    export(graph, target.format(tmp_path / "x"), ExportOptions(dry_run=True))
    assert list(tmp_path.iterdir()) == []


def test_csv_holds_the_graph(graph: ScriptGraph, tmp_path: Path) -> None:
    for _ in range(2):
        export(graph, str(tmp_path / "g.neo4j-csv"))
    assert read_csv(tmp_path / "g.neo4j-csv") == expected(graph)


def test_csv_joins_lists_by_a_character_that_they_do_not_hold(tmp_path: Path) -> None:
    rows = odd_rows()
    rows["Scenario"][0]["alternative_labels"] = ["a\x1fb", "", "c;d|e"]
    graph = write_graph(tmp_path / "graph", rows)
    export(graph, f"neo4j-csv:{tmp_path / 'csv'}")
    assert read_csv(tmp_path / "csv") == expected(graph)


@pytest.mark.parametrize(("labels", "message"), [(["\x1c\x1d\x1e\x1f"], "all characters"), ([""], "one empty text")])
def test_csv_refuses_lists_that_it_cannot_hold(tmp_path: Path, labels: list[str], message: str) -> None:
    rows = odd_rows()
    rows["Scenario"][0]["alternative_labels"] = labels
    with pytest.raises(StoreError, match=message):
        export(write_graph(tmp_path / "graph", rows), f"neo4j-csv:{tmp_path / 'csv'}")
    assert not (tmp_path / "csv").exists()
