"""Property-graph targets as the compliance suite sees them: write a graph, read back all that is there.

Reading goes the way of each target's own users (driver, Cypher, networkx, CSV rules), not through the exporters.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import ladybug
import networkx as nx
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

from kgscripts import ScriptGraph
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import ValueType
from tests.exports.compliance import Adapter, AdapterFactory, Content, expected
from tests.exports.neo4j_server import BoltServer

MARKS = ("kgscripts_graph", "kgscripts_build")
"""What the exporter adds for itself in Neo4j."""


def _unmarked(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in MARKS}


def read_bolt(server: BoltServer) -> Content:
    nodes = server.ask("MATCH (n) RETURN labels(n), properties(n)")
    relations = server.ask("MATCH (a)-[r]->(b) RETURN a.iri, b.iri, type(r), properties(r)")
    assert all(len(labels) == 1 for labels, _ in nodes)
    return Content.of(
        [{"type": labels[0], **_unmarked(properties)} for labels, properties in nodes],
        [
            {"from_iri": start, "to_iri": end, "type": name, **_unmarked(properties)}
            for start, end, name, properties in relations
        ],
    )


def read_ladybug(path: Path) -> Content:
    def inner(value: dict[str, Any]) -> dict[str, Any]:
        return {"type": value["_LABEL"], **{name: item for name, item in value.items() if name[0] != "_"}}

    with ladybug.Database(path, read_only=True) as database, ladybug.Connection(database) as connection:

        def rows(query: str) -> list[Any]:
            return list(cast(ladybug.QueryResult, connection.execute(query)))

        nodes, relations = rows("MATCH (n) RETURN n"), rows("MATCH (a)-[r]->(b) RETURN a.iri, b.iri, r")
    return Content.of(
        [inner(row[0]) for row in nodes],
        [{"from_iri": start, "to_iri": end, **inner(relation)} for start, end, relation in relations],
    )


def read_networkx(graph: nx.MultiDiGraph) -> Content:
    return Content.of(
        [{"iri": iri, **values} for iri, values in graph.nodes(data=True)],
        [{"from_iri": start, "to_iri": end, **values} for start, end, values in graph.edges(data=True)],
    )


_LISTS = {
    item.name
    for node in NODE_TYPES.values()
    for item in node.properties
    if item.type in (ValueType.STRINGS, ValueType.NODES)
}


def read_graphml(path: Path) -> Content:
    """By networkx, then as documented: lists are JSON, and `_json` holds the exact text."""

    def exact(values: dict[str, Any]) -> None:
        values.pop("id", None)
        for name in [name for name in values if name.endswith("_json")]:
            values[name.removesuffix("_json")] = json.loads(values.pop(name))
        for name in _LISTS & values.keys():
            values[name] = json.loads(values[name])

    graph = nx.read_graphml(path, force_multigraph=True)
    for _, values in graph.nodes(data=True):
        exact(values)
    for _, _, values in graph.edges(data=True):
        exact(values)
    return read_networkx(graph)


def read_frames(graph: ScriptGraph) -> Content:
    nodes: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []
    for name, frame in graph.to_frames().items():
        keys = ["iri"] if name in NODE_TYPES else ["from_iri", "to_iri"]
        properties = (NODE_TYPES if name in NODE_TYPES else RELATION_TYPES)[name].properties
        nodes_of = {*keys, *(item.name for item in properties if item.type in (ValueType.NODE, ValueType.NODES))}
        columns = [*keys, *frame.columns[len(keys) :]]

        def value(column: str, cell: Any, named: set[str] = nodes_of) -> Any:
            if column not in named or cell is None:
                return cell
            return graph.iri(cell) if isinstance(cell, str) else [graph.iri(item) for item in cell]

        rows = [
            {"type": name, **{column: value(column, cell) for column, cell in zip(columns, row, strict=True)}}
            for row in frame.astype(object).where(frame.notna(), None).itertuples(index=False)
        ]
        (nodes if name in NODE_TYPES else relations).extend(rows)
    return Content.of([_listed(row) for row in nodes], relations)


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if hasattr(value, "tolist") else value for name, value in row.items()}


def read_csv(directory: Path) -> Content:
    """By the rules of `neo4j-admin database import`, as far as `import.args` uses them."""
    arguments = (directory / "import.args").read_text(encoding="utf-8").splitlines()
    options = dict(line.removeprefix("--").split("=", 1) for line in arguments if line.count("=") == 1)
    separator = chr(int(options["array-delimiter"].removeprefix("U+"), 16))
    convert: dict[str, Callable[[str], Any]] = {
        "string": str,
        "string[]": lambda text: text.split(separator) if text else [],
        "long": int,
        "double": float,
        "boolean": {"true": True, "false": False}.__getitem__,
    }
    nodes: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []
    for line in arguments:
        kind, _, rest = line.partition("=")
        if kind not in ("--nodes", "--relationships"):
            continue
        name, _, files = rest.partition("=")
        header_file, data_file = (directory / file for file in files.split(","))
        header = [column.split(":") for column in header_file.read_text(encoding="utf-8").strip().split(",")]
        for row in _fields(data_file, len(header)):
            values: dict[str, Any] = {"type": name}
            for (column, column_type), text in zip(header, row, strict=True):
                kind_of_key = column_type.partition("(")[0]
                key = {"START_ID": "from_iri", "END_ID": "to_iri"}.get(kind_of_key, column)
                values[key] = text if text is None or kind_of_key not in convert else convert[column_type](text)
            (nodes if kind == "--nodes" else relations).append(_unmarked(values))
    return Content.of(nodes, relations)


def _fields(file: Path, columns: int) -> list[list[str | None]]:
    """The fields of a CSV file; one without quotes and characters is missing, one with quotes is an empty text."""
    if not file.stat().st_size:
        return []
    names = [str(number) for number in range(columns)]
    table = pa_csv.read_csv(
        file,
        read_options=pa_csv.ReadOptions(column_names=names, block_size=64 << 20),
        parse_options=pa_csv.ParseOptions(newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    return [list(row.values()) for row in table.to_pylist()]


def _ladybug(_: pytest.FixtureRequest, folder: Path) -> Adapter:
    path = folder / "graph.lbug"
    return Adapter(target=str(path), read=lambda: read_ladybug(path))


def _graphml(_: pytest.FixtureRequest, folder: Path) -> Adapter:
    path = folder / "graph.graphml.gz"
    return Adapter(target=str(path), read=lambda: read_graphml(path))


def _csv(_: pytest.FixtureRequest, folder: Path) -> Adapter:
    path = folder / "graph.neo4j-csv"
    return Adapter(target=str(path), read=lambda: read_csv(path))


def _parquet(_: pytest.FixtureRequest, folder: Path) -> Adapter:
    """The tables, and what networkx and pandas get of them."""
    path = folder / "tables"

    def read() -> Content:
        graph = ScriptGraph.open(path)
        content = expected(graph)
        assert read_networkx(graph.to_networkx()) == content, "networkx"
        assert read_frames(graph) == content, "pandas"
        return content

    return Adapter(target=f"parquet:{path}", read=read)


def _bolt(fixture: str, request: pytest.FixtureRequest, _: Path) -> Adapter:
    server: BoltServer = request.getfixturevalue(fixture)
    return Adapter(target=server.uri, read=lambda: read_bolt(server))


ADAPTERS: dict[str, AdapterFactory] = {
    "ladybug": _ladybug,
    "graphml": _graphml,
    "neo4j-csv": _csv,
    "parquet": _parquet,
    "neo4j": partial(_bolt, "neo4j_server"),
    "arcadedb": partial(_bolt, "arcadedb_server"),
}
