"""Damaged graph directories: every reader of one ends well or in an error with a remedy, and a build repairs it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgscripts.pipeline import build_graph
from kgscripts.records import RecordStore
from schemas.errors import GraphDirectoryError, KGScriptsError
from schemas.script_graph import ScriptGraph
from schemas.tables import TABLE_NAMES, key_columns, table_path
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a graph and its only input."""
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "story.txt").write_text("boil the water. add the egg. not stir.", encoding="utf-8")
    build_graph(folder / "story.txt", folder / "graph", extractors=tiny())
    return folder


@pytest.fixture
def graph(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built / "graph", tmp_path / "graph")
    return tmp_path / "graph"


def _read(directory: Path) -> None:
    """Read everything; only errors of kgscripts may come out."""
    with suppress(KGScriptsError):
        graph = ScriptGraph.open(directory)
        for name in TABLE_NAMES:
            with suppress(KGScriptsError):
                list(graph.rows(name))
        with suppress(KGScriptsError):
            graph.select("Tool", ["id", "label"])
        with suppress(KGScriptsError):
            graph.check_digests()
    with suppress(KGScriptsError), RecordStore(directory / "records") as store:
        list(store.validate())
        list(store.inputs.all())
        store.extractors.all()


def _rebuild(directory: Path, built: Path) -> None:
    """A build repairs the directory, or its error names a file or folder whose removal repairs it."""
    for _ in range(3):
        try:
            build_graph(built / "story.txt", directory, extractors=tiny())
        except GraphDirectoryError as error:
            in_records = "records" in (error.remedy or "")
            _remove(directory / "records" if in_records else Path(str(error.where)))
        else:
            break
    assert graph_bytes(directory) == graph_bytes(built / "graph")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


_CONTENTS: dict[str, bytes] = {
    "nothing": b"",
    "no UTF-8": b"\xff\xfe{}",
    "deep": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "a list": b"[]",
    "null": b"null",
    "a number": b"9" * 5000,
    "not a number": b"NaN",
    "NULs": b"\0" * 100,
}
_KINDS: dict[str, Callable[[Path], object]] = {
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
    "dangling link": lambda path: path.symlink_to("/nowhere"),
    "link to itself": lambda path: path.symlink_to(path),
    "link to zeros": lambda path: path.symlink_to("/dev/zero"),
}


_GRAPH = (
    "manifest.json",
    "nodes/Tool.parquet",
    "relations/USES.parquet",
    "discarded.jsonl",
    "run.json",
    "assembled.json",
)
_RECORDS = ("records/index.sqlite", "records/document/*.parquet")


def _damage(damage: str, path: Path) -> None:
    if os.path.lexists(path):
        _remove(path)
    if damage in _CONTENTS:
        path.write_bytes(_CONTENTS[damage])
    else:
        _KINDS[damage](path)


@pytest.mark.parametrize("damage", [*_CONTENTS, *_KINDS])
def test_a_file_with_other_content_or_of_another_kind(damage: str, graph: Path, built: Path) -> None:
    for name in (*_GRAPH, *_RECORDS):
        (path,) = graph.glob(name)
        shutil.copy2(path, graph.parent / "kept")
        _damage(damage, path)
        _read(graph)
        _remove(path)
        (graph.parent / "kept").rename(path)
    for name in _GRAPH:
        _damage(damage, graph / name)
    with pytest.raises(GraphDirectoryError):
        ScriptGraph.open(graph)
    _rebuild(graph, built)


@pytest.mark.parametrize("name", [*_RECORDS, "records", "nodes", "relations", ".next", "id", ".lock", "stores"])
def test_what_is_of_another_kind_is_built_again_or_named(name: str, graph: Path, built: Path) -> None:
    (graph / ".next").mkdir()
    (graph / "stores").mkdir()
    (path,) = graph.glob(name)
    for damage in ("nothing", "dangling link") if path.is_dir() else ("pipe", "folder"):
        _damage(damage, path)
        _read(graph)
        _rebuild(graph, built)


def _with(table: pa.Table, column: int, values: pa.Array) -> pa.Table:
    field = table.schema.field(column)
    kept = field.type == values.type and not values.null_count
    return table.set_column(column, field if kept else pa.field(field.name, values.type), values)


def _no_text(rows: int) -> pa.Array:
    """Strings that are not UTF-8."""
    offsets = pa.array(range(rows + 1), pa.int32()).buffers()[1]
    return pa.Array.from_buffers(pa.string(), rows, [None, offsets, pa.py_buffer(b"\xff" * rows)])


@pytest.mark.parametrize("name", ["Tool", "USES", "Passage"])
def test_a_table_with_wrong_values_is_damaged(name: str, graph: Path) -> None:
    path = graph / table_path(name)
    table = pq.read_table(path)
    manifest = json.loads((graph / "manifest.json").read_text())
    schema = table.schema
    for number, field in enumerate(schema):
        for values in (pa.nulls(len(table), field.type), pa.nulls(len(table)), _no_text(len(table))):
            pq.write_table(_with(table, number, values), path)
            manifest["tables"][name] |= {"bytes": path.stat().st_size}
            (graph / "manifest.json").write_text(json.dumps(manifest))
            opened = ScriptGraph.open(graph)
            with suppress(GraphDirectoryError):
                list(opened.rows(name))
            with suppress(KGScriptsError):
                opened.select(name)
            with suppress(KGScriptsError):
                opened.select(name, where={schema.names[0]: table[0].to_pylist()[:1]})


_STRANGE: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 10**30, float("nan"), "", "\x00", [], {}, [[1]], {"a": 1}]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_manifest_with_odd_values_is_refused_or_read(data: st.DataObject, graph: Path) -> None:
    content = json.loads((graph / "manifest.json").read_text())
    kept = json.dumps(content)
    item: Any = content
    while True:
        key = data.draw(st.sampled_from(sorted(item)))
        if not isinstance(item[key], dict) or not item[key] or data.draw(st.booleans()):
            break
        item = item[key]
    if data.draw(st.booleans()):
        del item[key]
    else:
        item[key] = data.draw(_STRANGE)
    (graph / "manifest.json").write_text(json.dumps(content))
    _read(graph)
    (graph / "manifest.json").write_text(kept)


def test_an_index_with_wrong_values_is_damaged(graph: Path) -> None:
    """Every column of every table of the index, with a value of another type."""
    path = graph / "records/index.sqlite"
    kept = path.read_bytes()
    with closing(sqlite3.connect(path)) as index:
        tables = [name for (name,) in index.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = [(table, row[1]) for table in tables for row in index.execute(f"PRAGMA table_info({table})")]
    for table, column in columns:
        for value in ("x'ff00'", "CAST(x'ff' AS TEXT)", "'" + "[" * 50_000 + "'", "1e999"):
            path.write_bytes(kept)
            with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as index:
                index.execute("PRAGMA synchronous = OFF")
                index.execute(f'UPDATE {table} SET "{column}" = {value}')
                index.commit()
            for use in (
                lambda store: list(store.validate()),
                lambda store: list(store.inputs.all()),
                lambda store: list(store.readings.lacking([*store.extractors.all()])),
                lambda store: store.inputs.documents(),
                lambda store: store.readings.check([]),
            ):
                with suppress(KGScriptsError), RecordStore(graph / "records") as store:
                    use(store)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_table_with_other_bytes_is_damaged(data: st.DataObject, graph: Path) -> None:
    path = graph / data.draw(st.sampled_from(["nodes/Tool.parquet", "nodes/Passage.parquet", "relations/USES.parquet"]))
    kept = path.read_bytes()
    key = key_columns(path.stem)[0]
    last = pq.read_table(path)[key].to_pylist()[-1:]
    content = bytearray(kept)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    opened = ScriptGraph.open(graph)
    with suppress(KGScriptsError):
        list(opened.rows(path.stem))
    with suppress(KGScriptsError):
        opened.select(path.stem)
    with suppress(KGScriptsError):
        opened.select(path.stem, where={key: last})
    path.write_bytes(kept)
