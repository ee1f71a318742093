"""The script graph: a directory of Parquet tables, written by the build and read by exports and queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import frozen

from schemas import graph_directory
from schemas.arguments import check_type, path_of, shown
from schemas.errors import ConfigurationError, GraphDirectoryError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.manifest import Manifest
from schemas.table_reader import read_batches, select_rows
from schemas.tables import ROWS_A_GROUP, TABLE_NAMES, table_path, table_schema
from schemas.type_declarations import installed_node_types, installed_relation_types


@frozen(repr=False)
class StoredGraph:
    """A graph on disk. Tables are read when asked for; nothing is held in memory."""

    directory: Path
    manifest: Manifest

    @classmethod
    def open(cls, directory: str | Path) -> Self:
        """Open the graph in `directory`.

        Raises
        ------
        GraphDirectoryError
            If there is none, or if its files are not the ones that the manifest names.
        """
        path = path_of("directory", directory)
        graph_directory.check_path(path)
        remedy = f"run `kgscripts build-graph INPUT -o {path}`"
        if (path / graph_directory.NEXT / "manifest.json").exists():
            raise GraphDirectoryError(
                "a build was stopped while it installed its graph",
                where=str(path),
                remedy=f"{remedy} again",
            )
        if not (path / "manifest.json").exists():
            raise GraphDirectoryError("there is no graph", where=str(path), remedy=remedy)
        manifest = Manifest.read(path / "manifest.json")
        if unknown := sorted(manifest.tables.keys() - set(TABLE_NAMES)):
            raise GraphDirectoryError(
                f"the graph has the type {unknown[0]}, which no installed package declares",
                where=str(path),
                remedy="install the package that brings it, or run `kgscripts build-graph` on this directory again",
            )
        for name in _tables_of(manifest):
            file = path / table_path(name)
            if name not in manifest.tables or not file.is_file() or file.stat().st_size != manifest.tables[name].bytes:
                raise GraphDirectoryError(
                    "the file is missing or not the one that the manifest names",
                    where=str(file),
                    remedy=f"{remedy} again",
                )
        return cls(path, manifest)

    def __repr__(self) -> str:
        nodes, relations = (sum(map(self.manifest.rows, types)) for types in (NODE_TYPES, RELATION_TYPES))
        return f"{type(self).__name__}({str(self.directory)!r}: {nodes:,} nodes, {relations:,} relations)"

    def before_store_is_made(self, kind: str) -> None:
        """Called before a store or an index of this kind is made in the directory of the graph, which may take minutes;
        a graph whose readers cannot wait raises StoreMissingError."""

    @property
    def build_id(self) -> str:
        """Identifies the content of the graph: graphs with the same rows have the same id."""
        return self.manifest.build_id

    @property
    def graph_id(self) -> str:
        """Identifies the graph on servers: the same for all builds in its directory, and for copies of the directory.

        Raises
        ------
        GraphDirectoryError
            If the directory's file ``id`` is damaged, or it has none and cannot be written.
        """
        return graph_directory.graph_id(self.directory)

    def iri(self, identifier: str) -> str:
        """The IRI of a node's id."""
        return self.manifest.base_iri + identifier

    def table(self, name: str) -> pa.Table:
        """All rows of the node or relation type `name`; raises what `batches` raises."""
        _check_name(name)
        return pa.Table.from_batches(self.batches(name), schema=table_schema(name))

    def batches(self, name: str, rows: int = ROWS_A_GROUP) -> Iterator[pa.RecordBatch]:
        """Iterate over the table `name` in batches of at most `rows` rows.

        Raises
        ------
        GraphDirectoryError
            If the file is damaged.
        ConfigurationError
            If there is no such type.
        """
        _check_name(name)
        if name in _tables_of(self.manifest):
            yield from read_batches(self.directory / table_path(name), name, rows)

    def rows(
        self, name: str, columns: Iterable[str] | None = None, where: Mapping[str, object] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Iterate over the rows of the table `name` as dictionaries: all of them, or what `select` gives."""
        every = columns is None and where is None
        for batch in self.batches(name) if every else self.select(name, columns, where).to_batches():
            yield from batch.to_pylist()

    def labels(self, node_type: str, ids: Iterable[str | None] | None = None) -> dict[str, str]:
        """The label of each node of a type by its id: of all nodes, or of those with these ids."""
        where = None if ids is None else {"id": ids}
        return {row["id"]: row["label"] for row in self.rows(node_type, ("id", "label"), where)}

    def names(self, node_type: str, ids: Iterable[str | None]) -> dict[str, tuple[str, str]]:
        """The label of each node of a type with these ids, and the label as a person would write it; for a type without
        such labels, the label twice."""
        has_text = any(item.name == "label_text" for item in NODE_TYPES[node_type].properties)
        columns = ("id", "label", "label_text") if has_text else ("id", "label")
        rows = self.rows(node_type, columns, {"id": ids})
        return {row["id"]: (row["label"], row.get("label_text", row["label"])) for row in rows}

    def select(
        self, table: str, columns: Iterable[str] | None = None, where: Mapping[str, object] | None = None
    ) -> pa.Table:
        """Read some columns (all by default) of the rows of a table for which `where` holds (all by default).

        Only these rows are held in memory. Row groups that cannot contain them are not loaded: tables of nodes ascend
        by id, tables of relations by the id of their start.

        Parameters
        ----------
        table:
            The name of a node or relation type.
        columns:
            The names of columns, in the order in which they are wanted.
        where:
            Maps columns to a value, or to a collection of allowed values; None means null. Rows that fulfil all
            conditions are returned. Columns of lists cannot have conditions.

        Returns
        -------
            The rows in the order of the table; ``.to_pylist()`` makes dictionaries of them.

        Raises
        ------
        GraphDirectoryError
            If what is read is damaged, or the table has other columns than its type.
        ConfigurationError
            If there is no such type or column, or a column cannot have such a value.
        """
        _check_name(table)
        file = self.directory / table_path(table) if table in _tables_of(self.manifest) else None
        return select_rows(file, table, columns, where)

    def check_digests(self) -> None:
        """Compare the SHA-256 of every table, and its number of rows, with the manifest.

        Raises
        ------
        GraphDirectoryError
            At the first table that differs.
        """
        for name in _tables_of(self.manifest):
            file, expected = self.directory.absolute() / table_path(name), self.manifest.tables[name]
            if graph_directory.file_digest(file) != expected.sha256 or pq.read_metadata(file).num_rows != expected.rows:
                raise GraphDirectoryError(
                    "the table is not the one that was built",
                    where=str(file),
                    remedy="run `kgscripts build-graph` again",
                )


def check_graph(value: object) -> None:
    """Raise ConfigurationError unless `value` is a graph that was opened."""
    check_type("graph", value, StoredGraph, "open it first: ScriptGraph.open(directory)")


def _check_name(name: str) -> None:
    if name not in TABLE_NAMES:
        raise ConfigurationError(f"there is no table {shown(name)}", remedy=f"name one of {', '.join(TABLE_NAMES)}")


def _tables_of(manifest: Manifest) -> list[str]:
    """The types whose tables a graph needs. A graph that was made without a package has none of its types."""
    nodes, relations = installed_node_types(), installed_relation_types()
    further = {*(item.name for item in nodes), *(item.name for item in relations)}
    return [name for name in TABLE_NAMES if name in manifest.tables or name not in further]
