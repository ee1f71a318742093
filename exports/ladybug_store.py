"""Ladybug, the embedded Cypher store: a graph in one file, loaded by `COPY` from the graph's own Parquet tables."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from exports.atomic_write import new_file
from exports.embedded import kept_store
from exports.property_graph import KEY, quoted
from exports.targets import ExportOptions, ExportReport, report, scheme_of
from schemas.errors import StoreError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES, Property, ValueType
from schemas.script_graph import ScriptGraph
from schemas.tables import table_path
from schemas.vocabulary import ID_PREFIXES

if TYPE_CHECKING:
    import ladybug

_MAGIC = b"LBUG"

_TYPES = {
    ValueType.STRING: "STRING",
    ValueType.STRINGS: "STRING[]",
    ValueType.INTEGER: "INT64",
    ValueType.NUMBER: "DOUBLE",
    ValueType.BOOLEAN: "BOOLEAN",
    ValueType.NODE: "STRING",
    ValueType.NODES: "STRING[]",
}


def export(graph: ScriptGraph, target: str, options: ExportOptions) -> ExportReport:
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


def embedded_store(graph: ScriptGraph) -> Path:
    """Return the graph's own store under its directory, built if there is none of this build; remove older ones.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    # Ladybug reads no files of its older formats, and a graph may outlive them. Importing it to ask takes long.
    return kept_store(
        graph,
        "ladybug",
        version("ladybug"),
        new_file,
        lambda path: _load(graph, path, ExportOptions()),
    )


def _load(graph: ScriptGraph, path: Path, options: ExportOptions) -> None:
    import ladybug

    try:
        with (
            # With a buffer pool of a fixed size, graphs of some ten million relations fail to load.
            ladybug.Database(path) as database,
            ladybug.Connection(database) as opened,
        ):
            # Each transaction ends in a checkpoint: one for all empty tables, then one per table, which bounds memory.
            opened.execute("BEGIN TRANSACTION")
            for statement in _tables():
                opened.execute(statement)
            opened.execute("COMMIT")
            for label, node in NODE_TYPES.items():
                _copy(opened, graph, label, ("id",), node.properties)
                options.advance(graph.manifest.rows(label))
            for name, relation in RELATION_TYPES.items():
                for ends in relation.ends:
                    _copy(opened, graph, name, ("from_id", "to_id"), relation.properties, ends)
                options.advance(graph.manifest.rows(name))
    except RuntimeError as error:
        raise StoreError(f"Ladybug refuses the graph ({error})", where=str(path)) from error


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
    opened: ladybug.Connection,
    graph: ScriptGraph,
    name: str,
    keys: tuple[str, ...],
    properties: tuple[Property, ...],
    ends: tuple[str, str] | None = None,
) -> None:
    if not graph.manifest.rows(name):
        return
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
    opened.execute(f"COPY {quoted(name)} FROM ({rows}) {between}", {"base": graph.manifest.base_iri})


def _value(item: Property) -> str:
    column = quoted(item.name)
    if item.type is ValueType.NODES:
        return f"list_transform({column}, member -> base + member)"
    if item.type is not ValueType.NODE:
        return column
    # Ladybug's sum of a text and null is the text.
    return f"CASE WHEN {column} IS NULL THEN NULL ELSE base + {column} END"
