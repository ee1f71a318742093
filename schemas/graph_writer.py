"""Writing a script graph: table by table into a new directory, which then replaces the old graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import evolve

from schemas import graph_directory
from schemas.errors import RecordError
from schemas.manifest import Manifest, TableFile
from schemas.script_graph import StoredGraph
from schemas.tables import ROWS_A_GROUP, TABLE_NAMES, check_batch, repeating_columns, table_path, table_schema


class ScriptGraphWriter:
    """Write a new graph and install it atomically. The directory must be held by `graph_directory.locked`.

    Types that nothing is written for get an empty table. If the context ends with an error, the old graph stays.
    """

    def __init__(self, directory: str | Path) -> None:
        self._directory = Path(directory)
        self._next = graph_directory.start_next(self._directory)
        self._tables: dict[str, TableFile] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        graph_directory.install(self._directory)

    def write(self, name: str, batches: Iterable[pa.RecordBatch]) -> None:
        """Write the whole table `name`; rows ascend strictly by key.

        Raises
        ------
        RecordError
            If rows do not fit the type, are out of order, or the table was already written.
        """
        with self.table(name) as write:
            for batch in batches:
                write(batch)

    @contextmanager
    def table(self, name: str) -> Iterator[Callable[[pa.RecordBatch], None]]:
        """Write the table `name` in parts, possibly beside other tables: yield a function that takes the next rows.

        The file depends on the rows alone, not on how they are split into batches. Raises what `write` raises.
        """
        if name in self._tables:
            raise RecordError(f"{name} was already written")
        file = self._next / table_path(name)
        waiting: list[pa.RecordBatch] = []
        last: tuple[str, ...] | None = None
        rows = 0
        schema = table_schema(name)
        with (
            graph_directory.writing(file),
            pq.ParquetWriter(
                file.absolute(),
                schema,
                compression="zstd",
                compression_level=1,
                use_dictionary=repeating_columns(name),
                write_batch_size=ROWS_A_GROUP,
            ) as writer,
        ):

            def write(batch: pa.RecordBatch) -> None:
                nonlocal last, rows
                last = check_batch(name, batch, last)
                while batch.num_rows:
                    part = batch.slice(0, ROWS_A_GROUP - rows % ROWS_A_GROUP)
                    batch = batch.slice(part.num_rows)
                    waiting.append(part)
                    rows += part.num_rows
                    if rows % ROWS_A_GROUP == 0:
                        write_group()

            def write_group() -> None:
                group = pa.Table.from_batches(waiting, schema=schema).combine_chunks()
                writer.write_table(group, row_group_size=ROWS_A_GROUP)
                waiting.clear()

            yield write
            if waiting:
                write_group()
        self._tables[name] = TableFile(rows=rows, bytes=file.stat().st_size, sha256=graph_directory.file_digest(file))

    @contextmanager
    def discarded(self) -> Iterator[Callable[[str], None]]:
        """Write ``discarded.jsonl``: yield a function that takes the next line, without line end."""
        file = self._next / graph_directory.DISCARDED
        with graph_directory.writing(file), file.open("w", encoding="utf-8") as stream:
            yield lambda line: stream.writelines((line, "\n"))

    def finish(self, manifest: Manifest) -> StoredGraph:
        """Complete the graph with `manifest` (its `tables` are filled in) and install it."""
        for name in TABLE_NAMES:
            if name not in self._tables:
                self.write(name, ())
        manifest = evolve(manifest, tables=self._tables)
        partial = self._next / "manifest.json.part"
        with graph_directory.writing(partial):
            partial.write_text(manifest.to_json(), encoding="utf-8")
        partial.replace(self._next / "manifest.json")
        graph_directory.install(self._directory)
        return StoredGraph.open(self._directory)
