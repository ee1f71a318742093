"""Ladybug, the embedded Cypher store: a graph in one file, loaded by `COPY` from the graph's own Parquet tables."""

from __future__ import annotations

import glob
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from exports.neo4j.property_graph import KEY, quoted
from exports.query.engine_process import Child
from exports.targets import ExportOptions, report, scheme_of
from schemas.errors import StoreError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.kept_stores import kept_store
from schemas.output_files import new_file
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph
from schemas.tables import table_path
from schemas.type_declarations import Property, ValueType
from schemas.vocabulary import ID_PREFIXES

_MAGIC = b"LBUG"
_LOADER = Path(__file__).with_name("ladybug_loader.py")
_CRASH = "the engine crashes"

_TYPES = {
    ValueType.STRING: "STRING",
    ValueType.STRINGS: "STRING[]",
    ValueType.INTEGER: "INT64",
    ValueType.NUMBER: "DOUBLE",
    ValueType.BOOLEAN: "BOOLEAN",
    ValueType.NODE: "STRING",
    ValueType.NODES: "STRING[]",
}


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write the graph as a Ladybug file (``graph.lbug``, ``ladybug:PATH``) and replace an older one.

    Raises
    ------
    StoreError
        If the file cannot be written, or exists and is not a Ladybug file.
    """
    path = Path(target.partition(":")[2] if scheme_of(target) else target)
    if path.exists() and not _is_store(path):
        raise StoreError("exists and is not a Ladybug store", where=str(path), remedy="name another file")
    if options.dry_run:
        return report(graph, target)
    with new_file(path) as temporary:
        _load(graph, temporary, options)
    return report(graph, target, bytes=path.stat().st_size)


def _is_store(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def check_store(path: Path) -> None:
    """Check that `path` is a Ladybug file.

    Raises
    ------
    StoreError
        If it is not.
    """
    if not _is_store(path):
        raise StoreError("is not a Ladybug store", where=str(path), remedy="export a graph to it first")


def embedded_store(graph: StoredGraph, progress: Callable[[int], None] | None = None) -> Path:
    """Return the graph's own store under its directory, built if there is none of this build; remove older ones.

    `progress` is called with the number of rows done since its last call.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    # Ladybug cannot open files of its older formats. Importing it to ask for its version takes long.
    return kept_store(
        graph,
        "ladybug",
        version("ladybug"),
        new_file,
        lambda path: _load(graph, path, ExportOptions(progress=progress)),
    )


def _load(graph: StoredGraph, path: Path, options: ExportOptions) -> None:
    """Fill a new file; `OSError` if the engine fails."""
    statements = list(_statements(graph))
    child = Child.start(_LOADER, path.absolute(), {})
    try:
        stdin, stdout = child.pipes
        # Without its pipe the child writes why it has ended.
        with suppress(BrokenPipeError):
            stdin.write(json.dumps([(text, parameters) for text, parameters, _ in statements]).encode())
            stdin.close()
        for _, _, rows in statements:
            if (line := stdout.readline()) != b"\n":
                raise OSError(line.decode() or _CRASH)
            options.advance(rows)
        if (line := stdout.readline()) != b"end\n":
            raise OSError(line.decode() or _CRASH)
    finally:
        child.end()


def _statements(graph: StoredGraph) -> Iterator[tuple[str, dict[str, str], int]]:
    """The statements that fill a file: text, parameters, and the number of rows that are done after it."""
    # Each transaction ends in a checkpoint: one for all empty tables, then one per table, which bounds memory.
    yield "BEGIN TRANSACTION", {}, 0
    for text in _tables():
        yield text, {}, 0
    yield "COMMIT", {}, 0
    base = {"base": graph.manifest.base_iri}
    for label, node in NODE_TYPES.items():
        if rows := graph.manifest.rows(label):
            yield _copy(graph, label, ("id",), node.properties), base, rows
    for name, relation in RELATION_TYPES.items():
        if rows := graph.manifest.rows(name):
            for ends in relation.ends:
                is_last = ends == relation.ends[-1]
                text = _copy(graph, name, ("from_id", "to_id"), relation.properties, ends)
                yield text, base, rows if is_last else 0


def _tables() -> Iterator[str]:
    for label, node in NODE_TYPES.items():
        columns = ", ".join([f"{KEY} STRING PRIMARY KEY", *map(_column, node.properties)])
        yield f"CREATE NODE TABLE {quoted(label)}({columns})"
    for name, relation in RELATION_TYPES.items():
        pairs = [f"FROM {quoted(start)} TO {quoted(end)}" for start, end in relation.ends]
        yield f"CREATE REL TABLE {quoted(name)}({', '.join([*pairs, *map(_column, relation.properties)])})"


def _column(item: Property) -> str:
    return f"{quoted(item.name)} {_TYPES[item.type]}"


def _copy(
    graph: StoredGraph,
    name: str,
    keys: tuple[str, ...],
    properties: tuple[Property, ...],
    ends: tuple[str, str] | None = None,
) -> str:
    columns = [f"base + {quoted(key)}" for key in keys]
    columns += [_value(item) for item in properties]
    where, between = "", ""
    if ends:
        begins = zip(keys, ends, strict=True)
        where = "WHERE " + " AND ".join(f"{key} STARTS WITH '{ID_PREFIXES[end]}/'" for key, end in begins)
        between = f"(from='{ends[0]}', to='{ends[1]}')"
    # Ladybug takes the file's name as a pattern and not as a parameter, and no parameter in a lambda: hence `base`.
    file = glob.escape(str(graph.directory.absolute() / table_path(name))).replace("\\", "\\\\").replace("'", "\\'")
    rows = f"LOAD FROM '{file}' {where} WITH *, $base AS base RETURN {', '.join(columns)}"
    return f"COPY {quoted(name)} FROM ({rows}) {between}"


def _value(item: Property) -> str:
    column = quoted(item.name)
    if item.type is ValueType.NODES:
        return f"list_transform({column}, member -> base + member)"
    if item.type is not ValueType.NODE:
        return column
    # Ladybug's sum of a text and null is the text.
    return f"CASE WHEN {column} IS NULL THEN NULL ELSE base + {column} END"
