"""Reading parts of a table: what a plain filter of all rows gives, from few row groups, and damage is found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts import ScriptGraph
from schemas import graph_writer
from schemas.errors import ConfigurationError, GraphDirectoryError
from schemas.records import PassageKind
from schemas.tables import TABLE_NAMES, table_path, table_schema
from tests.graphs import odd_graph, odd_rows, write_graph

_STRANGERS: dict[pa.DataType, list[Any]] = {
    pa.string(): ["", "tool/", "\x00", "\U0010ffff"],
    pa.int64(): [0, -(1 << 63), (1 << 63) - 1],
    pa.float64(): [0.0, -0.0, 1, float("inf"), float("nan")],
    pa.bool_(): [True, False],
}
_COLLECTIONS: tuple[Callable[[list[Any]], object], ...] = (list, tuple, set, iter, dict.fromkeys, pa.array)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptGraph]:
    """Every type, in row groups of eight rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_writer, "ROWS_A_GROUP", 8)
        yield write_graph(tmp_path_factory.mktemp("graph"), odd_rows(30))


@settings(max_examples=100)
@given(data=st.data())
def test_it_is_a_filter_of_all_rows(data: st.DataObject, graph: ScriptGraph) -> None:
    name = data.draw(st.sampled_from(TABLE_NAMES))
    schema, rows = table_schema(name), list(graph.rows(name))
    columns = data.draw(st.lists(st.sampled_from(schema.names), min_size=1, unique=True))
    where: dict[str, object] = {}
    wanted: dict[str, list[Any]] = {}
    scalars = [item.name for item in schema if item.type in _STRANGERS]
    for column in data.draw(st.lists(st.sampled_from(scalars), unique=True, max_size=3)):
        known = st.sampled_from([row[column] for row in rows])
        values = data.draw(
            st.lists(known | st.sampled_from([None, *_STRANGERS[schema.field(column).type]]), max_size=9)
        )
        wanted[column] = values
        where[column] = data.draw(st.sampled_from(_COLLECTIONS))(values)
        if len(values) == 1 and data.draw(st.booleans()):
            where[column] = values[0]
    found = graph.select(name, columns, where)
    kept = [row for row in rows if all(row[column] in values for column, values in wanted.items())]
    assert found.schema == pa.schema([schema.field(column) for column in columns])
    assert found.to_pylist() == [{column: row[column] for column in columns} for row in kept]


def test_all_columns_and_rows_are_the_table(graph: ScriptGraph) -> None:
    assert all(graph.select(name) == graph.table(name) for name in TABLE_NAMES)
    assert graph.select("Tool", where={}) == graph.table("Tool")
    assert list(graph.rows("Tool", ["label"])) == graph.select("Tool", ["label"]).to_pylist()


def test_labels_are_those_of_the_nodes(graph: ScriptGraph) -> None:
    labels = {row["id"]: row["label"] for row in graph.rows("Scenario")}
    assert graph.labels("Scenario") == labels
    some = [*list(labels)[::2], "no such node", None]
    assert graph.labels("Scenario", some) == {key: label for key, label in labels.items() if key in some}


def test_only_row_groups_that_can_have_the_values_are_read(graph: ScriptGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = graph.table("Passage")["id"].to_pylist()
    read: list[tuple[int, list[str]]] = []
    whole = pq.ParquetFile.read_row_group

    def noted(file: pq.ParquetFile, group: int, columns: list[str]) -> pa.Table:
        read.append((group, columns))
        return whole(file, group, columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", noted)
    assert graph.select("Passage", ["text"], {"id": [ids[0], ids[-1], "a", "z"]}).num_rows == 2
    assert read == [(group, [column]) for group in (0, 3) for column in ("id", "text")]
    read.clear()
    assert graph.select("Passage", where={"id": [], "kind": "step"}).num_rows == 0
    assert graph.select("Passage", where={"id": None}).num_rows == 0
    assert read == []
    graph.select("Passage", ["text"], {"id": [ids[0] + " ", ids[-1][:-1]]})
    assert {tuple(columns) for _, columns in read} <= {("id",)}, "the text of no row is wanted"


def test_a_value_of_an_enumeration_is_a_text(tmp_path: Path) -> None:
    rows = odd_rows()
    rows["Passage"][0]["kind"] = "mention"
    graph = write_graph(tmp_path, rows)
    assert graph.select("Passage", ["id"], {"kind": PassageKind.MENTION})["id"].to_pylist() == [
        rows["Passage"][0]["id"]
    ]


def test_values_that_are_no_numbers_are_found(tmp_path: Path) -> None:
    rows = odd_rows()
    scores = sorted(rows["BenchmarkScore"], key=lambda row: str(row["id"]))
    scores[2]["value"] = math.nan
    graph = write_graph(tmp_path, rows)
    for values, found in ((math.nan, scores[2:3]), ([9.0, math.nan, scores[1]["value"]], scores[1:3])):
        assert graph.select("BenchmarkScore", ["id"], {"value": values}).to_pylist() == [
            {"id": row["id"]} for row in found
        ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Pot",), "no table 'Pot'"),
        ((3,), "no table 3"),
        (("Tool", ["id", "colour"]), "Tool has no column 'colour'"),
        (("Tool", None, {"colour": "red"}), "Tool has no column 'colour'"),
        (("Tool", [3]), "Tool has no column 3"),
        (("Tool", "id"), "columns is 'id'"),
        (("Tool", []), "columns is empty"),
        (("Tool", 3), "columns is 3"),
        (("Tool", None, ["id"]), "where is"),
        (("Scenario", None, {"alternative_labels": "a"}), "Scenario.alternative_labels has lists"),
        (("Tool", None, {"label": 3}), "3 is no value of Tool.label"),
        (("Tool", None, {"label": ["pot", b"pan"]}), "b'pan' is no value of Tool.label"),
        (("Tool", None, {"label": ["pot", ["pan"]]}), r"\['pan'\] is no value of Tool.label"),
        (("Tool", None, {"label": "\ud800"}), "is no value of Tool.label"),
        (("Tool", None, {"support": 1.0}), "1.0 is no value of Tool.support"),
        (("Tool", None, {"support": True}), "True is no value of Tool.support"),
        (("Tool", None, {"support": 1 << 70}), "is no value of Tool.support"),
        (("USES", None, {"predicted": 1}), "1 is no value of USES.predicted"),
        (("USES", None, {"probability": "1"}), "'1' is no value of USES.probability"),
    ],
)
def test_what_a_table_cannot_have_is_an_error_with_a_remedy(
    arguments: tuple[Any, ...], message: str, graph: ScriptGraph
) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        graph.select(*arguments)
    assert caught.value.remedy


def _no_text(rows: int) -> pa.Array:
    offsets = pa.array(range(rows + 1), pa.int32()).buffers()[1]
    return pa.Array.from_buffers(pa.string(), rows, [None, offsets, pa.py_buffer(b"\xff" * rows)])


def _replace(path: Path, column: str, values: pa.Array, *, nullable: bool = False) -> None:
    table = pq.read_table(path)
    place = table.schema.names.index(column)
    pq.write_table(table.set_column(place, pa.field(column, values.type, nullable=nullable), values), path)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _overwrite_pages(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xa5" * 400 + content[404:])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (Path.unlink, "damaged"),
        (lambda path: _replace(path, "label", _no_text(10)), "damaged"),
        (lambda path: _replace(path, "id", _no_text(10)), "damaged"),
        (_cut, "damaged"),
        (_overwrite_pages, "damaged"),
        (lambda path: path.write_bytes(b"no table"), "damaged"),
        (lambda path: _replace(path, "label", pa.nulls(10, pa.string()), nullable=True), "has the columns"),
        (lambda path: _replace(path, "support", pa.array(["1"] * 10)), "has the columns"),
        (lambda path: pq.write_table(pa.table({"id": ["tool/a"]}), path), "has the columns"),
    ],
)
@pytest.mark.parametrize("where", [None, {"support": [*range(-9, 99)]}])
def test_damage_is_found(damage: Callable[[Path], object], message: str, where: Any, tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    damage(tmp_path / table_path("Tool"))
    with pytest.raises(GraphDirectoryError, match=message) as caught:
        graph.select("Tool", ["label", "id"], where)
    assert caught.value.where == str(tmp_path / table_path("Tool"))
    assert caught.value.remedy
