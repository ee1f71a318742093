"""Damaged graph directories: every reader of one ends well or in an error with a remedy, and a build repairs it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph
from kgscripts.records.store import RecordStore
from schemas.errors import GraphDirectoryError
from schemas.tables import TABLE_NAMES, key_columns, table_path
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny
from tests.pipeline.stopping import until_assembly


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a graph, every table of which that is damaged here has rows, and its only input."""
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "story.txt").write_text("boil the water with the spoon. add the egg. not stir.", encoding="utf-8")
    build_graph(folder / "story.txt", folder / "graph", extractors=tiny())
    return folder


@pytest.fixture
def graph(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built / "graph", tmp_path / "graph")
    return tmp_path / "graph"


def _error(use: Callable[..., object], *arguments: Any) -> str:
    """The path that the error of a use names, which has a remedy; "" if there is none. Other errors pass through."""
    try:
        use(*arguments)
    except GraphDirectoryError as error:
        return str(error.where) if error.remedy else "no remedy"
    return ""


def _read(directory: Path) -> set[str]:
    """The paths that reading and checking the whole directory says are damaged."""
    found: set[str] = set()

    def read_graph() -> None:
        graph = ScriptGraph.open(directory)
        found.update(_error(graph.table, name) for name in TABLE_NAMES)
        graph.check_digests()

    def read_records() -> None:
        with RecordStore(directory / "records") as store:
            list(store.inputs.all())
            store.extractors.all()
            found.update(problem.split(": ")[0] for problem in store.validate())

    found.update(_error(use) for use in (read_graph, read_records))
    return found - {""}


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
_NOT_READ = ("discarded.jsonl", "run.json", "assembled.json")
_RECORDS = ("records/index.sqlite", "records/document/*.parquet")


def _damage(damage: str, path: Path) -> None:
    if os.path.lexists(path):
        _remove(path)
    if damage in _CONTENTS:
        path.write_bytes(_CONTENTS[damage])
    else:
        _KINDS[damage](path)


@pytest.mark.parametrize("damage", [*_CONTENTS, *_KINDS])
def test_a_file_with_other_content_or_of_another_kind_is_named(damage: str, graph: Path, built: Path) -> None:
    """But for files that no reader of a graph needs: they are only made anew."""
    assert _read(graph) == set()
    for name in (*_GRAPH, *_RECORDS):
        (path,) = graph.glob(name)
        shutil.copy2(path, graph.parent / "kept")
        _damage(damage, path)
        # A link that leads nowhere counts as no file.
        named = graph if name == "manifest.json" and not path.exists() else path
        assert _read(graph) == (set() if name in _NOT_READ else {str(named)})
        _remove(path)
        (graph.parent / "kept").rename(path)
    for name in _GRAPH:
        _damage(damage, graph / name)
    with pytest.raises(GraphDirectoryError):
        ScriptGraph.open(graph)
    if damage in _KINDS:
        _rebuild(graph, built)
    else:  # whatever the content, it is replaced in the same way, as the next test has it
        with until_assembly():
            build_graph(built / "story.txt", graph, extractors=tiny())


def test_files_with_other_content_are_built_again(graph: Path, built: Path) -> None:
    for damage, name in zip(_CONTENTS, _GRAPH, strict=False):
        _damage(damage, graph / name)
    _rebuild(graph, built)


_EMPTY = (".next", "id", ".lock", "stores")
"""What readers of a graph do not need."""


@pytest.mark.parametrize("name", [*_RECORDS, "records", *_EMPTY])
def test_what_is_of_another_kind_is_named_and_built_again(name: str, graph: Path, built: Path) -> None:
    (graph / ".next").mkdir()
    (graph / "stores").mkdir()
    (path,) = graph.glob(name)
    for damage in ("nothing", "dangling link") if path.is_dir() else ("pipe", "folder"):
        _damage(damage, path)
        assert name in _EMPTY or any(found.startswith(str(path)) for found in _read(graph))
        _rebuild(graph, built)


@pytest.mark.parametrize("damage", ["nothing", "dangling link"])
def test_folders_of_tables_of_another_kind_are_named_and_built_again(damage: str, graph: Path, built: Path) -> None:
    for name in ("nodes", "relations"):
        shutil.copytree(graph / name, graph.parent / "kept")
        _damage(damage, graph / name)
        assert any(found.startswith(str(graph / name)) for found in _read(graph))
        _remove(graph / name)
        (graph.parent / "kept").rename(graph / name)
    for name in ("nodes", "relations"):
        _damage(damage, graph / name)
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
def test_a_table_with_values_that_its_type_forbids_is_damaged(name: str, graph: Path) -> None:
    """Only its digest tells that a value which may be absent was there."""
    path = graph / table_path(name)
    table = pq.read_table(path)
    assert len(table)
    manifest = json.loads((graph / "manifest.json").read_text())
    first, kept = table.schema.names[0], table[0].to_pylist()[:1]
    for number, field in enumerate(table.schema):
        for values in (pa.nulls(len(table), field.type), pa.nulls(len(table)), _no_text(len(table))):
            pq.write_table(_with(table, number, values), path)
            manifest["tables"][name] |= {"bytes": path.stat().st_size}
            (graph / "manifest.json").write_text(json.dumps(manifest))
            opened = ScriptGraph.open(graph)
            allowed = field.nullable and values.type == field.type and values.null_count
            for arguments in ((), ([field.name],), (None, {first: kept})):
                assert _error(opened.select, name, *arguments) == ("" if allowed else str(path))
            assert _error(opened.table, name) == ("" if allowed else str(path))
            assert _error(opened.check_digests) == str(path)


def test_every_wrong_value_in_the_index_is_found(graph: Path) -> None:
    """Every column of every table of the index, with a value of another type, no UTF-8, or text in its place.

    What is not found is another text where any text may be.
    """
    path = graph / "records/index.sqlite"
    kept = path.read_bytes()
    with closing(sqlite3.connect(path)) as index:
        tables = [name for (name,) in index.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = [(table, row[1]) for table in tables for row in index.execute(f"PRAGMA table_info({table})")]
    changed = 0
    for table, column in columns:
        for value in ("x'ff00'", "CAST(x'ff' AS TEXT)", "'" + "[" * 50_000 + "'", "1e999"):
            path.write_bytes(kept)
            with closing(sqlite3.connect(path)) as index:
                index.execute("PRAGMA synchronous = OFF")
                try:
                    if not index.execute(f'UPDATE {table} SET "{column}" = {value}').rowcount:
                        continue
                except sqlite3.IntegrityError:  # which the index forbids by itself
                    continue
                index.commit()
            changed += 1
            any_text = f"{table}.{column}" in _ANY_TEXT and value not in ("x'ff00'", "CAST(x'ff' AS TEXT)")
            found = _read(graph)
            assert bool(found) != any_text, (table, column, value[:20])
            assert all(name.startswith(str(graph / "records")) for name in found)
            for use in (
                lambda store: list(store.readings.lacking([*store.extractors.all()])),
                lambda store: store.inputs.documents(),
                lambda store: store.readings.check([]),
            ):
                assert _error(_use, graph, use) in ("", str(path), str(graph / "records"))
    assert changed > 50


_ANY_TEXT = ("extractor.name", "input.key", "input.fingerprint", "source.name")


def _use(graph: Path, use: Callable[[RecordStore], object]) -> None:
    with RecordStore(graph / "records") as store:
        use(store)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_other_bytes_of_a_table_are_found_by_its_digest_and_maybe_by_reading(data: st.DataObject, graph: Path) -> None:
    path = graph / data.draw(st.sampled_from(["nodes/Tool.parquet", "nodes/Passage.parquet", "relations/USES.parquet"]))
    kept = path.read_bytes()
    key = key_columns(path.stem)[0]
    last = pq.read_table(path)[key].to_pylist()[-1:]
    content = bytearray(kept)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    opened = ScriptGraph.open(graph)
    assert _error(opened.check_digests) == ("" if content == kept else str(path))
    for use, *arguments in ((opened.table,), (opened.select,), (opened.select, None, {key: last})):
        assert _error(use, path.stem, *arguments) in ("", str(path))
    path.write_bytes(kept)
