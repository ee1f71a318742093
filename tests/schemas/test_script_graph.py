"""The graph directory: written whole or not at all, and read back as it was written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgscripts import ScriptGraph
from schemas import graph_directory, graph_writer
from schemas.errors import ConfigurationError, GraphDirectoryError, RecordError
from schemas.graph_directory import install, locked, start_next
from schemas.graph_writer import ScriptGraphWriter
from schemas.manifest import FORMAT_VERSION, Manifest
from schemas.tables import TABLE_NAMES, key_columns, table_schema
from tests.assembly.built import graph_bytes
from tests.graphs import odd_graph, odd_rows, write_graph

_MANIFEST = Manifest(sources=0, characters=0, sources_digest="", configuration={}, discards={})


def _tools(*names: str) -> pa.RecordBatch:
    rows = [{"id": f"tool/{name}", "label": name, "support": 1} for name in names]
    return pa.RecordBatch.from_pylist(rows, schema=table_schema("Tool"))


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    graph.check_digests()
    for name, rows in odd_rows().items():
        ordered = sorted(rows, key=lambda row: tuple(row[column] for column in key_columns(name)))
        names = table_schema(name).names
        assert list(graph.rows(name)) == [{key: row.get(key) for key in names} for row in ordered]
        assert graph.table(name).num_rows == graph.manifest.rows(name) == len(rows)
        sizes = [batch.num_rows for batch in graph.batches(name, rows=4)]
        assert sizes == [min(4, len(rows) - start) for start in range(0, len(rows), 4)]


def test_same_rows_same_bytes_and_same_id(tmp_path: Path) -> None:
    first, second = odd_graph(tmp_path / "first"), odd_graph(tmp_path / "second")
    assert graph_bytes(first.directory) == graph_bytes(second.directory)
    other = write_graph(tmp_path / "other", odd_rows(), base_iri="https://example.org/")
    assert len({first.build_id, second.build_id, other.build_id}) == 2
    assert other.iri("tool/pot") == "https://example.org/tool/pot"


def test_the_file_does_not_depend_on_the_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_writer, "ROWS_A_GROUP", 4)
    names = [f"{number:03}" for number in range(19)]
    files = []
    for size in (1, 3, 4, 19):
        directory = tmp_path / str(size)
        with locked(directory), ScriptGraphWriter(directory) as writer:
            writer.write("Tool", (_tools(*names[start : start + size]) for start in range(0, 19, size)))
            writer.finish(_MANIFEST)
        files.append((directory / "nodes/Tool.parquet").read_bytes())
    assert len(set(files)) == 1
    assert pq.ParquetFile(tmp_path / "1/nodes/Tool.parquet").num_row_groups == 5


def test_tables_can_be_written_beside_each_other(tmp_path: Path) -> None:
    with locked(tmp_path), ScriptGraphWriter(tmp_path) as writer:
        with writer.table("Tool") as tools, writer.table("NEXT") as following:
            for number in range(3):
                tools(_tools(f"{number}"))
                row = {"from_id": f"passage/{number}", "to_id": "passage/9"}
                following(pa.RecordBatch.from_pylist([row], schema=table_schema("NEXT")))
        graph = writer.finish(_MANIFEST)
    assert (graph.manifest.rows("Tool"), graph.manifest.rows("NEXT"), graph.manifest.rows("USES")) == (3, 3, 0)
    assert {file.stem for folder in ("nodes", "relations") for file in (tmp_path / folder).iterdir()} == {*TABLE_NAMES}


def test_an_error_leaves_the_old_graph(tmp_path: Path) -> None:
    before = odd_graph(tmp_path / "graph")
    with (
        pytest.raises(RecordError, match="out of order"),
        locked(before.directory),
        ScriptGraphWriter(before.directory) as writer,
    ):
        writer.write("Tool", [_tools("b"), _tools("a")])
    assert ScriptGraph.open(before.directory).build_id == before.build_id
    assert not (before.directory / graph_directory.NEXT).exists()


def test_a_table_is_written_once(tmp_path: Path) -> None:
    with locked(tmp_path), ScriptGraphWriter(tmp_path) as writer:
        writer.write("Tool", [_tools("a")])
        with pytest.raises(RecordError, match="already written"):
            writer.write("Tool", [_tools("b")])


def test_a_complete_graph_is_put_into_place_from_any_point(tmp_path: Path) -> None:
    """Every state that a kill of `install` can leave: some parts moved, others not."""
    new = odd_graph(tmp_path / "new")
    parts = ["nodes", "relations", "manifest.json"]
    for moved in range(len(parts) + 1):
        directory = tmp_path / f"killed-{moved}"
        odd_graph(directory)
        write_graph(directory, {})
        following = start_next(directory)
        shutil.rmtree(following)
        following.mkdir()
        for number, part in enumerate(parts):
            target = directory / part if number < moved else following / part
            if target.is_dir():
                shutil.rmtree(target)
            copy = shutil.copytree if (new.directory / part).is_dir() else shutil.copy
            copy(new.directory / part, target)
        if moved < len(parts):
            with pytest.raises(GraphDirectoryError, match="was stopped"):
                ScriptGraph.open(directory)
        install(directory)
        assert ScriptGraph.open(directory).build_id == new.build_id


def test_an_incomplete_graph_is_thrown_away(tmp_path: Path) -> None:
    before = odd_graph(tmp_path)
    following = start_next(tmp_path)
    (following / "nodes/Tool.parquet").write_bytes(b"half")
    assert ScriptGraph.open(tmp_path).build_id == before.build_id
    install(tmp_path)
    assert not following.exists()


def test_no_graph_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(GraphDirectoryError, match="there is no graph") as caught:
        ScriptGraph.open(tmp_path / "none")
    assert "kgscripts build-graph" in str(caught.value)


def test_a_table_with_other_columns_is_refused(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    pq.write_table(pa.table({"id": ["tool/a"]}), tmp_path / "nodes/Tool.parquet")
    with pytest.raises(GraphDirectoryError, match="not the one that the manifest names"):
        ScriptGraph.open(tmp_path)
    with pytest.raises(GraphDirectoryError, match="has the columns"):
        graph.table("Tool")


def test_a_manifest_survives_its_file(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    assert Manifest.read(tmp_path / "manifest.json") == graph.manifest
    assert graph.manifest.rows("Tool") == 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": FORMAT_VERSION + 1}, "this version reads"),
        ({"kgscripts": "recipe"}, "a graph of format"),
        ({"sources": 7, "build_id": "0" * 32}, "was edited"),
        ({"base_iri": "https://example.org/"}, "was edited"),
        ({"tables": 3}, "cannot be read"),
        ({"tables": {"Tool": {"rows": 1}}}, "cannot be read"),
        ({"surprise": 1}, "cannot be read"),
    ],
)
def test_a_changed_manifest_is_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    odd_graph(tmp_path)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(GraphDirectoryError, match=message):
        ScriptGraph.open(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{", "null", '{"format_version": 1}', "\0"])
def test_what_is_no_manifest_is_refused(content: str, tmp_path: Path) -> None:
    odd_graph(tmp_path)
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    with pytest.raises(GraphDirectoryError) as caught:
        ScriptGraph.open(tmp_path)
    assert caught.value.remedy


def test_a_manifest_has_a_base_iri(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no base IRI"):
        Manifest(base_iri="data/", sources=0, characters=0, sources_digest="", configuration={}, discards={})
    odd_graph(tmp_path)
    path = tmp_path / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace("https://w3id.org/kgscripts/data/", "http://[x/"))
    with pytest.raises(GraphDirectoryError, match=r"\[x is neither a host"):
        ScriptGraph.open(tmp_path)
