"""CSV for ``neo4j-admin database import full``: the fastest way into a new Neo4j database of any size.

The directory holds, for every type, a file of data and one of its header; `import.args`, to be handed to neo4j-admin
from within the directory (``neo4j-admin database import full neo4j @import.args``); and `after-import.cypher`, to be
run once the database is up (``cypher-shell -f after-import.cypher``): constraints, and the empty lists that the import
takes for missing values. The result is the same as that of `exports.neo4j_store`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from exports.neo4j_constraints import constraints_text
from exports.neo4j_ownership import BUILD, GRAPH
from exports.property_graph import ENDS, KEY, node_batches, node_schema, quoted, relation_batches, relation_schema
from exports.targets import ExportOptions, ExportReport, report, scheme_of
from schemas.errors import StoreError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.output_files import new_directory
from schemas.script_graph import ScriptGraph

_TYPES = {
    pa.string(): "string",
    pa.list_(pa.string()): "string[]",
    pa.int64(): "long",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}
_SEPARATORS = tuple(map(chr, range(0x1F, 0x1B, -1)))
"""ASCII's own separators of units, records, groups and files: lists are joined by the first that no text holds."""
_READ_BUFFER = 4 << 20
"""Bytes of neo4j-admin's own read buffer, in which a field must fit."""


def export(graph: ScriptGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write the graph as CSV into a directory (``NAME.neo4j-csv`` or ``neo4j-csv:DIR``).

    Raises
    ------
    StoreError
        If the directory cannot be written, holds files that no export made, or the graph has lists that CSV cannot
        represent.
    """
    path = Path(target.partition(":")[2] if scheme_of(target) else target)
    separator = _separator(graph)
    if options.dry_run:
        return report(graph, target)
    with new_directory(path, inputs=[graph.directory]) as temporary:
        arguments = _Writer(temporary, graph, separator, options).write()
        (temporary / "import.args").write_text("\n".join(arguments) + "\n", encoding="utf-8")
        (temporary / "after-import.cypher").write_text(_after_import(), encoding="utf-8")
    return report(graph, target)


def _after_import() -> str:
    empty_lists = [
        f"MATCH (n:{quoted(label)}) WHERE n.{quoted(name)} IS NULL SET n.{quoted(name)} = [];\n"
        for label, node in NODE_TYPES.items()
        for name in _lists(label)
        if any(item.name == name and item.required for item in node.properties)
    ]
    return constraints_text() + "".join(empty_lists)


def _lists(label: str) -> list[str]:
    return [field.name for field in node_schema(label) if pa.types.is_list(field.type)]


def _separator(graph: ScriptGraph) -> str:
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

    def __init__(self, directory: Path, graph: ScriptGraph, separator: str, options: ExportOptions) -> None:
        self._directory = directory
        self._graph = graph
        self._separator = separator
        self._options = options
        self._longest = 0

    def write(self) -> list[str]:
        for folder in ("nodes", "relations"):
            (self._directory / folder).mkdir()
        files = []
        marks = {GRAPH: self._graph.graph_id, BUILD: self._graph.build_id}
        for label in NODE_TYPES:
            names = {KEY: f"{KEY}:ID({label})"}
            batches = node_batches(self._graph, label)
            files.append(f"--nodes={label}={self._table(f'nodes/{label}', node_schema(label), names, batches, marks)}")
        del marks[GRAPH]
        for name, relation in RELATION_TYPES.items():
            for ends in relation.ends:
                names = dict(zip(ENDS, (f":START_ID({ends[0]})", f":END_ID({ends[1]})"), strict=True))
                batches = relation_batches(self._graph, name, ends)
                file = f"relations/{name}.{ends[0]}.{ends[1]}"
                listed = self._table(file, relation_schema(name), names, batches, marks)
                files.append(f"--relationships={name}={listed}")
        return [
            "# neo4j-admin database import full neo4j @import.args && cypher-shell -f after-import.cypher",
            "--multiline-fields=true",
            f"--array-delimiter=U+{ord(self._separator):04X}",
            f"--read-buffer-size={max(_READ_BUFFER, 2 * self._longest)}",
            *files,
        ]

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
            flat = pc.binary_join(column, self._separator) if pa.types.is_list(column.type) else column
            if pa.types.is_string(flat.type):
                self._longest = max(self._longest, pc.max(pc.binary_length(flat)).as_py() or 0)
            yield flat
