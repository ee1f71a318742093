"""CSV for ``neo4j-admin database import full``: the fastest way into a new Neo4j database of any size.

The directory holds, for every type, a file of data and one of its header; `import.args`, to be handed to neo4j-admin
from within the directory (``neo4j-admin database import full neo4j @import.args``); and `after-import.cypher`, to be
run once the database is up (``cypher-shell -f after-import.cypher``): constraints, the empty lists that the import
takes for missing values, and the indexes for searches if they are wanted. The result is the same as that of
`exports.neo4j.store`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from exports.neo4j.ownership import BUILD, GRAPH
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
from exports.neo4j.search import VECTOR, index_statements, node_vectors
from exports.targets import ExportOptions, report, scheme_of
from schemas.errors import StoreError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.output_files import new_directory
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph

_VECTOR = pa.field(VECTOR, pa.list_(pa.float64()))
_TYPES = {
    pa.string(): "string",
    pa.list_(pa.string()): "string[]",
    _VECTOR.type: "double[]",
    pa.int64(): "long",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}
_IMPORT = "neo4j-admin database import full neo4j @import.args"
_AFTER = "after-import.cypher"
_AFTERWARDS = f"cypher-shell -f {_AFTER}"
_SEPARATORS = tuple(map(chr, range(0x1F, 0x1B, -1)))
"""ASCII's own separators of units, records, groups and files: lists are joined by the first that no text holds."""
_READ_BUFFER = 4 << 20
"""Bytes of neo4j-admin's own read buffer, in which a field must fit."""
_ROWS, _BYTES = 1_000, 4 << 20
"""Limits of a batch of nodes with vectors, which take 12 kB each in memory."""


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write the graph as CSV into a directory (``NAME.neo4j-csv`` or ``neo4j-csv:DIR``).

    The report has the commands that import it.

    Raises
    ------
    ModelError
        If vectors are wanted and MiniLM, which makes them, cannot be found.
    StoreError
        If the directory cannot be written, holds files that no export made, or the graph has lists that CSV cannot
        represent.
    """
    path = Path(target.partition(":")[2] if scheme_of(target) else target)
    separator = _separator(graph)
    if options.dry_run:
        return report(graph, target)
    with new_directory(path, inputs=[graph.directory]) as temporary:
        writer = _Writer(temporary, graph, separator, options)
        writer.write()
    details: dict[str, str | int | float] = {"vectors": writer.vectors} if options.indexes else {}
    details["import it"] = f"cd {shlex.quote(str(path))} && {_IMPORT}"
    details["start the server, then"] = _AFTERWARDS
    return report(graph, target, **details)


def _after_import() -> str:
    # In transactions of a bounded size: of a large graph, most steps have an empty list.
    empty_lists = [
        f"MATCH (n:{quoted(label)}) WHERE n.{quoted(name)} IS NULL "
        f"CALL {{ WITH n SET n.{quoted(name)} = [] }} IN TRANSACTIONS OF 10000 ROWS;\n"
        for label, node in NODE_TYPES.items()
        for name in _lists(label)
        if any(item.name == name and item.required for item in node.properties)
    ]
    return constraints_text() + "".join(empty_lists)


def _lists(label: str) -> list[str]:
    return [field.name for field in node_schema(label) if pa.types.is_list(field.type)]


def _separator(graph: StoredGraph) -> str:
    """The character that lists are joined by.

    Raises
    ------
    StoreError
        If the graph's texts hold all of them, for a list's texts cannot be quoted, or a list holds one empty text,
        which CSV does not distinguish from an empty list.
    """
    free = list(_SEPARATORS)
    for label in NODE_TYPES:
        for batch in node_batches(graph, label) if _lists(label) else ():
            for name in _lists(label):
                column = batch.column(name)
                joined, length = pc.binary_join(column, "-"), pc.list_value_length(column)
                if pc.any(pc.and_(pc.equal(joined, ""), pc.greater(length, 0))).as_py():
                    raise StoreError(f"{label}.{name} is a list of one empty text", remedy="CSV cannot represent it")
                texts = pc.list_flatten(column)
                free = [char for char in free if not pc.any(pc.match_substring(texts, char)).as_py()]
    if not free:
        raise StoreError("the texts of the graph's lists hold all characters that could separate them")
    return free[0]


class _Writer:
    """Writes the files below `directory` and collects neo4j-admin's arguments."""

    def __init__(self, directory: Path, graph: StoredGraph, separator: str, options: ExportOptions) -> None:
        self._directory = directory
        self._graph = graph
        self._separator = separator
        self._options = options
        self._longest = 0
        self._dimensions = 0
        self.vectors = 0

    def write(self) -> None:
        """Write all files."""
        for folder in ("nodes", "relations"):
            (self._directory / folder).mkdir()
        files = [*self._nodes(), *self._relations()]
        arguments = [
            f"# {_IMPORT} && {_AFTERWARDS}",
            "--multiline-fields=true",
            f"--array-delimiter=U+{ord(self._separator):04X}",
            # A text of nothing but quotes is twice as long in CSV.
            f"--read-buffer-size={max(_READ_BUFFER, 2 * self._longest)}",
            *files,
        ]
        (self._directory / "import.args").write_text("\n".join(arguments) + "\n", encoding="utf-8")
        indexes = index_statements(self._dimensions) if self._options.indexes else ()
        after = _after_import() + "".join(f"{statement};\n" for statement in indexes)
        (self._directory / _AFTER).write_text(after, encoding="utf-8")

    def _nodes(self) -> Iterator[str]:
        """Write the nodes: those with vectors first, in the order in which these come."""
        with_vectors = []
        for label, rows in groupby(node_vectors(self._graph) if self._options.indexes else (), key=itemgetter(0)):
            with_vectors.append(label)
            vectors = ((iri, vector) for _, iri, vector in rows)
            yield self._node_table(label, node_schema(label).append(_VECTOR), self._joined(label, vectors))
        for label in NODE_TYPES:
            if label not in with_vectors:
                yield self._node_table(label, node_schema(label), node_batches(self._graph, label))

    def _joined(self, label: str, vectors: Iterator[tuple[str, list[float]]]) -> Iterator[pa.RecordBatch]:
        """The nodes of a label with the vectors of some of them, which come in the same order."""
        next_iri, vector = next(vectors, ("", []))
        for batch in node_batches(self._graph, label):
            for portion in portions(batch, _ROWS, _BYTES):
                column: list[list[float] | None] = []
                for iri in portion.column(KEY).to_pylist():
                    if iri != next_iri:
                        column.append(None)
                        continue
                    column.append(vector)
                    self.vectors, self._dimensions = self.vectors + 1, len(vector)
                    next_iri, vector = next(vectors, ("", []))
                yield portion.append_column(_VECTOR, pa.array(column, _VECTOR.type))

    def _node_table(self, label: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> str:
        marks = {GRAPH: self._graph.graph_id, BUILD: self._graph.build_id}
        names = {KEY: f"{KEY}:ID({label})"}
        return f"--nodes={label}={self._table(f'nodes/{label}', schema, names, batches, marks)}"

    def _relations(self) -> Iterator[str]:
        marks = {BUILD: self._graph.build_id}
        for name, relation in RELATION_TYPES.items():
            for ends in relation.ends:
                names = dict(zip(ENDS, (f":START_ID({ends[0]})", f":END_ID({ends[1]})"), strict=True))
                batches = relation_batches(self._graph, name, ends)
                file = f"relations/{name}.{ends[0]}.{ends[1]}"
                yield f"--relationships={name}={self._table(file, relation_schema(name), names, batches, marks)}"

    def _table(
        self,
        file: str,
        schema: pa.Schema,
        names: dict[str, str],
        batches: Iterable[pa.RecordBatch],
        marks: dict[str, str],
    ) -> str:
        header = [names.get(field.name) or f"{field.name}:{_TYPES[field.type]}" for field in schema]
        header += [f"{mark}:string" for mark in marks]
        (self._directory / f"{file}.header.csv").write_text(",".join(header) + "\n", encoding="utf-8")
        written = pa.schema([pa.field(name, self._flat(field)) for name, field in zip(header, schema, strict=False)])
        for mark in marks:
            written = written.append(pa.field(mark, pa.string()))
        # Quotes around every value distinguish an empty text from a missing one.
        style = pyarrow.csv.WriteOptions(include_header=False, quoting_style="all_valid")
        with pyarrow.csv.CSVWriter(self._directory / f"{file}.csv", written, write_options=style) as writer:
            for batch in batches:
                columns = [*self._columns(batch), *(pa.repeat(value, batch.num_rows) for value in marks.values())]
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=written))
                self._options.advance(batch.num_rows)
        return f"{file}.header.csv,{file}.csv"

    @staticmethod
    def _flat(field: pa.Field) -> pa.DataType:
        return pa.string() if pa.types.is_list(field.type) else field.type

    def _columns(self, batch: pa.RecordBatch) -> Iterator[pa.Array]:
        for column in batch.columns:
            flat = column
            if pa.types.is_list(column.type):
                flat = pc.binary_join(column.cast(pa.list_(pa.string())), self._separator)
            if pa.types.is_string(flat.type):
                self._longest = max(self._longest, pc.max(pc.binary_length(flat)).as_py() or 0)
            yield flat
